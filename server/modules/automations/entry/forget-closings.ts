import type pg from 'pg'
import { deleteInSteps } from '../../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../../platform/db/transaction.ts'
import { areParkedUpTo } from '../../../platform/outbox/parked.ts'

/** No wait within an automation is longer, and nothing that is read of the log is as old. */
const CLOSING_DAYS = 400

/**
 * Deletes times at which an entry was closed that nobody can be judged by any more: neither somebody who has waited since then for the end
 * of a pause, nor an event that is parked. The one before an entry was first open has no moment, and stays.
 */
export async function forgetClosings(pool: pg.Pool): Promise<void> {
  const where = `to_at > '-infinity' and to_at < now() - make_interval(days => $1)
    and exists (select from automations a where a.workspace_id = automation_closings.workspace_id
      and a.id = automation_closings.automation_id and a.paused_at is null)
    and not ${areParkedUpTo('automation_closings.to_tx')}`
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'automation_closings', where, values: [CLOSING_DAYS] })
}
