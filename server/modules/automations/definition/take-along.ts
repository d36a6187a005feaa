import { textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import type { Moving } from './places.ts'
import type { AutomationKey } from './queries.ts'

/** A move of people into a version. */
export type MoveKey = { workspaceId: string; automationId: string; number: number }

export const PLACE_RUNS = jobKind<MoveKey>({
  kind: 'place_runs',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/** Has those who an earlier publishing would take along, and has not yet, stay where they are. */
export async function revokeMoves(tx: Transaction, { workspaceId, id }: AutomationKey): Promise<void> {
  await tx.query({
    name: 'revoke_automation_moves',
    text: `update automation_moves set state = 'revoked' where workspace_id = $1 and automation_id = $2 and state <> 'revoked'`,
    values: [workspaceId, id],
  })
}

/**
 * Notes that those inside older versions come into one, or leave, as of now by the clock of automations; the job `place_runs`
 * and their own turns do it. The automation is locked.
 */
export async function takeAlong(
  tx: Transaction,
  { workspaceId, id, version }: AutomationKey & { version: number },
  { inside, map, nodes }: Moving,
): Promise<MoveKey> {
  const { rows } = await tx.query<{ number: number }>({
    name: 'add_automation_move',
    text: `insert into automation_moves (workspace_id, automation_id, number, version, inside, map, nodes, published_at,
        last_run_id)
      select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5::jsonb, $6::text[], postroom_clock(), (
        select coalesce(max(id), 0) from runs where workspace_id = $1 and automation_id = $2)
      from automation_moves where workspace_id = $1 and automation_id = $2 returning number`,
    values: [workspaceId, id, version, inside, JSON.stringify(map), nodes === null ? null : textArray(nodes)],
  })
  return { workspaceId, automationId: id, number: rows[0]!.number }
}
