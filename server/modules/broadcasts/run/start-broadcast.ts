import type pg from 'pg'
import { notFound, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { type AuditEntry, recordAudit, recordSystemAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { emitEvents } from '../../domain-events/emit-events.ts'
import { openStream, setStreamState } from '../../sending/streams.ts'
import { type BroadcastDeps, enqueueAdvance } from '../broadcast-deps.ts'
import { summaryOf } from '../broadcast-of.ts'
import { requireStatus } from '../broadcast-status.ts'
import type { Expected } from '../preflight/preflight.ts'
import { type BroadcastKey, type BroadcastState, broadcastState, lockBroadcast } from '../queries.ts'
import type { BroadcastSummary, ScheduleBody, SendBody } from '../schemas.ts'
import { broadcastEvent } from './broadcast-events.ts'
import { changeUnmoved, lockSeen } from './change-unmoved.ts'
import { failBroadcast } from './end-broadcast.ts'
import { nextStep } from './next-step.ts'
import { markScheduled, markStarted, progressOfStatement, type Schedule, type Start } from './progress-queries.ts'
import { readSchedule } from './read-schedule.ts'

export type StartDeps = BroadcastDeps & {
  /**
   * Throws 404, 422 naming all that keeps the broadcast from being sent, 409 where its audience has moved; answers which state
   * of it that was of.
   */
  requireReady: (key: BroadcastKey, expected: Expected) => Promise<{ updatedAt: string }>
}

/** Sends a draft now, or one that is scheduled before its time. Throws 404, 409, and 422 naming what keeps it from it. */
export async function sendBroadcast(
  deps: StartDeps,
  caller: Caller,
  { id, body = {}, approvalId }: { id: string; body?: SendBody; approvalId?: string },
): Promise<BroadcastSummary> {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  await requireToBeSent(deps, key)
  const judged = await deps.requireReady(key, body)
  const sent = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const stream = await openStream(tx, workspaceId, { kind: 'broadcast', id })
    const before = await lockBroadcast(tx, key)
    if (!before) throw notFound()
    requireStatus(before, ['draft', 'scheduled'], 'is sent')
    requireSame(before, judged)
    await start(tx, key, { before, streamId: stream.streamId, as: 'at_once', approvalId })
    await enqueueAdvance(tx, key)
    await recordAudit(tx, caller, entryOf('send', before, 'sending'))
    return broadcastState(tx, key)
  })
  return summaryOf(sent!)
}

/** Has a draft start by itself, or one that is scheduled at another time. Throws 400, 404, 409, 422. */
export async function scheduleBroadcast(
  deps: StartDeps,
  caller: Caller,
  { id, body, approvalId }: { id: string; body: ScheduleBody; approvalId?: string },
): Promise<BroadcastSummary> {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  await requireToBeSent(deps, key)
  const schedule = await readSchedule(deps.sql, workspaceId, body)
  const judged = await deps.requireReady(key, body)
  const scheduled = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await lockBroadcast(tx, key)
    if (!before) throw notFound()
    requireStatus(before, ['draft', 'scheduled'], 'is scheduled')
    requireSame(before, judged)
    await markScheduled(tx, key, { ...schedule, approvalId })
    await enqueueAdvance(tx, key, schedule.scheduledAt)
    const { diff, ...entry } = entryOf('schedule', before, 'scheduled')
    const when = (shown: Partial<Schedule>) => shown.localTime ?? shown.scheduledAt ?? null
    await recordAudit(tx, caller, {
      ...entry,
      diff: { ...diff, scheduledAt: { from: when(before as never), to: when(schedule) } },
    })
    return broadcastState(tx, key)
  })
  return summaryOf(scheduled!)
}

