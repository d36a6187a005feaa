import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Longer than migrations of large tables take, which processes of a fleet and copies wait for. */
export const LOCK_WAIT_MS = 600_000
const LOOK_MS = 50

/**
 * Takes an advisory lock of the session by asking for it again and again, for one who waits in a statement holds a snapshot,
 * which an index that is made meanwhile would wait for. `text` is a call of a `pg_try_advisory_lock` function; `deadline` a
 * time of `performance.now()`. Returns whether it has the lock.
 */
export async function pollLock(
  client: pg.Client,
  { text, values }: { text: string; values: readonly unknown[] },
  deadline: number,
): Promise<boolean> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(`select ${text} as taken`, [...values])
    if (rows[0]!.taken) return true
    if (performance.now() > deadline) return false
    await sleep(LOOK_MS)
  }
}

/** The session that holds an advisory lock with a number as its name, for people. */
export async function lockHolder(client: pg.Client, name: number): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('process %s of PostgreSQL, %s from %s, since %s', a.pid, coalesce(nullif(a.application_name, ''), '?'),
       coalesce(host(a.client_addr), 'this machine'), to_char(coalesce(a.xact_start, a.state_change) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS UTC')) as holder
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.objid = $1::bigint::oid and l.database =
       (select oid from pg_database where datname = current_database()) limit 1`,
    [name],
  )
  return rows[0]?.holder ?? 'it has just ended, start again'
}
