import { wrongStatus } from '../../../catalogue/problems.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { emitEvents } from '../../domain-events/emit-events.ts'
import { totalsOf } from '../../sending/ledger/read-totals.ts'
import { type StreamState, setStreamState } from '../../sending/streams.ts'
import { type BroadcastDeps, enqueueAdvance } from '../broadcast-deps.ts'
import { summaryOf } from '../broadcast-of.ts'
import { requireStatus } from '../broadcast-status.ts'
import { type BroadcastKey, type BroadcastState, broadcastState, type Redo } from '../queries.ts'
import type { BroadcastStatus, BroadcastSummary } from '../schemas.ts'
import { broadcastEvent } from './broadcast-events.ts'
import { changeUnmoved, lockSeen } from './change-unmoved.ts'
import { markNobody, markRedo, moveStatus } from './progress-queries.ts'
import { entryOf } from './start-broadcast.ts'

/** Lets nothing more of it go out; what is being handed over right now comes to its end. Throws 404, 409. */
export async function pauseBroadcast(deps: BroadcastDeps, caller: Caller, id: string): Promise<BroadcastSummary> {
  return steer(deps, caller, { id, verb: 'pause', from: ['sending'], to: 'paused' })
}

/** Goes on where it was paused. Throws 404, 409. */
export async function resumeBroadcast(deps: BroadcastDeps, caller: Caller, id: string): Promise<BroadcastSummary> {
  return steer(deps, caller, { id, verb: 'resume', from: ['paused'], to: 'sending' })
}

/** Gives it up: whoever was not written to yet is skipped. Throws 404, 409. */
export async function cancelBroadcast(deps: BroadcastDeps, caller: Caller, id: string): Promise<BroadcastSummary> {
  const from = ['scheduled', 'sending', 'paused'] as const
  return steer(deps, caller, { id, verb: 'cancel', from, to: 'canceled' })
}

/** How the stream of a broadcast stands that comes to a status by somebody's hand. */
const STREAM_STATES = { sending: 'open', paused: 'paused', canceled: 'canceled' } as const satisfies Partial<
  Record<BroadcastStatus, StreamState>
>

type Steering = {
  id: string
  verb: 'pause' | 'resume' | 'cancel'
  from: readonly BroadcastStatus[]
  to: keyof typeof STREAM_STATES
}

async function steer(deps: BroadcastDeps, caller: Caller, steering: Steering): Promise<BroadcastSummary> {
  const { workspaceId } = caller
  const { id, verb, from, to } = steering
  const key = { workspaceId, id }
  const done = await changeUnmoved(deps, key, async (tx, seen) => {
    requireStatus(seen, from, DONE[verb])
    const before = await lockWithStream(tx, key, { seen, to })
    await moveStatus(tx, key, { from, to })
    if (to === 'canceled') {
      if (before.streamId !== null) await markNobody(tx, key)
      await emitEvents(tx, workspaceId, [broadcastEvent('broadcast.finished', key, { ...before, status: to })])
    }
    await enqueueAdvance(tx, key)
    await recordAudit(tx, caller, entryOf(verb, before, to))
    return broadcastState(tx, key)
  })
  return summaryOf(done!)
}

const DONE = { pause: 'is paused', resume: 'is resumed', cancel: 'is canceled' } as const

/** Has the stream stand as the status asks for that the broadcast is to come to, and locks the row. */
async function lockWithStream(
  tx: Transaction,
  key: BroadcastKey,
  { seen, to }: { seen: BroadcastState; to: keyof typeof STREAM_STATES },
): Promise<BroadcastState> {
  const { workspaceId } = key
  if (seen.streamId !== null) {
    await setStreamState(tx, { workspaceId, streamId: seen.streamId, state: STREAM_STATES[to] })
  }
  return lockSeen(tx, key, seen)
}

/** Sends its failed messages again, and no others. Throws 404, 409 when none failed or it was given up. */
export async function retryFailedMessages(deps: BroadcastDeps, caller: Caller, id: string): Promise<BroadcastSummary> {
  return redo(deps, caller, { id, redo: 'retry_failed', verb: 'retry_failed', of: 'failed' })
}

/**
 * Decides what is to be taken of messages whose fate nobody knows: that they were sent, or that they go out again, which
 * may have some arrive twice. Throws 404, 409 when there are none.
 */
export async function resolveUncertain(
  deps: BroadcastDeps,
  caller: Caller,
  { id, as }: { id: string; as: 'sent' | 'retry' },
): Promise<BroadcastSummary> {
  const kind = as === 'sent' ? 'accept_uncertain' : 'retry_uncertain'
  return redo(deps, caller, { id, redo: kind, verb: 'resolve_uncertain', of: 'uncertain' })
}

type Redoing = { id: string; redo: Redo; verb: string; of: 'failed' | 'uncertain' }

async function redo(deps: BroadcastDeps, caller: Caller, { id, redo: kind, verb, of }: Redoing) {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  const isSentAgain = kind !== 'accept_uncertain'
  const done = await changeUnmoved(deps, key, async (tx, seen) => {
    const allowed = ['sending', 'paused', 'sent'] as const
    requireStatus(seen, isSentAgain ? allowed : [...allowed, 'canceled'], 'has messages to decide on')
    // One that ended while it was paused has left its stream closed.
    const reopens = isSentAgain && seen.status === 'sent'
    const before = reopens ? await lockWithStream(tx, key, { seen, to: 'sending' }) : await lockSeen(tx, key, seen)
    if (before.redo !== null) throw wrongStatus('What was asked for before is still being done: wait for it.')
    const totals = (await totalsOf(tx, workspaceId, [id])).get(id)!
    if (totals.states[of] === 0) throw wrongStatus(`None of its messages is ${of}.`)
    await markRedo(tx, key, kind)
    if (reopens) await moveStatus(tx, key, { from: ['sent'], to: 'sending' })
    await enqueueAdvance(tx, key)
    const to = reopens ? 'sending' : before.status
    const entry = entryOf(verb, before, to)
    await recordAudit(tx, caller, { ...entry, diff: { ...entry.diff, redo: { from: null, to: kind } } })
    return broadcastState(tx, key)
  })
  return summaryOf(done!)
}
