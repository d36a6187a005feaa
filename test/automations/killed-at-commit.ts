import assert from 'node:assert/strict'
import type pg from 'pg'

/**
 * Has the commit of whoever changes runs or their queue fail where their connection is to be killed: who is parked when an automation is
 * stopped has nothing in the queue.
 */
export const KILLS = `create function kill_at_commit() returns trigger language plpgsql as $$ begin
    raise exception 'killed';
  end $$;
  ${['run_queue', 'runs'].map(killing).join('\n')}`

function killing(table: string): string {
  return `create constraint trigger kill_at_commit after insert or update or delete on ${table} deferrable initially deferred for each row
    when (current_setting('postroom.killed', true) = 'on') execute function kill_at_commit();`
}

/** Does work on the connection of a pool that is lost in the last moment, as when its process is killed: nothing of it may be left anywhere. */
export async function killedAtCommit(pool: pg.Pool, work: () => Promise<unknown>): Promise<void> {
  await pool.query(`select set_config('postroom.killed', 'on', false)`)
  await assert.rejects(work(), /killed/)
  await pool.query(`select set_config('postroom.killed', '', false)`)
}
