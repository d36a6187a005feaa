import type { Transaction } from '../../platform/db/transaction.ts'
import type { Source } from './message-source.ts'

/**
 * The lanes of a stream: places from which its messages are sent, one job each, so that several processes share a stream
 * and none of them more of it than its lanes. The protocol is that of webhook lanes (modules/webhooks/lanes.ts): whoever
 * queues messages holds the lane's row while looking at its state, a turn that finds nothing left takes the row for
 * itself before it looks a last time; a lane names its one job; each turn raises `turn`, and what was claimed or answered
 * under an older one counts no more.
 *
 * Who queues takes the weakest lock: many may at once, and only the one that wakes the lane is waited for.
 *
 * Locks are taken in one order: lane, queue, ledger with its totals, allowance. A claim has the allowance before it comes
 * to the queue, so it passes over rows that others have, and leaves the ledger to a transaction after it. What puts single
 * messages into the queue wakes their lane last: no turn can want rows that are not in the queue yet, and they are in no
 * totals. A broadcast's are planned or put back in one transaction, and its lanes woken in the next.
 */
export type Stream = { workspaceId: string; streamId: string }
export type Lane = Stream & { slot: number }

/** Whose messages a stream has: a source's, or all single mail of the workspace. */
export type StreamKind = Source['kind'] | 'email'

/** A job to run a lane's turn, with the id that the lane names. */
export type TurnJob = Lane & { jobId: string; sourceKind: StreamKind; runAt?: string }

export type LaneDeps = {
  /** Puts turn jobs into the job queue, in the caller's transaction. */
  enqueueTurns(tx: Transaction, jobs: readonly TurnJob[]): Promise<void>
  /** Tells the running turns of this process to look again. */
  tellTurns(): void
}

/** Places of a stream. One process is busy with two or three; a fleet shares out the rest. */
export const SLOTS = { broadcast: 4, automation: 4, email: 2 } as const

/**
 * Sees to it that `lanes` of the stream have a turn coming now: called in the transaction that queues messages. Turns that
 * run in this process are told after its commit.
 */
export async function wakeStream(tx: Transaction, deps: LaneDeps, stream: Stream & { lanes: number }): Promise<void> {
  const values = [stream.workspaceId, stream.streamId, stream.lanes]
  // Two statements, sent together: what the second one sees, it sees after the first has waited for a turn to end.
  const [, { rows }] = await Promise.all([
    tx.query({
      name: 'hold_send_lanes',
      text: `select from send_lanes where workspace_id = $1 and stream_id = $2 and slot < $3::int
        order by slot for key share`,
      values,
    }),
    tx.query<TurnJob>({
      name: 'wake_send_lanes',
      text: `update send_lanes l set state = 'waiting', job_id = gen_random_uuid(), wake_at = now()
        from send_streams s
        where l.workspace_id = $1 and l.stream_id = $2 and l.slot < $3::int
          and s.workspace_id = l.workspace_id and s.id = l.stream_id and s.state = 'open'
          and (l.state = 'idle' or (l.state = 'waiting' and l.wake_at > now()))
        returning l.workspace_id as "workspaceId", l.stream_id as "streamId", l.slot, l.job_id as "jobId",
          s.source_kind as "sourceKind"`,
      values,
    }),
  ])
  tx.afterCommit(deps.tellTurns)
  if (rows.length > 0) await deps.enqueueTurns(tx, rows)
}
