import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'

/** Revisions are kept for so long, and the newest of each automation as long as that. */
export const REVISION_DAYS = 180
const BATCH_ROWS = 500

/** Deletes revisions that are too old, some hundreds at a time: the minute after has the rest. */
export async function forgetRevisions(pool: pg.Pool): Promise<void> {
  await queryInScope(pool, ALL_WORKSPACES, {
    name: 'forget_revisions',
    text: `with old as (
        select workspace_id, automation_id, revision from automation_revisions r
        where saved_at < now() - make_interval(days => ${REVISION_DAYS}) and exists (
          select from automation_revisions newer where newer.workspace_id = r.workspace_id
            and newer.automation_id = r.automation_id and newer.revision > r.revision)
        order by saved_at limit ${BATCH_ROWS}
      )
      delete from automation_revisions r using old
      where r.workspace_id = old.workspace_id and r.automation_id = old.automation_id and r.revision = old.revision`,
  })
}
