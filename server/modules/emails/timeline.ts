import type { MessageHit } from '../tracking/message-hits.ts'
import type { AttemptRow, EmailRow, ReportRow } from './email-queries.ts'
import type { TIMELINE_TYPES } from './schemas.ts'

export type TimelineEntry = {
  at: string
  type: (typeof TIMELINE_TYPES)[number]
  reason: string | null
  reply: string | null
  url: string | null
  byMachine: boolean | null
}

/** `hits` are opens and clicks, each as often as it happened. */
type Facts = {
  message: EmailRow & { reply: string | null }
  attempts: readonly AttemptRow[]
  hits: readonly Pick<MessageHit, 'at' | 'kind' | 'url' | 'verdict'>[]
  reports: readonly ReportRow[]
}

const ENTRIES_MAX = 500
const NOTHING = { reason: null, reply: null, url: null, byMachine: null }

/** Times of the ledger, each the first of its kind, for kinds that no log of their own tells. */
const MARKS = [
  ['openedAt', 'opened'],
  ['clickedAt', 'clicked'],
  ['unsubscribedAt', 'unsubscribed'],
  ['bouncedAt', 'bounced'],
  ['complainedAt', 'complained'],
] as const
const REPORT_TYPES = { bounce: 'bounced', complaint: 'complained' } as const
const HIT_TYPES = { open: 'opened', click: 'clicked' } as const

/** All that happened to a message, oldest first. */
export function timelineOf({ message, attempts, hits, reports }: Facts): TimelineEntry[] {
  const entries: TimelineEntry[] = [{ ...NOTHING, at: message.createdAt, type: 'created' }]
  for (const { at, cause, reply } of attempts) entries.push({ ...NOTHING, at, type: 'attempt', reason: cause, reply })
  if (message.settledAt !== null && message.status !== 'queued') {
    const { settledAt: at, status: type, reason, reply } = message
    entries.push({ ...NOTHING, at, type, reason, reply })
  }
  for (const { at, kind, url, verdict } of hits) {
    const byMachine = verdict === null ? null : verdict === 'machine'
    entries.push({ ...NOTHING, at, type: HIT_TYPES[kind], url, byMachine })
  }
  for (const { at, kind, cause, detail } of reports)
    entries.push({ ...NOTHING, at, type: REPORT_TYPES[kind], reason: cause, reply: detail })
  for (const [field, type] of MARKS) {
    const at = message[field]
    // A hit by a person is the open, or the click, itself, and a report the bounce.
    const isLogged =
      hits.some(({ kind, verdict }) => verdict === 'human' && HIT_TYPES[kind] === type) ||
      reports.some(({ kind }) => REPORT_TYPES[kind] === type)
    // A refusal for good is a bounce, and its words are those of the server.
    const reply = type === 'bounced' && message.status === 'failed' ? message.reply : null
    if (at !== null && !isLogged) entries.push({ ...NOTHING, at, type, reply })
  }
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(0, ENTRIES_MAX)
}
