import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../../platform/db/transaction.ts'
import { enqueueAll } from '../../../platform/jobs/enqueue.ts'
import { SWEEP_TRIGGER, type SweepKey } from './sweep-trigger.ts'

/** How often it is looked whether a trigger is due: a moment is taken up within so long. */
export const SWEEP_EVERY_SECONDS = 15
/** How soon a trigger that is asked for is asked for again, if its job comes to nothing. */
const ASK_AGAIN_SECONDS = 300
/** Sweeps that one round asks for; whatever is due beyond comes with the next. */
const ROUND_MAX = 1_000

/** The schedule `sweep_triggers`: has each date and schedule looked after whose moment may have come. */
export async function askForSweeps(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    const { rows } = await tx.query<SweepKey>({
      name: 'due_automation_sweeps',
      text: `with due as (
          select workspace_id, automation_id, spec from automation_sweeps where next_check_at <= postroom_clock()
          order by next_check_at limit ${ROUND_MAX} for update skip locked
        )
        update automation_sweeps s set next_check_at = postroom_clock() + make_interval(secs => ${ASK_AGAIN_SECONDS})
        from due where s.workspace_id = due.workspace_id and s.automation_id = due.automation_id and s.spec = due.spec
        returning s.workspace_id as "workspaceId", s.automation_id as "automationId", s.spec`,
    })
    const sweeps = rows.map((payload) => ({ payload }))
    if (sweeps.length > 0) await enqueueAll(tx, SWEEP_TRIGGER, sweeps)
  })
}
