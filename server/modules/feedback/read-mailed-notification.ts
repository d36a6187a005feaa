import { firstOf } from '../../platform/mail/field-groups.ts'
import { REPORT_BYTES_MAX } from '../../platform/mail/parse-report.ts'
import { headerOf, leavesOf } from '../../platform/mail/report/walk-parts.ts'
import { readSesNotification, type SesNotification } from './read-ses-notification.ts'

/**
 * A notification of Amazon SES that SNS sends as a mail, bare or in SNS's own JSON, with a footer behind it. Undefined for
 * any other mail, null for a notification that is neither bounce nor complaint. Nobody has signed it: what it says counts
 * only of a message that it names by a code of ours.
 */
export function readMailedNotification(bytes: Buffer): SesNotification | null | undefined {
  const mail = bytes.subarray(0, REPORT_BYTES_MAX).toString('latin1')
  if (firstOf(headerOf(mail), 'x-amz-sns-message-id') === null) return undefined
  const text =
    leavesOf(mail)
      .find(({ type }) => type === 'text/plain')
      ?.text.trim() ?? ''
  // Servers on the way break lines that are too long for them, also within a string; JSON needs none of its own.
  const json = text.slice(0, text.lastIndexOf('}') + 1).replace(/\r?\n/g, '')
  return readSesNotification(messageIn(json) ?? json)
}

/** The notification in the envelope of SNS: `{"Type": "Notification", "Message": "{…}"}`. */
function messageIn(json: string): string | undefined {
  try {
    const envelope: unknown = JSON.parse(json)
    const isObject = typeof envelope === 'object' && envelope !== null
    return isObject && 'Message' in envelope && typeof envelope.Message === 'string' ? envelope.Message : undefined
  } catch {
    return undefined
  }
}
