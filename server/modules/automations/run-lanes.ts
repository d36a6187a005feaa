import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { defineLanes, type Turn } from '../../platform/lanes/lane-tables.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'

/** The lanes of an automation: the people in it, by the slot of each (entry/slots.ts, docs/adr/0015). */
export type RunLane = { workspaceId: string; automationId: string; slot: number }
export type RunTurn = Turn<RunLane, Record<never, never>>

export const ADVANCE_RUNS = jobKind<RunLane>({
  kind: 'advance_runs',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/** A claim and all that it brings about are one transaction: nothing is ever marked as claimed, and nothing goes back. */
export const RUN_LANES = defineLanes<RunLane, Record<never, never>, { runId: string }>({
  name: 'run',
  lanes: 'automation_lanes',
  key: { workspaceId: 'workspace_id', automationId: 'automation_id', slot: 'slot' },
  // Of a stopped automation those inside have to leave.
  isOpen: 'true',
  told: {},
  queue: {
    table: 'run_queue',
    sharedBy: ['workspaceId', 'automationId', 'slot'],
    back: 'looks = q.looks',
    backTold: { runId: 'q.run_id' },
  },
  onBack: async () => undefined,
  jobOf: () => ({ kind: ADVANCE_RUNS }),
})

/** Sees to it that what was put into the queue has a turn coming: called in the transaction that puts it there. */
export async function wakeRuns(tx: Transaction, lanes: readonly RunLane[]): Promise<void> {
  const distinct = new Map(lanes.map((lane) => [`${lane.automationId}/${lane.slot}`, lane]))
  // In one order, as every other waker.
  const sorted = [...distinct.values()].sort(
    (one, other) => Number(BigInt(one.automationId) - BigInt(other.automationId)) || one.slot - other.slot,
  )
  await wakeLanes(tx, RUN_LANES, sorted)
}
