import type pg from 'pg'
import { SQLSTATE } from './sqlstates.ts'
import { requireRoom } from './write-room.ts'

/**
 * Resolves when the database answers through the pool `sql` and takes writes: neither a session that can only read nor a disk
 * that a write of either pool found full. Closes the connection when its session can only read.
 */
export async function pingForWrites(pools: { sql: pg.Pool; pgx: pg.Pool }): Promise<void> {
  const client = await pools.sql.connect()
  let broken: Error | undefined
  try {
    const { rows } = await client.query<{ readOnly: boolean }>({
      name: 'ping',
      text: `select current_setting('transaction_read_only')::boolean as "readOnly"`,
    })
    if (rows[0]?.readOnly)
      throw Object.assign(new Error('its session only reads'), { code: SQLSTATE.readOnlyTransaction })
    await requireRoom(client, [pools.sql, pools.pgx])
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}
