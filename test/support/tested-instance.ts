import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { SCOPES, type Scope } from '../../server/catalogue/scopes.ts'
import { makeToken, tokenHash } from '../../server/modules/auth/token-format.ts'
import { readCredentials, superuserUrl } from '../../server/platform/postgres/credentials.ts'
import { type Instance, type InstanceOptions, startInstance } from './instance.ts'
import { keptClient } from './kept-client.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import { makeTempDir } from './test-data-dir.ts'

/** Acts of a test on a database behind the service's back. */
export type BehindTheBack = {
  /** One statement as a superuser, whom row-level security does not bind. */
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  /** A token of a workspace, made behind the service's back. */
  makeToken(scopes?: readonly Scope[], workspaceId?: string): Promise<string>
  /** The id of a workspace that nobody belongs to. */
  makeWorkspace(slug: string): Promise<string>
}

/** A running instance that the test may look into behind its back, and kill. */
export type KilledInstance = Instance &
  BehindTheBack & {
    /** Resolves when the one that runs now has ended. */
    dies(): Promise<void>
    /** Starts it anew on its port and its database, after `kill`; `more` are settings on top. */
    startAgain(more?: Record<string, string>): Promise<void>
    /** Stops the instance and drops its database. */
    close(): Promise<void>
  }

/** One on a database of the test's own, which others may use, too. */
export type TestedInstance = KilledInstance & { database: TestDatabase }

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
  const killed = startedAgain(instance, { env: settings }, () => database.drop())
  return { ...killed, ...behindTheBack(database), database }
}

/** Starts the service as `npm start` does, with the database that it brings and keeps: a kill leaves that one without its service. */
export async function startAloneInstance(env: Record<string, string> = {}): Promise<KilledInstance> {
  const place = await makeTempDir()
  const options = { env, dataDir: join(place, '.postroom') }
  const remove = () => rm(place, { recursive: true, force: true })
  const instance = await startInstance(options).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  const url = new URL(superuserUrl((await readCredentials(options.dataDir))!))
  url.pathname = '/postroom'
  return { ...startedAgain(instance, options, remove), ...behindTheBack({ superuserUrl: url.href }) }
}

/** What is stopped and killed is the one that runs now. */
function startedAgain(instance: Instance, options: InstanceOptions, remove: () => Promise<void>) {
  let running = instance
  return {
    ...instance,
    kill: () => running.kill(),
    dies: () => running.ended,
    metrics: () => running.metrics(),
    async startAgain(more: Record<string, string> = {}) {
      // The token of the first start, which a test has noted.
      const env = { ...options.env, BOOTSTRAP_TOKEN: instance.token, ...more }
      running = await startInstance({ ...options, env, port: Number(new URL(instance.baseUrl).port) })
    },
    async close() {
      await running.stop()
      await remove()
    },
  }
}

export function behindTheBack(database: Pick<TestDatabase, 'superuserUrl'>): BehindTheBack {
  const sql = keptClient(database.superuserUrl)
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
