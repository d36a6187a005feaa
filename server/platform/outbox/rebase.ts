import type pg from 'pg'
import type { Queryable } from '../db/transaction.ts'

/**
 * Whether the database is still in the cluster whose transaction ids the log is written in. False after a dump was
 * restored into a new cluster, or after pg_upgrade.
 */
export async function isSameCluster(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ same: boolean }>({
    name: 'outbox_same_cluster',
    text: 'select c.system_identifier = p.system_identifier as same from outbox_cluster c, pg_control_system() p',
  })
  return rows[0]?.same ?? true
}

/**
 * Makes the log's order hold in a new cluster. Its transaction ids start low again, so rows written from now on would
 * sort before the cursors and never be read. From here on an offset is added to every new id, so that all new rows sort
 * behind all old ones; cursors stay as they are. Writers wait on the lock meanwhile. Returns false if nothing was to do.
 */
export async function rebase(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('lock table outbox_cluster in exclusive mode')
    if (await isSameCluster(client)) {
      await client.query('commit')
      return false
    }
    await client.query('lock table outbox in access exclusive mode')
    // Counted from the oldest open transaction, which may yet write with the id it has.
    const { rows } = await client.query<{ offset: string }>(
      `select greatest(0, 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint + greatest(
         (select coalesce(max(tx), 0) from outbox), (select coalesce(max(tx), 0) from outbox_cursors))) as offset`,
    )
    const offset = BigInt(rows[0]?.offset ?? 0)
    await client.query(`update outbox_cluster set tx_offset = ${offset},
      system_identifier = (select system_identifier from pg_control_system())`)
    await addOffset(client)
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}

/** Has new ids counted from the offset that the database keeps, in the transaction of whoever has changed it. */
export async function addOffset(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ offset: string }>('select tx_offset::text as offset from outbox_cluster')
  const offset = BigInt(rows[0]?.offset ?? 0)
  await db.query(`create or replace function outbox_tx() returns bigint stable language sql
      return pg_current_xact_id()::text::bigint + ${offset};
    create or replace function outbox_horizon() returns bigint stable language sql
      return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ${offset}`)
}
