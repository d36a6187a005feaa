import { int8Array } from '../db/arrays.ts'
import type { Transaction } from '../db/transaction.ts'
import { enqueue } from '../jobs/enqueue.ts'
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
  await enqueue(
    tx,
    called.map((lane) => ({
      id: lane.jobId,
      ...lanes.jobOf(lane),
      payload: Object.fromEntries(lanes.fields.map((field) => [field, lane[field]])),
      groupKey: lane.workspaceId,
      ...(lane.runAt === undefined ? {} : { runAt: lane.runAt }),
    })),
  )
}
