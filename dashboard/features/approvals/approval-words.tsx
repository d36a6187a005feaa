import type { Approval } from '../../lib/site-types.ts'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'

type Status = Approval['status']

const WORDS: Readonly<Record<Status, readonly [tone: Tone, word: string]>> = {
  waiting: ['warn', 'Waits for you'],
  approved: ['good', 'Approved'],
  rejected: ['neutral', 'Turned down'],
  expired: ['neutral', 'Expired'],
}

export function ApprovalBadge({ status }: { status: Status }) {
  const [tone, word] = WORDS[status]
  return <StatusBadge tone={tone}>{word}</StatusBadge>
}

type Words = {
  /** The kind of thing, as a list names it. */
  kind: string
  /** The thing itself, for a link to it. */
  path: (approval: Pick<Approval, 'broadcastId' | 'automationId' | 'contactId'>) => string
  /** The integration of mail that goes after the act, when another one may be the default; a broadcast is held to that of its approval. */
  through?: string
  /** Said when it is approved. */
  done: string
}

export const ACTS: Readonly<Record<Approval['act'], Words>> = {
  broadcast: { kind: 'Broadcast', path: ({ broadcastId }) => `/broadcasts/${broadcastId}`, done: 'It is being sent.' },
  automation: {
    kind: 'Automation',
    path: ({ automationId }) => `/automations/${automationId}`,
    through: 'Its own integration, or the one that is the default when a mail goes',
    done: 'It is active: people come in from now on.',
  },
  email: {
    kind: 'Mail to one contact',
    path: ({ contactId }) => `/contacts/${contactId}`,
    through: 'The integration that is the default when it goes',
    done: 'It is being sent.',
  },
}

/** The program that asked: the token it did so with, and what its client calls itself. */
export function askedByText({ tokenName, client }: Approval['askedBy']): string {
  return [tokenName ?? 'a token', client].filter(Boolean).join(', ')
}
