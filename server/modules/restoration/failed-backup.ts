import type { Queryable } from '../../platform/db/transaction.ts'

export type FailedBackup = { endedAt: string; error: string }

/**
 * The night's backup that failed last, while none was taken since, by whomever, and one is still to be taken every night; undefined
 * otherwise. One that a person asked for they see fail.
 */
export async function readFailedBackup(db: Queryable): Promise<FailedBackup | undefined> {
  const { rows } = await db.query<FailedBackup>({
    name: 'read_failed_backup',
    text: `select b.ended_at as "endedAt", b.error from backups b, installation i, backup_schedule s
      where b.state = 'failed' and b.asked_by is null and s.hour is not null
        and coalesce(i.backed_up_at < b.ended_at, true)
      order by b.id desc limit 1`,
  })
  return rows[0]
}
