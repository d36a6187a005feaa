import type pg from 'pg'
import { DatabaseClient } from './database-hosts.ts'
import { keepsSession } from './keeps-session.ts'

const VERSION_MIN = 150_000
const APP_ROLE = 'postroom_app'
const CHECK_TIMEOUT_MS = 10_000
/** Set at the start of a connection, as the settings of all others are: a pooler that drops it drops those. */
const MARK = 'postroom.check'

/** A database that must not be used, in one line. */
export class UnsuitableDatabaseError extends Error {
  override readonly name = 'UnsuitableDatabaseError'
}

type Facts = {
  version: number
  versionText: string
  encoding: string
  standby: boolean
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
  superuser: boolean
  isMarked: boolean
  schema: string | null
}

export type DatabaseCheck = {
  versionText: string
  /** The ordinary role to take on, when the login role is one that row-level security does not bind. */
  role: string | undefined
  warnings: string[]
}

/**
 * Checks that what is committed there stays, and that row-level security will bind us. Throws `UnsuitableDatabaseError`,
 * whose line begins with `source`, the setting that gave the address: for a server that lets nobody in, a version before
 * 15, a standby, an encoding other than UTF-8, settings under which a crash loses commits, no schema to make tables in, or a pooler in transaction
 * mode or without the settings of a connection.
 * For a superuser it makes the ordinary role `postroom_app`, which then owns everything. Unless it `mayBeEmpty`, a database
 * without our tables is refused as well, and nothing is made in it.
 */
export async function checkDatabase(url: string, source: string, { mayBeEmpty = true } = {}): Promise<DatabaseCheck> {
  const client = await connect(url, source)
  try {
    const { rows } = await client.query<Facts>(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionText",
         current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
         current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
         current_setting('synchronous_commit') as "synchronousCommit",
         (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as superuser,
         coalesce(current_setting('${MARK}', true) = 'on', false) as "isMarked", current_schema() as schema`,
    )
    const facts = rows[0]!
    refuseUnsuitable(facts, source)
    await requireOwnSession(client, url, source)
    if (!mayBeEmpty) await requireTables(client, source)
    const warnings =
      facts.synchronousCommit === 'off'
        ? ['synchronous_commit is off: a crash of the server can lose answered requests']
        : []
    if (facts.superuser) await makeAppRole(client)
    return { versionText: facts.versionText, role: facts.superuser ? APP_ROLE : undefined, warnings }
  } finally {
    await client.end()
  }
}

async function connect(url: string, source: string): Promise<pg.Client> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'postroom-check',
    connectionTimeoutMillis: CHECK_TIMEOUT_MS,
    query_timeout: CHECK_TIMEOUT_MS,
    // As every connection of ours does; a pooler that cannot pass it on refuses it here.
    options: `-c timezone=UTC -c ${MARK}=on`,
  })
  client.on('error', () => undefined)
  await client.connect().catch((error: unknown) => {
    throw new UnsuitableDatabaseError(`${source}: cannot connect: ${reasonOf(error)}`, { cause: error })
  })
  return client
}

/** Prepared statements, notifications, settings and locks are a session's. */
async function requireOwnSession(client: pg.Client, url: string, source: string): Promise<void> {
  const other = await connect(url, source)
  try {
    if (await keepsSession(client, other)) return
  } finally {
    await other.end()
  }
  throw new UnsuitableDatabaseError(
    `${source}: the database cannot be used: the address is that of a pooler in transaction mode; give the server's own, or a pooler's in session mode`,
  )
}

async function requireTables(client: pg.Client, source: string): Promise<void> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isThere"`,
  )
  if (rows[0]!.isThere) return
  throw new UnsuitableDatabaseError(
    `${source}: there is nothing of Postroom in this database: give the address that the service has, or start the service on this one`,
  )
}

/** A name with several addresses fails with an error for each of them. */
/** The driver's words for an address without one. */
const NO_PASSWORD = /client password must be/

function reasonOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : []
  const reason = first instanceof Error ? first.message : String(first)
  return NO_PASSWORD.test(reason) ? 'it asks for a password, and the address has none' : reason
}

function refuseUnsuitable(facts: Facts, source: string): void {
  const refuse = (why: string): never => {
    throw new UnsuitableDatabaseError(`${source}: the database cannot be used: ${why}`)
  }
  if (facts.version < VERSION_MIN) refuse(`PostgreSQL ${facts.versionText} is too old, 15 or newer is needed`)
  if (facts.standby) refuse('it is a standby; give the address of the primary')
  if (!facts.isMarked)
    refuse(
      "the address is that of a pooler that drops what a connection sets at its start (options in PgBouncer's ignore_startup_parameters); give the server's own",
    )
  if (facts.schema === null)
    refuse(
      'its role has no schema to make tables in; let it use and create in the schema public, and have that in its search_path',
    )
  if (facts.encoding !== 'UTF8') refuse(`its encoding is ${facts.encoding}, UTF8 is needed`)
  if (facts.fsync !== 'on') refuse('fsync is off, so a crash loses what was answered')
  if (facts.fullPageWrites !== 'on') refuse('full_page_writes is off, so a crash can corrupt it')
}

/** Processes that start at once take turns: the server refuses grants on one object at the same moment. */
async function makeAppRole(client: pg.Client): Promise<void> {
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(hashtext('${APP_ROLE}'))`)
  await client.query(
    `do $$ begin create role ${APP_ROLE} nologin; exception when duplicate_object or unique_violation then null; end $$`,
  )
  const { rows } = await client.query<{ statement: string }>(
    `select format('grant create, connect, temporary on database %I to ${APP_ROLE}', current_database()) as statement`,
  )
  await client.query(rows[0]!.statement)
  await client.query(`grant usage, create on schema public to ${APP_ROLE}`)
  await client.query('commit')
}
