import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { errorCode } from '../../server/platform/db/errors.ts'
import { readMigrations } from '../../server/platform/db/migrate.ts'
import { MEMORY_DISK } from './test-data-dir.ts'
import { joinTestServer, type TestServer, withClient } from './test-server.ts'

export type TestDatabase = {
  name: string
  /** For its owner, an ordinary role that row-level security holds. */
  url: string
  /** For a superuser, in the same database: to look past row-level security, to end connections. */
  superuserUrl: string
  /** Drops the database with the connections still open to it. */
  drop(): Promise<void>
}

/** Taken while a template is made, so that test files that begin together make it once. */
const TEMPLATE_LOCK = 7_465_004

let server: Promise<TestServer> | undefined
let open = 0

/**
 * A database of its own for a test file: a clone of one in which all migrations have run, those of the job queue too, and that has
 * the partitions of these months, or an empty one.
 * Call `drop` in the file's `after`.
 */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  open++
  server ??= joinTestServer()
  const { superuserUrl, owner, ownerPassword } = await server
  const name = `test_${process.pid}_${randomBytes(5).toString('hex')}`
  await withClient(superuserUrl, async (client) => {
    const strategy = await cloneStrategy(client)
    const create = (template: string) =>
      client.query(`create database ${name} template ${template} owner ${owner} strategy ${strategy}`)
    if (!migrated) return await create('template1')
    const template = await ensureTemplate(client)
    return await create(template).catch(async (error) => {
      // Somebody with newer migrations has just cleared it away.
      if (errorCode(error) !== '3D000') throw error
      return await create(await ensureTemplate(client))
    })
  })
  return {
    name,
    url: urlOf(superuserUrl, name, { username: owner, password: ownerPassword }),
    superuserUrl: urlOf(superuserUrl, name),
    drop: () => drop(name),
  }
}

async function drop(name: string): Promise<void> {
  const joined = await (server as Promise<TestServer>)
  await withClient(joined.superuserUrl, (client) => client.query(`drop database if exists ${name} with (force)`))
  open--
  if (open > 0) return
  server = undefined
  await joined.leave()
}

/**
 * In memory files are copied as they are, which takes a quarter of the processor time of copying through the log of changes (50 ms
 * instead of 215). On a disk each of the nine hundred would have to be written out first.
 */
async function cloneStrategy(client: pg.Client): Promise<'file_copy' | 'wal_log'> {
  const { rows } = await client.query<{ place: string }>(`select current_setting('data_directory') as place`)
  return rows[0]?.place.startsWith(`${MEMORY_DISK}/`) ? 'file_copy' : 'wal_log'
}

/** A copy of a database that nothing is connected to, as a restored dump is: another database with everything in it. */
export async function copyTestDatabase(of: TestDatabase): Promise<TestDatabase> {
  open++
  server ??= joinTestServer()
  const { superuserUrl, owner, ownerPassword } = await server
  const name = `test_${process.pid}_${randomBytes(5).toString('hex')}`
  await withClient(superuserUrl, async (client) => {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [of.name])
    await client.query(`create database ${name} template ${of.name} owner ${owner}`)
  })
  return {
    name,
    url: urlOf(superuserUrl, name, { username: owner, password: ownerPassword }),
    superuserUrl: urlOf(superuserUrl, name),
    drop: () => drop(name),
  }
}

/** The name of the template of these migrations. It gets that name only when it is complete. */
async function ensureTemplate(client: pg.Client): Promise<string> {
  const { owner, ownerPassword, superuserUrl } = await (server as Promise<TestServer>)
  const migrations = await readMigrations()
  const key = createHash('sha256').update(JSON.stringify(migrations.map(({ name, checksum }) => [name, checksum])))
  const template = `template_${key.digest('hex').slice(0, 16)}`
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  try {
    const { rows } = await client.query<{ name: string }>(
      String.raw`select datname as name from pg_database where datname like 'template\_%'`,
    )
    if (rows.some((row) => row.name === template)) return template
    for (const old of rows) await client.query(`drop database if exists ${old.name} with (force)`)
    const unfinished = `template_new_${randomBytes(5).toString('hex')}`
    await client.query(`create database ${unfinished} owner ${owner}`)
    // Nobody but who makes the template needs the job queue and the modules: loading them would cost each test file 0.15 s.
    const { migrateAll } = await import('./migrate-all.ts')
    await migrateAll(urlOf(superuserUrl, unfinished, { username: owner, password: ownerPassword }))
    await client.query(`alter database ${unfinished} rename to ${template}`)
    return template
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  }
}

function urlOf(serverUrl: string, database: string, login: { username?: string; password?: string } = {}): string {
  return Object.assign(new URL(serverUrl), { ...login, pathname: `/${database}` }).href
}
