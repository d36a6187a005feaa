import type pg from 'pg'
import { queryInScope } from '../../../platform/db/transaction.ts'
import type { Actor } from '../../audit/record-audit.ts'
import type { AutomationKey } from './queries.ts'

/** The kind of actor that has written the scenarios of an automation last; undefined where the audit log does not know. */
export async function scenariosChangedBy(
  pool: pg.Pool,
  { workspaceId, id }: AutomationKey,
): Promise<Actor['kind'] | undefined> {
  const [row] = await queryInScope<{ kind: Actor['kind'] }>(pool, workspaceId, {
    name: 'scenarios_changed_by',
    text: `select actor_kind as kind from audit_entries
      where workspace_id = $1 and target_type = 'automation' and target_id = $2 and diff ? 'scenarios'
      order by id desc limit 1`,
    values: [workspaceId, id],
  })
  return row?.kind
}
