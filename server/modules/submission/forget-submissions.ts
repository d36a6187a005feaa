import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { KNOWN_HOURS } from './take-in-submission.ts'

const DELETED_AT_ONCE = 5_000

/** Deletes the names of mails that are old enough to be handed over as new ones; ends early when `stopping`. */
export async function forgetSubmissions(sql: pg.Pool, stopping: AbortSignal): Promise<void> {
  let deleted = DELETED_AT_ONCE
  while (!stopping.aborted && deleted === DELETED_AT_ONCE) {
    const [row] = await queryInScope<{ deleted: string }>(sql, ALL_WORKSPACES, {
      name: 'forget_submissions',
      text: `with gone as (
          delete from submission_keys where ctid = any (array(
            select ctid from submission_keys where created_at < now() - make_interval(hours => $1)
            order by created_at limit $2 for update skip locked))
          returning 1)
        select count(*) as deleted from gone`,
      values: [KNOWN_HOURS, DELETED_AT_ONCE],
    })
    deleted = Number(row?.deleted ?? 0)
  }
}
