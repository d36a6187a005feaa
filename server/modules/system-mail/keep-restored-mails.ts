import type pg from 'pg'

/** Keeps for the operator what was waiting when the installation was held: it may have been sent after the backup. */
export async function keepRestoredMails(pool: pg.Pool, heldSince: string): Promise<number> {
  const { rowCount } = await pool.query(
    `update system_mails set state = 'kept', error = 'the database was restored: it may have been sent', settled_at = now()
     where state = 'waiting' and created_at <= $1`,
    [heldSince],
  )
  return rowCount ?? 0
}
