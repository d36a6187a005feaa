import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'

/**
 * Ends the runs of contacts that are being erased, and forgets of all their runs whose they were: where they went stays, and
 * so do the sums. The contacts are locked already.
 */
export async function forgetRuns(tx: Transaction, workspaceId: string, contactIds: readonly string[]): Promise<void> {
  const values = [workspaceId, int8Array(contactIds)]
  await Promise.all(STATEMENTS.map(([name, text]) => tx.query({ name, text, values })))
}

const STATEMENTS = [
  [
    'forget_seen_values',
    `update run_steps s set seen = null, event_id = null from (
        select id, created_at from runs where workspace_id = $1 and contact_id = any ($2::int8[])
        union all
        select id, created_at from ended_runs where workspace_id = $1 and contact_id = any ($2::int8[])) r
      where s.workspace_id = $1 and s.run_id = r.id and s.created_at = r.created_at`,
  ],
  [
    'forget_ended_runs',
    `update ended_runs set contact_id = null, entry_key = '', event_id = null where workspace_id = $1 and contact_id = any ($2::int8[])`,
  ],
  [
    'end_erased_runs',
    `with gone as (
        delete from runs where workspace_id = $1 and contact_id = any ($2::int8[]) returning *
      ), steps as (
        insert into run_steps (workspace_id, run_id, visit, created_at, automation_id, version, node, way, came_at, left_at)
        select workspace_id, id, visit, created_at, automation_id, version, node, 'exit:erased', at, at from gone
      )
      insert into ended_runs (workspace_id, id, created_at, automation_id, version, entry_key, entered_at, event_at, state, node,
        visit, ended_at, goal_at, goal_value)
      select workspace_id, id, created_at, automation_id, version, '', entered_at, event_at, 'erased', node, visit, at, goal_at,
        goal_value
      from gone`,
  ],
  ['forget_notices', 'delete from automation_notice_people where workspace_id = $1 and contact_id = any ($2::int8[])'],
  ['forget_enrollments', 'delete from enrollments where workspace_id = $1 and contact_id = any ($2::int8[])'],
  [
    'forget_run_queue',
    `delete from run_queue q using automations a
      where a.workspace_id = $1 and q.workspace_id = $1 and q.automation_id = a.id and q.contact_id = any ($2::int8[])`,
  ],
] as const
