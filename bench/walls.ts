import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { migrateDatabase } from '../server/app.ts'
import { PROVIDERS } from '../server/catalogue/providers.ts'
import { composeModules, outgoingClient } from '../server/compose.ts'
import { readConfig } from '../server/config.ts'
import { keysOf } from '../server/encryption-keys.ts'
import { createPublicApp, listenPublicly } from '../server/http.ts'
import { createContact } from '../server/modules/contacts/create-contact.ts'
import { listContacts } from '../server/modules/contacts/list-contacts.ts'
import { readContact } from '../server/modules/contacts/read-contact.ts'
import { updateContact } from '../server/modules/contacts/update-contact.ts'
import { createPool } from '../server/platform/db/pool.ts'
import { queryInScope } from '../server/platform/db/transaction.ts'
import { createMetrics } from '../server/platform/metrics/metrics.ts'
import { createLogger } from '../server/platform/telemetry/logger.ts'
import { send } from '../test/support/http-client.ts'
import { freePort } from '../test/support/instance.ts'
import { ensureAllPartitions } from '../test/support/partitions.ts'
import { createTestDatabase, type TestDatabase } from '../test/support/postgres.ts'
import { behindTheBack } from '../test/support/tested-instance.ts'
import { callerOf, createWorkspace } from '../test/support/workspace.ts'
import { percentilesOf, rateText } from './measure.ts'

const CONCURRENCY = 8
const CONTACTS = 20_000
/** Both sides take turns this often, so that whatever else the machine does meets both. */
const ROUNDS = 60
const OPERATIONS_PER_TURN = 150
const GOAL_COST = 0.15

const SCOPE = /^begin; set local postroom\.workspace = '[^']*'/
const AUDIT = 'insert-audit-entry'

type Side = {
  name: string
  database: TestDatabase
  pool: pg.Pool
  workspaceId: string
  baseUrl: string
  token: string
  close(): Promise<void>
}
/** The operation as a request, and as what the request's handler calls. */
type Operation = { name: string; request: Run; inside: Run }
type Run = (side: Side, n: number) => Promise<unknown>

