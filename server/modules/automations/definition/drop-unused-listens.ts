import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'

/**
 * Takes out what versions listen to in which nobody stands any more: nobody comes into a version that is not in force, so each
 * would only cost every event of its names a look. People stand where the sums say.
 */
export async function dropUnusedListens(pool: pg.Pool): Promise<void> {
  await queryInScope(pool, ALL_WORKSPACES, {
    name: 'drop_unused_listens',
    text: `delete from automation_listens l using (
        select o.workspace_id, o.automation_id, o.version from (
          select distinct workspace_id, automation_id, version from automation_listens) o
        join automations a on a.workspace_id = o.workspace_id and a.id = o.automation_id
        where o.version <> a.published_version and coalesce((
          select sum(case when t.kind = 'entered' then t.total else -t.total end) from node_totals t
          where t.workspace_id = o.workspace_id and t.automation_id = o.automation_id and t.version = o.version
            and t.node <> ''), 0) = 0) unused
      where l.workspace_id = unused.workspace_id and l.automation_id = unused.automation_id and l.version = unused.version`,
  })
}
