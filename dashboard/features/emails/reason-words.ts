import { wordsOf } from '../../lib/format.ts'

/** Why one message was not sent, or not delivered; other reasons are told by their own words. */
const REASONS: Readonly<Record<string, string>> = {
  no_email: 'no address',
  unsubscribed_everything: 'unsubscribed from all marketing mail',
  unsubscribed_source: 'unsubscribed from such mail',
  not_subscribed: 'not subscribed to its topic',
  unproven: 'only a page has stated the address',
  unconfirmed: 'not known to have agreed to marketing mail',
  contact_gone: 'no longer among the contacts',
  canceled: 'canceled before its turn',
  bounce: 'the address bounced for good',
  complaint: 'reported your mail as spam',
  manual: 'suppressed by hand',
  address_refused: 'the address does not exist',
  mailbox_full: 'the mailbox stayed full',
  content_refused: 'the server did not take what it says',
  policy_refused: 'the server refused the sender',
  protocol_refused: 'the server did not take it',
  host_refused: 'the server did not take it',
  expired: 'out of reach for three days',
  render_failed: 'the mail cannot be made of these values',
  compose_failed: 'no sound, signed mail could be made',
  connection_lost: 'the connection broke on its way',
  process_lost: 'the process ended on its way',
  restored: 'perhaps sent after the backup that was restored',
}

/** `unsubscribed from such mail`, behind what became of it. */
export function reasonText(reason: string): string {
  return REASONS[reason] ?? wordsOf(reason).toLowerCase()
}