/**
 * The cost of row-level security and the audit log on reading and writing contacts: the same operations on the same
 * data in two databases, one with both and one with neither, in turns; as requests, to which the goal applies, and
 * without the HTTP around them. `--rounds` makes it longer.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: String(ROUNDS) } } })
  const rounds = Number(values.rounds)
  const walled = await openSide('with both')
  const open = await openSide('with neither')
  try {
    await takeWallsAway(open)
    for (const { name, request, inside } of OPERATIONS) {
      const cost = report(`${name}, as a request`, await inTurns(request, [walled, open], rounds))
      console.log(`  goal <= ${GOAL_COST * 100} % ${cost <= GOAL_COST ? 'met' : 'NOT met'}`)
      report(`${name}, inside`, await inTurns(inside, [walled, open], rounds))
    }
  } finally {
    await walled.close()
    await open.close()
  }
}

let created = 0

const idOf = (n: number) => String(1 + (n % CONTACTS))
const fresh = () => ({ subjectId: `new-${++created}` })
const changed = (n: number) => ({ firstName: `name ${n} ${performance.now()}` })
const call = ({ baseUrl, token }: Side, method: string, path: string, json?: object) =>
  send(method, baseUrl + path, { token, ...(json ? { json } : {}) }).then((answer) => {
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  })

const OPERATIONS: readonly Operation[] = [
  {
    name: 'read a contact',
    request: (side, n) => call(side, 'GET', `/api/contacts/${idOf(n)}`),
    inside: ({ pool, workspaceId }, n) => readContact(pool, workspaceId, idOf(n)),
  },
  {
    name: 'list 25 contacts',
    request: (side, n) => call(side, 'GET', `/api/contacts?page=${1 + (n % 100)}`),
    inside: ({ pool, workspaceId }, n) =>
      listContacts({ sql: pool, segmentFilter: async () => undefined }, workspaceId, {
        page: 1 + (n % 100),
        pageSize: 25,
      }),
  },
  {
    name: 'create a contact',
    request: (side) => call(side, 'POST', '/api/contacts', fresh()),
    inside: ({ pool, workspaceId }) => createContact({ sql: pool }, callerOf(workspaceId), fresh()),
  },
  {
    name: 'change a contact',
    request: (side, n) => call(side, 'PATCH', `/api/contacts/${idOf(n)}`, changed(n)),
    inside: ({ pool, workspaceId }, n) =>
      updateContact({ sql: pool }, callerOf(workspaceId), { id: idOf(n), body: changed(n) }),
  },
]

async function openSide(name: string): Promise<Side> {
  const database = await createTestDatabase()
  const port = await freePort()
  const config = readConfig({
    PORT: String(port),
    HOST: '127.0.0.1',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_API: '0',
  })
  await migrateDatabase({ url: database.url, role: undefined })
  const pool = createPool({ name: 'sql', url: database.url, max: CONCURRENCY })
  await ensureAllPartitions(pool)
  const workspaceId = await createWorkspace(pool)
  await queryInScope(pool, workspaceId, {
    text: `insert into contacts (workspace_id, subject_id, email, custom_fields)
      select $1, 'subject-' || n, 'person-' || n || '@example.com', jsonb_build_object('n', n) from generate_series(1, $2) n`,
    values: [workspaceId, CONTACTS],
    query_timeout: 60_000,
  } as pg.QueryConfig)
  await pool.query('analyze contacts')
  const client = outgoingClient(config)
  const metrics = createMetrics({ version: '0.0.0', commit: 'bench', providers: PROVIDERS })
  const log = createLogger({ level: 'fatal', format: 'json', destination: { write: () => undefined } })
  const nothing = () => undefined
  const pools = { sql: pool, pgx: pool }
  const reports = { onAttempt: nothing, onCommitted: nothing, onError: nothing }
  const parts = { config, pools, keys: keysOf(config.encryptionKey!), client, ...reports }
  const app = await createPublicApp({
    config,
    epoch: { held: null },
    pools,
    metrics,
    log,
    modules: composeModules(parts),
  })
  const http = await listenPublicly(app, config)
  return {
    name,
    database,
    pool,
    workspaceId,
    baseUrl: `http://127.0.0.1:${port}`,
    token: await behindTheBack(database).makeToken(undefined, workspaceId),
    async close() {
      await http.close({ graceMs: 5_000 })
      await Promise.all([client.close(), metrics.close(), pool.end()])
      await database.drop()
    },
  }
}

/** No policies in the database; no scope and no audit entry in what is sent to it. */
async function takeWallsAway({ database, pool }: Side): Promise<void> {
  const superuser = new pg.Client(database.superuserUrl)
  await superuser.connect()
  const { rows } = await superuser.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of rows) {
    await superuser.query(
      `alter table ${name} no force row level security; alter table ${name} disable row level security`,
    )
  }
  await superuser.end()
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const queryOpen = (given: unknown, ...rest: unknown[]) => {
      if (typeof given === 'string') return query(given.replace(SCOPE, 'begin'), ...rest)
      if ((given as pg.QueryConfig).name === AUDIT) return Promise.resolve({ rows: [], rowCount: 1 })
      return query(given, ...rest)
    }
    client.query = queryOpen as typeof client.query
  })
  // Connections that are open already know the walls.
  const clients = await Promise.all(Array.from({ length: CONCURRENCY }, () => pool.connect()))
  for (const client of clients) client.release(true)
}

/** Operations a second of each side in each round, the side that begins alternating. */
async function inTurns(operation: Run, sides: readonly [Side, Side], rounds: number): Promise<[number[], number[]]> {
  const rates: [number[], number[]] = [[], []]
  for (const side of sides) await turn(operation, side, 0)
  for (let round = 1; round <= rounds; round++) {
    for (const index of round % 2 ? [0, 1] : [1, 0]) {
      rates[index]!.push(await turn(operation, sides[index]!, round * OPERATIONS_PER_TURN))
    }
  }
  return rates
}

async function turn(operation: Run, side: Side, from: number): Promise<number> {
  let next = from
  const startedMs = performance.now()
  const lane = async () => {
    while (next < from + OPERATIONS_PER_TURN) await operation(side, next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  return (OPERATIONS_PER_TURN * 1_000) / (performance.now() - startedMs)
}

function report(what: string, [walled, open]: [number[], number[]]): number {
  // Each round's own ratio: its two turns met the same machine.
  const cost = 1 - percentilesOf(walled.map((rate, round) => rate / open[round]!)).p50
  const shown = (rates: number[]) => rateText({ perSecond: percentilesOf(rates).p50, unit: 'operations' })
  console.log(`${what}: ${(cost * 100).toFixed(1)} % (${shown(walled)} with both, ${shown(open)} with neither)`)
  return cost
}
