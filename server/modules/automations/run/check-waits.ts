import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../../platform/db/transaction.ts'
import { enqueueAll } from '../../../platform/jobs/enqueue.ts'
import { CHECK_WAITS_OF_AUTOMATION, type WaitsKey } from './check-waits-of-automation.ts'

/** How often those who wait for what no event tells are asked at the most. */
export const CHECK_EVERY_SECONDS = 15
/** How soon an automation that is asked for is asked for again, if its job comes to nothing. */
const ASK_AGAIN_SECONDS = 300
/** Automations that one round asks for; whatever is due beyond comes with the next. */
const ROUND_MAX = 1_000

/** The schedule `check_waits`: has those asked in each automation who wait for what no event tells. */
export async function askForChecks(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const { rows } = await tx.query<WaitsKey>({
      name: 'due_automation_waits',
      text: `with due as (
          select workspace_id, automation_id from automation_waits where next_check_at <= now()
          order by next_check_at limit ${ROUND_MAX} for update skip locked
        )
        update automation_waits w set next_check_at = now() + make_interval(secs => ${ASK_AGAIN_SECONDS})
        from due where w.workspace_id = due.workspace_id and w.automation_id = due.automation_id
        returning w.workspace_id as "workspaceId", w.automation_id as "automationId"`,
    })
    const checks = rows.map((payload) => ({ payload }))
    if (checks.length > 0) await enqueueAll(tx, CHECK_WAITS_OF_AUTOMATION, checks)
  })
}
