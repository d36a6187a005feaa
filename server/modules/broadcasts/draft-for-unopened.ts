import type pg from 'pg'
import { missingScope, notFound, wrongStatus } from '../../catalogue/problems.ts'
import { shortenedText } from '../../platform/cut-text.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { DAY_MS } from '../../platform/durations.ts'
import type { Caller } from '../auth/caller.ts'
import { ensureSegment } from '../segments/manage-segments.ts'
import { broadcastOf } from './broadcast-of.ts'
import { requireStatus } from './broadcast-status.ts'
import { addBroadcast } from './manage-broadcasts.ts'
import { type BroadcastContent, type BroadcastRow, broadcastByIdStatement, hasIntegration } from './queries.ts'
import type { Broadcast, UnopenedBody } from './schemas.ts'

const NAME_CHARS_MAX = 200
const NAME_AFTER = ' (to those who have not opened it)'

export type UnopenedDeps = {
  sql: pg.Pool
  /** How long events are kept. */
  eventsDays: number
}

type Asked = { id: string; body: UnopenedBody | undefined }

/**
 * A draft of what a broadcast said, to a segment of those who got it and have not opened it. They are determined when it is sent, as
 * with every segment: whoever opens the first mail before is not among them. Made again it has the same segment. Throws 404, 409
 * unless it was sent and its events are kept, 422 for a topic that is no more.
 */
export async function draftForUnopened(deps: UnopenedDeps, caller: Caller, { id, body }: Asked): Promise<Broadcast> {
  const { workspaceId } = caller
  const row = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const sent = await sentBroadcast(tx, workspaceId, id)
    requireRemembered(sent, deps.eventsDays)
    if (!caller.scopes.has('segments:write')) throw missingScope('segments:write')
    const segment = await ensureSegment(tx, caller, unopenedSegment(sent, body?.machineOpensCount ?? false))
    const content = await contentOf(tx, workspaceId, sent)
    return addBroadcast(tx, caller, {
      content: { ...content, segmentIds: [segment.id], excludedSegmentIds: [] },
      body: {},
    })
  })
  return broadcastOf(row)
}

async function sentBroadcast(tx: Transaction, workspaceId: string, id: string): Promise<BroadcastRow> {
  const [sent] = (await tx.query(broadcastByIdStatement({ workspaceId, id }))).rows
  if (!sent) throw notFound()
  requireStatus(sent, ['sent'], 'is drafted again for those who have not opened it')
  return sent
}

/** The moment until which it is known who has opened a broadcast: so long its events are kept. Null before it starts. */
export function openersKnownUntil(startedAt: string | null, eventsDays: number): string | null {
  return startedAt && new Date(Date.parse(startedAt) + eventsDays * DAY_MS).toISOString()
}

/** Without its events a broadcast would have gone to nobody, or be opened by nobody. */
function requireRemembered({ startedAt }: BroadcastRow, eventsDays: number): void {
  const until = openersKnownUntil(startedAt, eventsDays)
  if (until === null || Date.parse(until) > Date.now()) return
  throw wrongStatus(`Who has opened it is known for ${eventsDays} days, and it went out before.`)
}

/** Content as it was, through the default integration where its own is no more. */
async function contentOf(tx: Transaction, workspaceId: string, sent: BroadcastContent): Promise<BroadcastContent> {
  const { integrationId } = sent
  const isThere = integrationId !== null && (await hasIntegration(tx, workspaceId, integrationId))
  return { ...sent, name: named(sent.name, { after: NAME_AFTER }), integrationId: isThere ? integrationId : null }
}

/**
 * Rules about the events that a broadcast has made: its mail was taken and did not come back, no person opened it, and nobody followed a
 * link, which takes opening it, whether its picture was fetched or not.
 */
function unopenedSegment({ id, name, startedAt }: BroadcastRow, machineOpensCount: boolean) {
  const ofIt = { property: 'broadcastId', operator: '=', value: id }
  const byPeople = { property: 'machine', operator: '=', value: false }
  // A day is written so that a person can read it; nothing of it was sent before.
  const from = startedAt?.slice(0, 'YYYY-MM-DD'.length)
  const rule = (event: string, operator: string, where: readonly object[]) => {
    const once = operator === 'performed' ? { atLeast: 1 } : {}
    return { field: `event:${event}`, operator, value: { ...once, ...(from ? { from } : {}), where } }
  }
  const rules = [
    rule('email.sent', 'performed', [ofIt]),
    rule('email.bounced', 'notPerformed', [ofIt]),
    rule('email.opened', 'notPerformed', machineOpensCount ? [ofIt] : [ofIt, byPeople]),
    rule('email.clicked', 'notPerformed', [ofIt, byPeople]),
  ]
  const before = machineOpensCount ? 'Not opened, nor by a machine: ' : 'Not opened: '
  return {
    name: named(name, { before, after: '' }),
    otherName: named(name, { before, after: ` (${id})` }),
    definition: JSON.stringify({ combinator: 'and', rules }),
  }
}

/** A name with words around it, shortened where it would be too long, and not in the middle of a character. */
function named(name: string, { before = '', after }: { before?: string; after: string }): string {
  const left = NAME_CHARS_MAX - before.length - after.length
  return before + (name.length <= left ? name : shortenedText(name, left - 1)) + after
}
