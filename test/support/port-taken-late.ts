import { once } from 'node:events'
import { createServer } from 'node:net'
import pg from 'pg'
import { until } from './instance.ts'
import { type Ended, spawnPostroom } from './postroom-process.ts'

const AT_WORK_WITHIN_MS = 120_000

/**
 * Starts the service and takes its port between its look at the settings and the end of its start, as another program may:
 * what comes before was done, and has to be undone or told later.
 */
export async function startWithPortTakenLate(settings: Record<string, string>, databaseUrl: string): Promise<Ended> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const other = createServer()
  try {
    await client.query('begin')
    await client.query('lock table workspaces in access exclusive mode')
    const started = spawnPostroom(['start'], { env: settings })
    await until('its first steps in the database', () => isWaitedFor(client), AT_WORK_WITHIN_MS)
    other.listen(Number(settings.PORT), settings.HOST)
    await once(other, 'listening')
    await client.query('rollback')
    return await started.ended
  } finally {
    await client.end()
    other.close()
  }
}

async function isWaitedFor(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ waits: boolean }>(
    `select exists (select from pg_locks join pg_database d on d.oid = database
       where d.datname = current_database() and relation = 'workspaces'::regclass and not granted) as waits`,
  )
  return rows[0]!.waits
}
