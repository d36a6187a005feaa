import type pg from 'pg'
import { deleteInSteps } from '../../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../../platform/db/transaction.ts'

/** Revisions are kept for so long, and the newest of each automation as long as that. */
export const REVISION_DAYS = 180

/** Deletes revisions that are too old: of up to 600,000 characters each, so in steps as short as others can wait. */
export async function forgetRevisions(pool: pg.Pool): Promise<void> {
  const where = `saved_at < now() - make_interval(days => $1) and exists (
    select from automation_revisions newer where newer.workspace_id = automation_revisions.workspace_id
      and newer.automation_id = automation_revisions.automation_id
      and newer.revision > automation_revisions.revision)`
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'automation_revisions', where, values: [REVISION_DAYS] })
}
