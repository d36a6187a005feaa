import { countText, wordsOf } from '../../lib/format.ts'
import type { BroadcastCounts, BroadcastListItem } from '../../lib/site-types.ts'
import type { BarPart } from '../../ui/accounted-bar.tsx'
import type { Tone } from '../../ui/status-badge.tsx'

export type BroadcastStatus = BroadcastListItem['status']

export const STATUSES: Readonly<Record<BroadcastStatus, { words: string; tone: Tone; meaning: string }>> = {
  draft: { words: 'Draft', tone: 'neutral', meaning: 'It is being written. Nothing goes out.' },
  scheduled: { words: 'Scheduled', tone: 'info', meaning: 'It starts by itself at its time.' },
  sending: { words: 'Sending', tone: 'info', meaning: 'Its audience is frozen, and mail goes out.' },
  paused: { words: 'Paused', tone: 'warn', meaning: 'Nothing more goes out until it is resumed.' },
  sent: { words: 'Sent', tone: 'good', meaning: 'Every one of its messages has an outcome.' },
  canceled: {
    words: 'Canceled',
    tone: 'neutral',
    meaning: 'For good. People who had not been written to are skipped.',
  },
  failed: { words: 'Failed', tone: 'bad', meaning: 'It could not be sent to anybody.' },
}

export type State = 'accepted' | 'pending' | 'uncertain' | 'failed' | 'suppressed' | 'skipped'

/** Fates of its recipients, in the order of the bar. */
export const FATES: readonly { state: State; name: string; tone: BarPart['tone']; meaning: string }[] = [
  { state: 'accepted', name: 'Accepted', tone: 'good', meaning: 'The mail server or provider took it.' },
  { state: 'pending', name: 'Waiting', tone: 'info', meaning: 'Still to be sent.' },
  {
    state: 'uncertain',
    name: 'Uncertain',
    tone: 'machine',
    meaning: 'Handed over, and no answer came: nobody can know. It is not sent again by itself.',
  },
  { state: 'failed', name: 'Failed', tone: 'bad', meaning: 'It could not be delivered.' },
  {
    state: 'suppressed',
    name: 'Suppressed',
    tone: 'warn',
    meaning: 'On the list of addresses that are mailed nothing.',
  },
  {
    state: 'skipped',
    name: 'Skipped',
    tone: 'neutral',
    meaning: 'Not mailed although nothing failed: a rule said no.',
  },
]

export const countOf = (counts: Pick<BroadcastCounts, `${State}Count`>, state: State): number => counts[`${state}Count`]

const REASONS: Readonly<Record<string, string>> = {
  no_email: 'without an address',
  unsubscribed_everything: 'unsubscribed from all marketing mail',
  unsubscribed_source: 'unsubscribed from broadcasts',
  not_subscribed: 'not subscribed to this topic',
  unproven: 'whose address a page alone has stated',
  unconfirmed: 'not known to have agreed to marketing mail',
  contact_gone: 'no longer among the contacts',
  canceled: 'not written to before it was canceled',
  bounce: 'at an address that bounced for good',
  complaint: 'who reported your mail as spam',
  manual: 'suppressed by hand',
  address_refused: 'at an address that does not exist',
  mailbox_full: 'with a mailbox that stayed full',
  content_refused: 'whose server did not take what it says',
  policy_refused: 'whose server refused the sender',
  protocol_refused: 'not taken by the mail server',
  host_refused: 'not taken by the mail server',
  expired: 'out of reach for three days',
  render_failed: 'with values that the mail cannot be made of',
  compose_failed: 'for whom no sound, signed mail could be made',
  connection_lost: 'whose mail was on its way when the connection broke',
  process_lost: 'whose mail was on its way when the process ended',
  restored: 'perhaps written to after the backup that was restored',
}

/** Reasons that say something else of mail that has a topic. */
const TOPIC_REASONS: Readonly<Record<string, string>> = {
  unsubscribed_source: 'unsubscribed from this topic or from broadcasts',
}

/** `2 people, unsubscribed from broadcasts`. */
export function reasonText(reason: string, count: number, topicId: string | null): string {
  return `${countText(count, 'person', 'people')}, ${wordsOfReason(reason, topicId)}`
}

/** `Unsubscribed from broadcasts`, of one person. */
export function reasonName(reason: string, topicId: string | null): string {
  return wordsOf(wordsOfReason(reason, topicId))
}

const wordsOfReason = (reason: string, topicId: string | null) =>
  (topicId === null ? undefined : TOPIC_REASONS[reason]) ?? REASONS[reason] ?? wordsOf(reason).toLowerCase()

/** Statuses of one that goes on by itself. */
const MOVING: readonly BroadcastStatus[] = ['sending', 'scheduled']
export const isMoving = (status: BroadcastStatus) => MOVING.includes(status)
