import type pg from 'pg'
import { int8Array, textArray } from '../db/arrays.ts'
import { deleteInSteps } from '../db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../db/transaction.ts'
import type { Use } from './limiter.ts'

const FORGET_AFTER_MINUTES = 10

/**
 * Adds what a process let through in a minute, of all its subjects in one statement, and answers the sums of the fleet.
 * In one order everywhere, so that two processes never wait for each other's rows.
 */
export async function shareRateCounts(sql: pg.Pool, minute: number, uses: readonly Use[]): Promise<Use[]> {
  const { rows } = await sql.query<{ subject: string; used: string }>({
    name: 'share-rate-counts',
    text: `insert into rate_counts as r (subject, minute, used)
           select subject, $1, used from unnest($2::text[], $3::int8[]) as u (subject, used) order by subject
           on conflict (subject) do update set
             used = case when r.minute > excluded.minute then r.used
               when r.minute = excluded.minute then r.used + excluded.used else excluded.used end,
             minute = greatest(r.minute, excluded.minute)
           returning subject, case when minute = $1 then used else 0 end as used`,
    values: [minute, textArray(uses.map(({ subject }) => subject)), int8Array(uses.map(({ used }) => String(used)))],
  })
  return rows.map(({ subject, used }) => ({ subject, used: Number(used) }))
}

/** Deletes the counts of minutes that are over. */
export async function deleteOldRateCounts(sql: pg.Pool): Promise<void> {
  await deleteInSteps(sql, ALL_WORKSPACES, {
    from: 'rate_counts',
    where: 'minute < extract(epoch from now()) / 60 - $1',
    values: [FORGET_AFTER_MINUTES],
  })
}
