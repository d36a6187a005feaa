import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'

const ROWS_PER_STEP_MAX = 5_000

/** Forgets names whose last event has left by age. */
export async function forgetActions(pool: pg.Pool, retentionDays: number): Promise<void> {
  const size = new StepSize(ROWS_PER_STEP_MAX)
  for (let more = true; more; ) {
    more = await boundedStep(pool, ALL_WORKSPACES, {
      size,
      work: async (tx, rows) => {
        const { rowCount } = await tx.query({
          name: 'forget_event_actions',
          text: `delete from event_actions where ctid = any (array(
            select ctid from event_actions where last_seen_at < now() - make_interval(days => $1) limit $2))`,
          values: [retentionDays, rows],
        })
        return rowCount === rows
      },
    })
  }
}
