import type pg from 'pg'

/**
 * Ends the claims of every process: their jobs are given back when they are next looked for (5 s), not when their
 * heartbeat has run out (15 s). For a start that knows to be alone, with a database that nobody else may start.
 */
export async function expireClaims(pool: pg.Pool): Promise<void> {
  await pool.query(`update jobs.job_common set heartbeat_on = 'epoch' where state = 'active'`)
}
