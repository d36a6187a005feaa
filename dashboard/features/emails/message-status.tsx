import type { Email } from '../../lib/site-types.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

type Look = { words: string; tone: Tone; meaning: string }

export const STATUSES: Readonly<Record<Email['status'], Look>> = {
  queued: { words: 'Waiting', tone: 'info', meaning: 'It has not been handed to a mail server yet.' },
  sent: { words: 'Accepted', tone: 'good', meaning: 'The mail server of the recipient took it.' },
  failed: { words: 'Failed', tone: 'bad', meaning: 'It could not be delivered.' },
  suppressed: {
    words: 'Suppressed',
    tone: 'warn',
    meaning: 'The address is on the list of those that are mailed nothing.',
  },
  skipped: { words: 'Skipped', tone: 'warn', meaning: 'A rule kept it from being sent.' },
  uncertain: {
    words: 'Uncertain',
    tone: 'warn',
    meaning: 'It was handed over and no answer came: it may have arrived.',
  },
}

/** How a message fares, by the last thing that is known of it. */
export function MessageStatus({ message }: { message: Email }) {
  const { words, tone, meaning } = lookOf(message)
  return (
    <StatusBadge tone={tone} title={meaning}>
      {words}
    </StatusBadge>
  )
}

function lookOf({ status, bouncedAt, complainedAt, clickedAt, openedAt }: Email): Look {
  if (complainedAt !== null) return { words: 'Complained', tone: 'bad', meaning: 'They reported it as spam.' }
  if (bouncedAt !== null) return { words: 'Bounced', tone: 'bad', meaning: 'It was taken, and came back.' }
  if (clickedAt !== null) return { words: 'Clicked', tone: 'good', meaning: 'A person followed a link in it.' }
  if (openedAt !== null) return { words: 'Opened', tone: 'good', meaning: 'A person opened it.' }
  return STATUSES[status]
}
