import type pg from 'pg'
import { assertNever } from '../../../platform/assert-never.ts'
import { crashPoint } from '../../../platform/crash-point.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { SLOTS, type Stream, wakeStream } from '../../sending/lanes.ts'
import { acceptUncertain } from '../../sending/ledger/accept-uncertain.ts'
import { analyzeGrownLedger } from '../../sending/ledger/analyze-ledger.ts'
import { cancelStream, isAnyQueued } from '../../sending/ledger/cancel-messages.ts'
import { planMessages } from '../../sending/ledger/plan-messages.ts'
import { type Requeue, type Requeued, retryFailed, retryUncertain } from '../../sending/ledger/requeue-messages.ts'
import type { BroadcastDeps } from '../broadcast-deps.ts'
import type { BroadcastKey, Redo } from '../queries.ts'
import { finishWhenDone } from './end-broadcast.ts'
import { type FreezeDeps, freezeBroadcast, Overtaken } from './freeze-broadcast.ts'
import { nextStep } from './next-step.ts'
import {
  chunkOf,
  markAllPlanned,
  markPlanned,
  markRedone,
  type Progress,
  progressOfStatement,
} from './progress-queries.ts'
import { type ScheduledDeps, startScheduled } from './start-broadcast.ts'

/** Ten thousand recipients, or five thousand messages, take longer than a request may on a busy machine. */
const STEP_TIMEOUT_MS = 50_000

/** How soon a canceled broadcast looks after what a worker had when it was canceled. */
const UNDER_WAY_MS = 2_000

export type AdvanceDeps = BroadcastDeps & {
  pool: pg.Pool
  /** How long a stretch of the audience may take to be frozen. */
  stretchMs?: number
  mayStart?: ScheduledDeps['mayStart']
  judgeFrozen?: FreezeDeps['judgeFrozen']
  attempt?: number
  /** The fault that keeps the content from being rendered for anybody; null when there is none. */
  contentFault: (key: BroadcastKey) => Promise<string | null>
  /** Whether the run should end after the step it is at. */
  shouldYield: () => boolean
}

/**
 * The job `advance_broadcast`: starts a broadcast that is due, freezes its audience, puts it into the ledger chunk by
 * chunk, does again what was asked for, takes back what is canceled. Each step is a transaction that writes with its work
 * how far it has come, and does nothing when another run was faster: a run may die at any moment and run twice.
 *
 * A transaction locks the broadcast's row after everything else, as the sending does when it settles a message: ledger,
 * totals, lanes, broadcast. So the two wait for each other and never in a circle; and a stream is woken by a transaction
 * of its own, for one that plans holds totals while it would wait for a lane.
 */
export async function advanceBroadcast(
  deps: AdvanceDeps,
  key: BroadcastKey,
): Promise<{ end: 'done' | 'more' } | { end: 'wait'; afterMs: number }> {
  for (;;) {
    const [progress] = await queryInScope(deps.pool, key.workspaceId, progressOfStatement(key))
    if (!progress) return { end: 'done' }
    const next = nextStep(progress)
    switch (next.step) {
      case 'none':
        return { end: 'done' }
      case 'wait':
        return { end: 'wait', afterMs: next.afterMs }
      case 'start':
        await startScheduled(deps, key)
        break
      case 'freeze': {
        const afterMs = await freezeBroadcast(deps, key, progress)
        if (afterMs > 0) return { end: 'wait', afterMs }
        break
      }
      case 'plan':
        await planChunk(deps, key, progress)
        break
      case 'redo':
        await redo(deps, key, progress)
        break
      case 'take_back':
        if (await takeBack(deps, key, progress)) break
        return (await isUnderWay(deps, key, progress)) ? { end: 'wait', afterMs: UNDER_WAY_MS } : { end: 'done' }
      default:
        assertNever(next)
    }
    if (deps.shouldYield()) return { end: 'more' }
  }
}

