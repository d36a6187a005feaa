import { decodeWords } from 'postal-mime'
import { cutText } from '../../platform/cut-text.ts'
import { DAY_MS } from '../../platform/durations.ts'
import type { Mailbox } from '../../platform/mail/compose-message.ts'
import { oneLine } from '../../platform/mail/header-text.ts'
import { onlyValue } from '../../platform/mail/kept-mail.ts'
import { readMailboxes } from '../../platform/mail/read-mailboxes.ts'
import { fieldValue, type SplitMail, splitMail } from '../../platform/mail/split-mail.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import type { SubmittedMail } from '../emails/queue-submitted-mail.ts'
import { readTemplateUse, TEMPLATE_FIELDS, type TemplateUse } from './read-template-use.ts'

/** A mail as it came, and whom the envelope has it go to: normalised, each once. */
export type Submission = { raw: Buffer; recipients: readonly string[] }

/** `key` is the name its sender gave it, so that it is taken once. `use` is null for a mail that goes out as it is. */
export type ReadSubmission = {
  mail: Omit<SubmittedMail, 'template'>
  use: TemplateUse | null
  body: Buffer
  key: string | null
}

const SUBJECT_CHARS_MAX = 998
const MESSAGE_ID_CHARS_MAX = 1_000
const KEY_CHARS_MAX = 255
const SCHEDULED_AHEAD_DAYS_MAX = 365
/** Of a list in the header, those that pages show. */
const SHOWN_MAX = 50

const OURS = 'x-postroom-'
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...TEMPLATE_FIELDS,
  'x-postroom-idempotency-key',
  'x-postroom-scheduled-at',
])

/** Reads a mail's header as far as it decides something. The fault is a sentence for its sender. */
export function readSubmission({ raw, recipients }: Submission, now: Date): ReadSubmission | { fault: string } {
  const split = splitMail(raw)
  if ('fault' in split) return split
  const from = fromOf(split)
  if ('fault' in from) return from
  const unknown = split.fields.find(({ name }) => name.startsWith(OURS) && !OWN_FIELDS.has(name))
  if (unknown !== undefined) return { fault: `${unknown.name} is no header of ours.` }
  const messageId = onlyValue(split, 'message-id')
  if (messageId === undefined) return { fault: 'It has more than one Message-ID.' }
  const key = onlyValue(split, 'x-postroom-idempotency-key')
  if (key === undefined || (key !== null && !/^[ -~]{1,255}$/.test(key))) {
    return { fault: `X-Postroom-Idempotency-Key has to be one of 1 to ${KEY_CHARS_MAX} ASCII characters.` }
  }
  const scheduledAt = dueAt(onlyValue(split, 'x-postroom-scheduled-at'), now)
  if (scheduledAt === undefined) {
    return { fault: `X-Postroom-Scheduled-At has to be one RFC 3339 time within ${SCHEDULED_AHEAD_DAYS_MAX} days.` }
  }
  const use = readTemplateUse(split)
  if (use !== null && 'fault' in use) return use
  const mail = {
    ...{ raw, recipients, scheduledAt, from: from.mailbox },
    ...{ to: listOf(split, 'to'), cc: listOf(split, 'cc'), replyTo: listOf(split, 'reply-to') },
    subject: cutText(storable(oneLine(decodeWords(onlyValue(split, 'subject') ?? ''))), SUBJECT_CHARS_MAX),
    messageId: messageId === null ? null : cutText(storable(messageId), MESSAGE_ID_CHARS_MAX),
  }
  return { mail, use, body: split.body, key }
}

/** Exactly one address, which nobody can read as another: its domain signs the mail. */
function fromOf(split: SplitMail): { mailbox: Mailbox } | { fault: string } {
  const value = onlyValue(split, 'from')
  if (!value) return { fault: value === undefined ? 'It has more than one From.' : 'It has no From.' }
  const { mailboxes, isWhole } = readMailboxes(value)
  const [mailbox] = mailboxes
  if (!isWhole || mailboxes.length !== 1) return { fault: 'From has to be exactly one address.' }
  return { mailbox: { address: mailbox!.address.toLowerCase(), name: mailbox!.name && storable(mailbox!.name) } }
}

function listOf({ fields }: SplitMail, name: string): Mailbox[] {
  return fields
    .filter((field) => field.name === name)
    .flatMap((field) => readMailboxes(fieldValue(field)).mailboxes)
    .slice(0, SHOWN_MAX)
    .map((one) => ({ address: one.address, name: one.name && storable(one.name) }))
}

function dueAt(given: string | null | undefined, now: Date): string | null | undefined {
  if (given === null) return null
  const time = given && toUtc(given)
  if (!time) return undefined
  const aheadMs = Date.parse(time) - now.getTime()
  return aheadMs > 0 && aheadMs <= SCHEDULED_AHEAD_DAYS_MAX * DAY_MS ? time : undefined
}

/** Text as the database takes it. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()
