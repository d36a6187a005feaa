import type pg from 'pg'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES } from '../../../platform/db/transaction.ts'

const ROWS_PER_STEP_MAX = 5_000
/** Much of what comes back does so in this time; what comes later is folded by a later run. */
const FOLDED_AFTER_HOURS = 48

/**
 * Makes one row of the shards of each hour that is past, so that a chart of a quarter reads thousands of rows and not tens
 * of thousands. A change that counts into a row that
 * is being folded waits, and finds or makes one.
 */
export async function foldMessageHours(pool: pg.Pool, isOver: () => boolean): Promise<void> {
  const size = new StepSize(ROWS_PER_STEP_MAX)
  for (let more = true; more && !isOver(); ) {
    more = await boundedStep(pool, ALL_WORKSPACES, {
      size,
      work: async (tx, rows) => {
        const { rowCount } = await tx.query({
          name: 'fold_message_hours',
          text: `with held as materialized (
              select workspace_id, about, hour, kind, shard from message_hours
              where shard > 0 and hour < now() - make_interval(hours => ${FOLDED_AFTER_HOURS})
              order by hour limit $1 for update skip locked
            ), taken as (
              delete from message_hours t using held h where t.workspace_id = h.workspace_id and t.about = h.about
                and t.hour = h.hour and t.kind = h.kind and t.shard = h.shard
              returning t.workspace_id, t.about, t.hour, t.kind, t.total
            )
            insert into message_hours as t (workspace_id, about, hour, kind, shard, total)
            select workspace_id, about, hour, kind, 0, sum(total) from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
            on conflict (workspace_id, about, hour, kind, shard) do update set total = t.total + excluded.total`,
          values: [rows],
        })
        return (rowCount ?? 0) > 0
      },
    })
  }
}
