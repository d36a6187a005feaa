import type pg from 'pg'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES } from '../../../platform/db/transaction.ts'

const ROWS_PER_STEP_MAX = 5_000
/** Days that are kept each for itself: as many as the longest span that counts are asked for has, and one. */
const NODE_DAYS_KEPT = 32
/** Changes that come later, as when somebody reaches the goal, are folded by a later run. */
const QUARTERS_FOLDED_AFTER_HOURS = 48

const nodeHours = (table: 'node_hours' | 'node_mails', which: string, into: string) => `with held as materialized (
    select ctid from ${table} where ${which} order by hour limit $1 for update skip locked
  ), taken as (
    delete from ${table} where ctid = any (array(select ctid from held))
    returning workspace_id, automation_id, ${into} as day, version, node, kind, total
  )
  insert into ${table} as h (workspace_id, automation_id, hour, version, node, kind, shard, total)
  select workspace_id, automation_id, day, version, node, kind, 0, sum(total) from taken
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (workspace_id, automation_id, hour, version, node, kind, shard) do update set total = h.total + excluded.total`

const foldsOf = (table: 'node_hours' | 'node_mails', name: 'node' | 'mail') => [
  {
    name: `fold_${name}_hours`,
    text: nodeHours(
      table,
      `shard > 0 and hour < date_trunc('day', now(), 'UTC') - interval '1 day'`,
      `date_trunc('day', hour, 'UTC')`,
    ),
  },
  {
    name: `fold_${name}_days`,
    text: nodeHours(
      table,
      `shard = 0 and hour > '-infinity' and hour < date_trunc('day', now(), 'UTC') - interval '${NODE_DAYS_KEPT} days'`,
      `timestamptz '-infinity'`,
    ),
  },
]

const FOLDS = [
  ...foldsOf('node_hours', 'node'),
  ...foldsOf('node_mails', 'mail'),
  {
    name: 'fold_entry_quarters',
    text: `with held as materialized (
        select ctid from entry_quarters where shard > 0 and quarter < now() - make_interval(hours => ${QUARTERS_FOLDED_AFTER_HOURS})
        order by quarter limit $1 for update skip locked
      ), taken as (
        delete from entry_quarters where ctid = any (array(select ctid from held)) returning *
      )
      insert into entry_quarters as q (workspace_id, automation_id, quarter, version, shard, entered, goals, value, held_out)
      select workspace_id, automation_id, quarter, version, 0, sum(entered), sum(goals), sum(value), sum(held_out) from taken
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (workspace_id, automation_id, quarter, version, shard) do update set entered = q.entered + excluded.entered,
        goals = q.goals + excluded.goals, value = q.value + excluded.value, held_out = q.held_out + excluded.held_out`,
  },
]

/**
 * Makes one row of the shards and hours of each day before yesterday, and one of all days that are older than NODE_DAYS_KEPT: so a
 * node has some dozens of rows, however long it lives. Each step is one statement, so that the sum of a node's rows is that of its
 * totals at every moment, and so with the quarters of entries, whose shards become one. Nobody writes into a day that is past, but late: then the next look
 * folds it, as it does a row that was changed since the step began, which has another place by then.
 */
export async function foldSums(pool: pg.Pool, isOver: () => boolean): Promise<void> {
  const size = new StepSize(ROWS_PER_STEP_MAX)
  for (const fold of FOLDS) {
    for (let more = true; more && !isOver(); ) {
      more = await boundedStep(pool, ALL_WORKSPACES, {
        size,
        work: async (tx, rows) => ((await tx.query({ ...fold, values: [rows] })).rowCount ?? 0) > 0,
      })
    }
  }
}
