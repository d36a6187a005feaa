import { int8Array } from '../db/arrays.ts'
import type { Transaction } from '../db/transaction.ts'
import { enqueueAll } from '../jobs/enqueue.ts'
import type { LaneKey, Lanes } from './lane-tables.ts'
import { tellRunning } from './running-turns.ts'

/**
 * Sees to it that each lane has a turn coming now: called in the transaction that makes work due. One that has its turn
 * already is only held, a closed one stays as it is; a turn that runs in this process is told after the commit.
 */
export async function wakeLanes<L extends LaneKey, T, B>(
  tx: Transaction,
  lanes: Lanes<L, T, B>,
  wanted: readonly L[],
): Promise<void> {
  if (wanted.length === 0) return
  const values = lanes.fields.map((field) => int8Array(wanted.map((lane) => String(lane[field]))))
  // Two statements, sent together: what the second one sees, it sees after the first has waited for a turn to end.
  const [, { rows }] = await Promise.all([
    tx.query({ ...lanes.statements.hold, values }),
    tx.query<L & T & { jobId: string }>({ ...lanes.statements.wake, values }),
  ])
  if (rows.length > 0) await callTurns(tx, lanes, rows)
  tx.afterCommit(() => tellRunning(lanes, wanted))
}

/** Puts the one job of each of these lanes into its queue; `runAt` (RFC 3339) is now when absent. */
export async function callTurns<L extends LaneKey, T, B>(
  tx: Transaction,
  lanes: Lanes<L, T, B>,
  called: readonly (L & T & { jobId: string; runAt?: string })[],
): Promise<void> {
  const jobs = called.map((lane) => {
    const { kind, priority } = lanes.jobOf(lane)
    return { kind, job: { id: lane.jobId, payload: keyOf(lanes, lane), runAt: lane.runAt, priority } }
  })
  const byKind = Map.groupBy(jobs, ({ kind }) => kind)
  for (const [kind, of] of byKind) {
    await enqueueAll(
      tx,
      kind,
      of.map(({ job }) => job),
    )
  }
}

/** A lane's key and nothing else of it. */
function keyOf<L extends LaneKey, T, B>({ fields }: Lanes<L, T, B>, lane: L): L {
  const key = {} as L
  for (const field of fields) key[field] = lane[field]
  return key
}
