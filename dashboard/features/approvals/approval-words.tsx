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

/** The program that asked: the token it did so with, and what its client calls itself. */
export function askedByText({ tokenName, client }: Approval['askedBy']): string {
  return [tokenName ?? 'a token', client].filter(Boolean).join(', ')
}
