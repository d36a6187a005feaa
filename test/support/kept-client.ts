import pg from 'pg'
import { errorCode } from '../../server/platform/db/errors.ts'

/** Statements that leave nothing behind in their session; after another one it ends, so that none finds what it has set. */
const LEAVES_NOTHING = /^\s*(?:select|with|insert|update|delete)\b/i
const TERMINATED = '57P01'

type Sql = <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>

/**
 * Statements one by one, each committed by itself, over a connection that stays for the next one: a connection for each took 4 ms of
 * a processor here and as much in PostgreSQL. Those at the same time have connections of their own, so none waits for another. An idle one
 * ends with its database, and keeps nobody's process.
 */
export function keptClient(url: string): Sql {
  let idle: pg.Client | undefined

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: 'test-support' })
    client.on('error', () => {
      if (idle === client) idle = undefined
    })
    await client.connect()
    return client
  }

  async function run<R extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[]): Promise<R[]> {
    let stays = false
    try {
      const { rows } = await client.query<R>(text, values)
      stays = idle === undefined && LEAVES_NOTHING.test(text)
      return rows
    } finally {
      if (stays) idle = client
      if (stays) keepsRunning(client, false)
      else await client.end()
    }
  }

  return async (text, values = []) => {
    const kept = idle
    if (kept === undefined) return await run(await connect(), text, values)
    idle = undefined
    keepsRunning(kept, true)
    try {
      return await run(kept, text, values)
    } catch (error) {
      // Somebody has ended all connections meanwhile.
      if (errorCode(error) !== TERMINATED) throw error
      return await run(await connect(), text, values)
    }
  }
}

/** Whether the connection keeps Node running: not while idle, so that a file that forgets to drop its database ends too. */
export function keepsRunning(client: pg.Client, keeps: boolean): void {
  // Methods that the types of pg do not know.
  const socket = client as unknown as { ref(): void; unref(): void }
  if (keeps) socket.ref()
  else socket.unref()
}
