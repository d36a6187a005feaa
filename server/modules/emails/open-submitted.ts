import { overloaded, wrongStatus } from '../../catalogue/problems.ts'
import type { MailOpener } from '../mailbox/read-mail.ts'

/** How soon mails that wait to be taken apart are fewer. */
const BUSY_SECONDS = 1

/** A mail that was handed over whole, as its receiver reads it. Throws 409 for one that nobody can read, 503 when too many wait. */
export async function openSubmitted(opener: MailOpener, raw: Buffer) {
  const result = await opener.run({ raw, keys: [], part: 'whole' })
  if (result.outcome === 'busy') throw overloaded(BUSY_SECONDS)
  if (result.outcome !== 'whole') throw wrongStatus('It cannot be shown: nobody can take it apart in time.')
  const { to, cc, replyTo, html, text } = result.whole
  return { to, cc, replyTo, html, text }
}
