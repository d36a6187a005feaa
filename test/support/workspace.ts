import { after } from 'node:test'
import type pg from 'pg'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import type { Caller } from '../../server/modules/auth/caller.ts'
import { listenToCommits } from '../../server/platform/db/after-commit.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { ensureAllPartitions } from './partitions.ts'
import { patienceOf } from './patience.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'

export type TestWorkspace = {
  database: TestDatabase
  pool: pg.Pool
  workspaceId: string
  caller: Caller
}

/**
 * A migrated database with a pool and one workspace, gone when the test, or the file's tests, are done. The log has
 * partitions for `daysAhead` more days. Its pool takes its time unless it is not `patient`.
 */
export async function testWorkspace({ connections = 10, daysAhead = 1, patient = true } = {}): Promise<TestWorkspace> {
  // At the top level nothing else keeps the process until the test server answers.
  const stay = setInterval(() => undefined, 60_000)
  try {
    const database = await createTestDatabase()
    const pool = createPool({ name: 'sql', url: database.url, max: connections, ...patienceOf(patient) })
    after(async () => {
      await pool.end()
      await database.drop()
    })
    await ensureAllPartitions(pool, { daysAhead })
    const workspaceId = await createWorkspace(pool)
    return { database, pool, workspaceId, caller: callerOf(workspaceId) }
  } finally {
    clearInterval(stay)
  }
}

/** Another pool to the same database, as a second process would have. */
export function secondProcess(database: TestDatabase, { connections = 10, patient = true } = {}): pg.Pool {
  const pool = createPool({ name: 'sql', url: database.url, max: connections, ...patienceOf(patient) })
  // On a slow machine as well it keeps what it has prepared, for as long as nobody uses it.
  pool.options.idleTimeoutMillis = 0
  after(() => pool.end())
  return pool
}

/** The signals of what is committed through a pool from now on, as they come. */
export function signalsOf(pool: pg.Pool): readonly string[] {
  const signals: string[] = []
  const onError = (error: unknown) => {
    throw error
  }
  listenToCommits(pool, { signal: (name) => signals.push(name), onError })
  return signals
}

/** The id of a new workspace; many may be made at once. */
export async function createWorkspace(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into workspaces (id, slug, name) overriding system value
     select n, 'w' || n - 1, 'Workspace ' || n - 1 from nextval(pg_get_serial_sequence('workspaces', 'id')) n returning id`,
  )
  return rows[0]!.id
}

/** Somebody with every scope in a workspace. */
export function callerOf(workspaceId: string): Caller {
  return {
    workspaceId,
    actor: { kind: 'api_token', id: '1', name: 'test' },
    scopes: new Set(SCOPES),
    requestId: 'test-request',
    ip: '127.0.0.1',
    userAgent: 'test',
  }
}
