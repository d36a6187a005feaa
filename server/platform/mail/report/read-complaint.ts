import { firstOf, readFieldGroups } from '../field-groups.ts'
import { addressIn } from './address-in.ts'
import type { Leaf } from './walk-parts.ts'

/** A person's word on a message, as their provider passes it on. */
export type Complaint = {
  /** RFC 5965, in lower case: `abuse`, `not-spam`, … */
  feedbackType: string
  mailFrom: string | null
  /** As they are told; hidden ones are not there. */
  recipients: readonly string[]
}

const RECIPIENTS_MAX = 100

/** A `message/feedback-report` (RFC 5965), or Hotmail's form of it (JMRP); null where the parts hold neither. */
export function readComplaint(leaves: readonly Leaf[]): Complaint | null {
  const report = leaves.find(({ type }) => type === 'message/feedback-report')
  return report ? reportOf(report.text) : junkMailReport(leaves)
}

function reportOf(text: string): Complaint | null {
  const [fields] = readFieldGroups(text, 1)
  const type = /^[a-z-]+/.exec(firstOf(fields, 'feedback-type')?.toLowerCase() ?? '')?.[0]
  if (type === undefined) return null
  const told = [...(fields?.get('original-rcpt-to') ?? []), ...(fields?.get('removal-recipient') ?? [])]
  return {
    // RFC 6591: whatever it calls itself, such a field is only of a report that a message proved no sender.
    feedbackType: fields?.has('auth-failure') ? 'auth-failure' : type,
    mailFrom: addressIn(firstOf(fields, 'original-mail-from')),
    recipients: told.slice(0, RECIPIENTS_MAX).flatMap((value) => addressIn(value) ?? []),
  }
}

/** The message as it was, with the person who pressed the button in a field of its header. */
function junkMailReport(leaves: readonly Leaf[]): Complaint | null {
  const original = leaves.find(({ type }) => type === 'message/rfc822')
  const [fields] = original ? readFieldGroups(original.text, 1) : []
  const recipient = firstOf(fields, 'x-hmxmroriginalrecipient')
  if (recipient === null) return null
  const address = addressIn(recipient)
  return { feedbackType: 'abuse', mailFrom: null, recipients: address === null ? [] : [address] }
}
