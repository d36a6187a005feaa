import { createHash } from 'node:crypto'
import pg from 'pg'
import { OWNER, readCredentials, superuserUrl } from '../../server/platform/postgres/credentials.ts'
import { acquireDataDirLock } from '../../server/platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { keepsRunning } from './kept-client.ts'
import { silentLog } from './silent-log.ts'
import { sharedDir } from './test-data-dir.ts'

/** The server that test databases are made in, and the ordinary role that owns them. */
export type TestServer = {
  superuserUrl: string
  owner: string
  ownerPassword: string
  /** Tells that this process needs the server no more. */
  leave(): Promise<void>
}

/** Held shared by every process that uses the shared server. */
const MEMBERS_LOCK = 7_465_002
const ROLE_LOCK = 7_465_003
/** Up to 132 were open at once, with four files side by side on a machine that did nothing else. */
const CONNECTIONS = 500
const FOREIGN_OWNER = 'postroom_test'

/**
 * The run's server (`POSTROOM_TEST_DATA_DIR`, set by `npm test`), the one of `TEST_DATABASE_URL` (its superuser), or, for a
 * file run by hand, one that such files share and the last of them stops.
 */
export async function joinTestServer(): Promise<TestServer> {
  const { TEST_DATABASE_URL: foreignUrl, POSTROOM_TEST_DATA_DIR: runDir } = process.env
  if (foreignUrl) return joinForeign(foreignUrl)
  return runDir ? { ...(await describe(runDir)), leave: async () => undefined } : joinShared(await sharedDir())
}

/**
 * Spares a server in memory that has a database for each test file: autovacuum, going through all of them in turns with their hundreds
 * of tables, took a fourth of the processor time of a run, and to compress pages of the log, of which each new database has many
 * written, a tenth of the server's. What the service needs to know of tables that grow it finds out by itself. From its next start
 * it has a connection for every pool of several files at once, of which one may be a fleet.
 */
export async function spareServer(dataDir: string): Promise<void> {
  const { superuserUrl: url } = await describe(dataDir)
  await withClient(url, async (client) => {
    await client.query('alter system set autovacuum = off')
    await client.query('alter system set wal_compression = off')
    await client.query(`alter system set max_connections = ${CONNECTIONS}`)
    await client.query('select pg_reload_conf()')
  })
}

async function describe(dataDir: string): Promise<Omit<TestServer, 'leave'>> {
  const credentials = await readCredentials(dataDir)
  if (credentials === undefined) throw new Error(`there is no test server in ${dataDir}`)
  return { superuserUrl: superuserUrl(credentials), owner: OWNER, ownerPassword: credentials.ownerPassword }
}

async function joinForeign(url: string): Promise<TestServer> {
  const ownerPassword = createHash('sha256').update(url).digest('base64url')
  await withClient(url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [ROLE_LOCK])
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [FOREIGN_OWNER])
    if (rowCount === 0) await client.query(`create role ${FOREIGN_OWNER} login password '${ownerPassword}'`)
  })
  return { superuserUrl: url, owner: FOREIGN_OWNER, ownerPassword, leave: async () => undefined }
}

/** Coming and going happen under the directory's lock, so that nobody stops the server while another one comes. */
async function joinShared(dataDir: string): Promise<TestServer> {
  const lock = await acquireDataDirLock(dataDir, { temporary: true })
  try {
    const server = await openEmbeddedPostgres({ dataDir, lock, log: silentLog })
    const described = await describe(dataDir)
    await spareServer(dataDir)
    const member = new pg.Client({ connectionString: described.superuserUrl, application_name: 'test-member' })
    member.on('error', () => undefined)
    await member.connect()
    await member.query('select pg_advisory_lock_shared($1)', [MEMBERS_LOCK])
    keepsRunning(member, false)
    await server.leave()
    return { ...described, leave: () => leaveShared(dataDir, member) }
  } finally {
    await lock.release()
  }
}

async function leaveShared(dataDir: string, member: pg.Client): Promise<void> {
  const lock = await acquireDataDirLock(dataDir, { temporary: true })
  try {
    const server = await openEmbeddedPostgres({ dataDir, lock, log: silentLog })
    keepsRunning(member, true)
    await member.query('select pg_advisory_unlock_shared($1)', [MEMBERS_LOCK])
    const { rows } = await member.query('select pg_try_advisory_lock($1) as alone', [MEMBERS_LOCK])
    if (rows[0].alone) await dropLeftovers(member)
    await member.end()
    await (rows[0].alone ? server.stop() : server.leave())
  } finally {
    await lock.release()
  }
}

/** Databases of test files that were killed. */
async function dropLeftovers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    String.raw`select datname as name from pg_database where datname like 'test\_%'`,
  )
  for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-support' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
