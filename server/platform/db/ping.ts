import type pg from 'pg'
import { SQLSTATE } from './sqlstates.ts'

/** Resolves when the database answers and takes writes. Closes the connection when its session can only read. */
export async function pingForWrites(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const { rows } = await client.query<{ readOnly: boolean }>({
      name: 'ping',
      text: `select current_setting('transaction_read_only')::boolean as "readOnly"`,
    })
    if (rows[0]?.readOnly)
      throw Object.assign(new Error('the database takes no writes'), { code: SQLSTATE.readOnlyTransaction })
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}