const inStep = <T>(deps: AdvanceDeps, { workspaceId }: BroadcastKey, work: (tx: Transaction) => Promise<T>) =>
  inTransaction(deps.pool, workspaceId, (tx) => work(withQueryTimeout(tx, STEP_TIMEOUT_MS)))

const streamOf = ({ workspaceId }: BroadcastKey, { streamId }: Progress): Stream => ({
  workspaceId,
  streamId: streamId!,
})

function unlessOvertaken(error: unknown): void {
  if (!(error instanceof Overtaken)) throw error
}

async function planChunk(deps: AdvanceDeps, key: BroadcastKey, progress: Progress): Promise<void> {
  const { id: broadcastId } = key
  const stream = streamOf(key, progress)
  const number = progress.nextChunk
  const planned = await inStep(deps, key, async (tx) => {
    const chunk = await chunkOf(tx, key, number)
    if (!chunk) return false
    const recipients = chunk.contactIds.split(',').map((contactId) => ({ contactId, dueAt: chunk.dueAt }))
    const source = { kind: 'broadcast', id: broadcastId } as const
    const plan = {
      ...stream,
      source,
      purpose: 'marketing',
      createdAt: progress.startedAt!,
      topicId: progress.topicId,
    } as const
    await planMessages(tx, plan, recipients)
    if (!(await markPlanned(tx, key, { number, size: recipients.length }))) throw new Overtaken()
    return true
  }).catch(unlessOvertaken)
  crashPoint('broadcast_planned')
  if (planned === undefined) return
  if (planned) await analyzeGrownLedger(deps.pool)
  // Also behind the last chunk: whoever planned it may have died without. Until that is done, planning is not over.
  await wake(deps, stream)
  if (!planned) await closePlanning(deps, key)
}

/** The stream may have run dry while the last chunks were planned, or never have had anything. */
async function closePlanning(deps: AdvanceDeps, key: BroadcastKey): Promise<void> {
  await inStep(deps, key, async (tx) => {
    await markAllPlanned(tx, key)
    await finishWhenDone(tx, key)
  })
}

/** False when nothing was left to be taken back. */
async function takeBack(deps: AdvanceDeps, key: BroadcastKey, progress: Progress): Promise<boolean> {
  return (await inStep(deps, key, (tx) => cancelStream(tx, streamOf(key, progress)))) > 0
}

/** Messages that a worker has come to their own end, or back into the queue: then they are taken back as well. */
function isUnderWay(deps: AdvanceDeps, key: BroadcastKey, progress: Progress): Promise<boolean> {
  return inStep(deps, key, (tx) => isAnyQueued(tx, streamOf(key, progress)))
}

async function wake(deps: AdvanceDeps, stream: Stream): Promise<void> {
  await inTransaction(deps.pool, stream.workspaceId, (tx) => wakeStream(tx, { ...stream, lanes: SLOTS.broadcast }))
}

const REDO: Readonly<Record<Redo, (tx: Transaction, at: Requeue) => Promise<Requeued>>> = {
  retry_failed: retryFailed,
  retry_uncertain: retryUncertain,
  accept_uncertain: acceptUncertain,
}

/** The stream is woken for a step by the next one: the last finds nothing to do, so no step is left without. */
async function redo(deps: AdvanceDeps, key: BroadcastKey, progress: Progress): Promise<void> {
  const stream = streamOf(key, progress)
  const { redo: kind, redoAfterId: afterId, startedAt } = progress
  if (afterId !== '0') await wake(deps, stream)
  await inStep(deps, key, async (tx) => {
    const at = { ...stream, broadcastId: key.id, startedAt: startedAt!, afterId }
    const { lastId } = await REDO[kind!](tx, at)
    if (!(await markRedone(tx, key, { redo: kind!, afterId, lastId }))) throw new Overtaken()
    if (lastId === null) await finishWhenDone(tx, key)
  }).catch(unlessOvertaken)
  crashPoint('broadcast_redone')
}
