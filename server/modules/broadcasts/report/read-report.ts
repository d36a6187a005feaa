import type pg from 'pg'
import { badCursor, notFound } from '../../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { cursorsOf, examinedPage } from '../../../platform/schema/paging.ts'
import { type Totals, totalsOf } from '../../sending/ledger/read-totals.ts'
import { ruleOf } from '../../sending/ledger/refusal-words.ts'
import type { HoldReason, MessageState } from '../../sending/message-states.ts'
import { type HitReport, type LinkCounts, readHitReport } from '../../tracking/link-report.ts'
import { countsOf } from '../counts-of.ts'
import { type BroadcastKey, type BroadcastState, broadcastByIdStatement, broadcastState } from '../queries.ts'
import { EXAMINED_MAX, holdOf, recipientsOfStatement } from './report-queries.ts'
import type { RecipientsQuery, Report } from './report-schemas.ts'

/** The report of a broadcast, of one moment: its numbers fit each other, whatever is going on. Throws 404. */
export async function readReport(sql: pg.Pool, key: BroadcastKey): Promise<Report> {
  return reportOf(await inOneMoment(sql, key))
}

export type Moment = { state: BroadcastState; totals: Totals; hold: HoldReason | null; hits: HitReport }

/** The broadcast, its totals and its stream, all seen by one snapshot. Throws 404. */
export async function inOneMoment(sql: pg.Pool, key: BroadcastKey): Promise<Moment> {
  return inTransaction(sql, key.workspaceId, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    return momentOf(tx, key)
  })
}

async function momentOf(tx: Transaction, key: BroadcastKey): Promise<Moment> {
  const [state, totals, hold, hits] = await Promise.all([
    broadcastState(tx, key),
    totalsOf(tx, key.workspaceId, [key.id]),
    holdOf(tx, key),
    readHitReport(tx, key.workspaceId, key.id),
  ])
  if (!state) throw notFound()
  return { state, totals: totals.get(key.id)!, hold, hits }
}

/**
 * The report of a moment. That the counts sum up is no consequence of how they are computed: the audience is counted when it
 * is frozen, what is planned as it is handed over, the ledger by its own triggers.
 */
export function reportOf({ state, totals, hold, hits }: Moment): Report {
  const { states, marks, recipients } = totals
  const counts = countsOf(state, totals)
  const settled = states.accepted + states.failed + states.suppressed + states.skipped + states.uncertain
  const share = (count: number) => (states.accepted === 0 ? 0 : count / states.accepted)
  return {
    status: state.status,
    holdReason: state.status === 'sending' ? hold : null,
    ...counts,
    addsUp:
      Number(state.plannedTotal) === recipients &&
      settled + counts.pendingCount === counts.recipientsTotal &&
      counts.pendingCount >= 0,
    openRate: share(marks.opened),
    clickRate: share(marks.clicked),
    machineOpenedCount: hits.opens.machineMessages,
    machineClickedCount: hits.clicks.machineMessages,
    links: hits.links.map(linkOf),
    failedByReason: reasonsOf(totals, 'failed'),
    suppressedByReason: reasonsOf(totals, 'suppressed'),
    skippedByReason: reasonsOf(totals, 'skipped'),
    uncertainByReason: reasonsOf(totals, 'uncertain'),
    startedAt: state.startedAt,
    endedAt: state.endedAt,
  }
}

function linkOf({ link, url, humanHits, humanMessages, machineHits }: LinkCounts): Report['links'][number] {
  return { position: link, url, clickCount: humanHits, clickedCount: humanMessages, machineClickCount: machineHits }
}

function reasonsOf({ reasons }: Totals, state: MessageState) {
  return reasons.filter((one) => one.state === state).map(({ reason, count }) => ({ reason, count }))
}

const cursors = cursorsOf('recipients', [/^[0-9]{1,19}$/])

/** A page of a broadcast's recipients in the order they were planned. Throws 404, 400 for a bad cursor. */
export async function listRecipients(sql: pg.Pool, key: BroadcastKey, query: RecipientsQuery) {
  const { cursor, limit, ...filter } = query
  const [afterId] = cursor === undefined ? ['0'] : (cursors.decode(cursor) ?? [])
  if (afterId === undefined) throw badCursor()
  const { workspaceId } = key
  const [broadcasts, rows] = await Promise.all([
    queryInScope(sql, workspaceId, broadcastByIdStatement(key)),
    queryInScope(sql, workspaceId, recipientsOfStatement({ key, filter, afterId, limit: limit + 1 })),
  ])
  if (broadcasts.length === 0) throw notFound()
  const { items: found, last } = examinedPage(rows, { limit, examinedMax: EXAMINED_MAX })
  const items = found.map((row) => ({ ...row, rule: ruleOf(row.state, row.reason) }))
  return { items, ...(last ? { nextCursor: cursors.encode([last.messageId]) } : {}) }
}
