import type pg from 'pg'

/**
 * Resolves once every commit that a statement has seen until now is as safe as a commit of our own would be. A commit that
 * waits for a synchronous standby is seen by others when its wait is cut short, by its session's end, a cancelled statement
 * or a crash of the primary, and a failover then loses it. An answer by what was seen, with nothing written, waits
 * here: a record in the WAL after all of them, and a commit that waits for it. Where no standby is waited for, a commit is
 * on disk before it is seen, and this is a look at a setting.
 */
export async function awaitCommitsSeen(pool: pg.Pool, withinMs: number): Promise<void> {
  await pool.query({
    name: 'await_commits_seen',
    text: `select pg_logical_emit_message(true, 'postroom', '') where current_setting('synchronous_standby_names') <> ''`,
    query_timeout: withinMs,
  } as pg.QueryConfig)
}
