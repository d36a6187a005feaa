import type { AttemptRow, EmailRow } from './email-queries.ts'
import type { TIMELINE_TYPES } from './schemas.ts'

export type TimelineEntry = {
  at: string
  type: (typeof TIMELINE_TYPES)[number]
  reason: string | null
  reply: string | null
  url: string | null
  byMachine: boolean | null
}

/** An open or a click, as often as it happened. */
export type Hit = { at: string; kind: 'open' | 'click'; url: string | null; byMachine: boolean }

type Facts = { message: EmailRow & { reply: string | null }; attempts: readonly AttemptRow[]; hits: readonly Hit[] }

const NOTHING = { reason: null, reply: null, url: null, byMachine: null }

/** What the first time stands for in the ledger, for what no log of its own tells. */
const MARKS = [
  ['openedAt', 'opened'],
  ['clickedAt', 'clicked'],
  ['unsubscribedAt', 'unsubscribed'],
  ['bouncedAt', 'bounced'],
  ['complainedAt', 'complained'],
] as const
const HIT_TYPES = { open: 'opened', click: 'clicked' } as const

/** All that happened to a message, oldest first. */
export function timelineOf({ message, attempts, hits }: Facts): TimelineEntry[] {
  const entries: TimelineEntry[] = [{ ...NOTHING, at: message.createdAt, type: 'created' }]
  for (const { at, cause, reply } of attempts) entries.push({ ...NOTHING, at, type: 'attempt', reason: cause, reply })
  if (message.settledAt !== null && message.status !== 'queued') {
    const { settledAt: at, status: type, reason, reply } = message
    entries.push({ ...NOTHING, at, type, reason, reply })
  }
  for (const { at, kind, url, byMachine } of hits)
    entries.push({ ...NOTHING, at, type: HIT_TYPES[kind], url, byMachine })
  for (const [field, type] of MARKS) {
    const at = message[field]
    // A hit by a person is the open, or the click, itself.
    const isLogged = hits.some((hit) => !hit.byMachine && HIT_TYPES[hit.kind] === type)
    if (at !== null && !isLogged) entries.push({ ...NOTHING, at, type })
  }
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}