/** Makes a draft again of one that is scheduled, or that failed before anybody was written to. Throws 404, 409. */
export async function unscheduleBroadcast(
  deps: Pick<BroadcastDeps, 'sql'>,
  caller: Caller,
  id: string,
): Promise<BroadcastSummary> {
  const key = { workspaceId: caller.workspaceId, id }
  const draft = await changeUnmoved(deps, key, async (tx, seen) => {
    requireStatus(seen, ['scheduled', 'failed'], 'becomes a draft again')
    // It may have failed while it was paused: sent again, it goes through the same stream.
    if (seen.status === 'failed' && seen.streamId !== null) {
      await setStreamState(tx, { workspaceId: key.workspaceId, streamId: seen.streamId, state: 'open' })
    }
    const before = await lockSeen(tx, key, seen)
    await markScheduled(tx, key, null)
    await recordAudit(tx, caller, entryOf('unschedule', before, 'draft'))
    return broadcastState(tx, key)
  })
  return summaryOf(draft!)
}

export type ScheduledDeps = {
  pool: pg.Pool
  /** False where it was approved as something else than it is by now, and so has been taken back. `seen` is its `updatedAt`. */
  mayStart?: ((key: BroadcastKey, at: { attempt: number; seen: string }) => Promise<boolean>) | undefined
  /** The number of this attempt of the job; those before it failed. */
  attempt?: number
  contentFault: (key: BroadcastKey) => Promise<string | null>
}

/**
 * Starts a broadcast whose time has come. Content that cannot be rendered fails it as a whole, before anybody is
 * written to; an integration or a domain that is missing by now only holds its stream, which says so. Where somebody changes it or schedules it
 * anew while it is judged, nothing is done to it: whoever called looks again.
 */
export async function startScheduled(deps: ScheduledDeps, key: BroadcastKey): Promise<void> {
  const found = await inTransaction(deps.pool, key.workspaceId, (tx) => broadcastState(tx, key))
  if (found?.status !== 'scheduled') return
  const seen = found.updatedAt
  if (deps.mayStart && !(await deps.mayStart(key, { attempt: deps.attempt ?? 1, seen }))) return
  const fault = await deps.contentFault(key)
  if (fault !== null) return failBroadcast(deps, key, { failure: fault, seen })
  await inTransaction(deps.pool, key.workspaceId, async (tx) => {
    const stream = await openStream(tx, key.workspaceId, { kind: 'broadcast', id: key.id })
    const before = await lockBroadcast(tx, key)
    const { rows } = await tx.query(progressOfStatement(key))
    // It was taken back, sent, put off or changed meanwhile: what was judged is no more what would go out.
    if (before?.status !== 'scheduled' || before.updatedAt !== seen || nextStep(rows[0]!).step !== 'start') return
    await start(tx, key, { before, streamId: stream.streamId, as: 'scheduled' })
    await recordSystemAudit(tx, key.workspaceId, entryOf('start', before, 'sending'))
  })
}

async function start(
  tx: Transaction,
  key: BroadcastKey,
  { before, ...how }: { before: BroadcastState } & Start,
): Promise<void> {
  await markStarted(tx, key, how)
  await emitEvents(tx, key.workspaceId, [broadcastEvent('broadcast.started', key, { ...before, status: 'sending' })])
}

export function entryOf(verb: string, before: BroadcastState, to: string): AuditEntry {
  const diff = before.status === to ? {} : { status: { from: before.status, to } }
  return { action: `broadcast.${verb}`, target: { type: 'broadcast', id: before.id, name: before.name }, diff }
}

/** Before it is judged, outside of the transaction: rendering and counting take their time. */
async function requireToBeSent({ sql }: StartDeps, key: BroadcastKey): Promise<void> {
  const row = await inTransaction(sql, key.workspaceId, (tx) => broadcastState(tx, key))
  if (!row) throw notFound()
  requireStatus(row, ['draft', 'scheduled'], 'is sent')
}

/** The content that was judged is the content that is sent. */
function requireSame(row: BroadcastState, judged: { updatedAt: string }): void {
  if (row.updatedAt !== judged.updatedAt) throw wrongStatus('It was changed just now: look at it again.')
}
