import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { SCOPES, type Scope } from '../../server/catalogue/scopes.ts'
import { makeToken, tokenHash } from '../../server/modules/auth/token-format.ts'
import { type Instance, startInstance } from './instance.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import { withClient } from './test-server.ts'

/** Acts of a test on a database behind the service's back. */
export type BehindTheBack = {
  /** One statement as a superuser, whom row-level security does not bind. */
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  /** A token of a workspace, made behind the service's back. */
  makeToken(scopes?: readonly Scope[], workspaceId?: string): Promise<string>
  /** The id of a workspace that nobody belongs to. */
  makeWorkspace(slug: string): Promise<string>
}

/** A running instance on a database of the test's own, which the test may look into and change behind its back. */
export type TestedInstance = Instance &
  BehindTheBack & {
    database: TestDatabase
    /** Starts it anew on its port and its database, after `kill`; `more` are settings on top. */
    startAgain(more?: Record<string, string>): Promise<void>
    /** Stops the instance and drops its database. */
    close(): Promise<void>
  }

/**
 * Starts the service on a new database, delivering to loopback. A file shares one and closes it in its `after`. `reach`
 * makes the address under which the service reaches the database another one; a `PORT` of the test's own is known before the start.
 */
export async function startTestedInstance(
  env: Record<string, string> = {},
  reach: (url: URL) => URL | Promise<URL> = (url) => url,
): Promise<TestedInstance> {
  // Until the child runs nothing else keeps a test file's process.
  const stay = setInterval(() => undefined, 60_000)
  const database = await createTestDatabase().finally(() => clearInterval(stay))
  const settings = {
    DATABASE_URL: (await reach(new URL(database.url))).href,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    ...env,
  }
  const port = env.PORT === undefined ? {} : { port: Number(env.PORT) }
  const instance = await startInstance({ env: settings, ...port }).catch(async (error: unknown) => {
    await database.drop()
    throw error
  })
  let running = instance
  return {
    ...instance,
    ...behindTheBack(database),
    database,
    kill: () => running.kill(),
    metrics: () => running.metrics(),
    async startAgain(more = {}) {
      // The token of the first start, which a test has noted.
      const again = { ...settings, BOOTSTRAP_TOKEN: instance.token, ...more }
      running = await startInstance({ env: again, port: Number(new URL(instance.baseUrl).port) })
    },
    async close() {
      await running.stop()
      await database.drop()
    },
  }
}

export function behindTheBack(database: TestDatabase): BehindTheBack {
  const sql = <R extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    withClient(database.superuserUrl, async (client) => (await client.query<R>(text, values)).rows)
  return {
    sql,
    async makeToken(scopes = SCOPES, workspaceId = '1') {
      const { token } = makeToken()
      const hash = Buffer.from(tokenHash(token), 'hex')
      const values = [workspaceId, hash, [...scopes]]
      await sql(`insert into api_tokens (workspace_id, name, hash, scopes) values ($1, 'test', $2, $3)`, values)
      return token
    },
    async makeWorkspace(slug) {
      const text = 'insert into workspaces (slug, name) values ($1, $1) returning id'
      const [row] = await sql<{ id: string }>(text, [slug])
      return row!.id
    },
  }
}
