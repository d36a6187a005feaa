import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { judge, type Stored, type Verdict } from '../crash/ledger.ts'
import { storedOnceDrained } from '../crash/stored-events.ts'
import { randomOf, receiveInto, sendBatches } from '../crash/traffic.ts'
import { whyNoServers } from '../servers/run-debian-server.ts'
import { freePort, until } from '../support/instance.ts'
import { seedFrom } from '../support/seeded-random.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { type DatabaseFleet, startDatabaseFleet } from './database-fleet.ts'
import { longestGap, TimedLedger } from './gaps.ts'
import { type Fleet, SCENARIOS } from './scenarios.ts'
import { MEMBERS, type MemberPorts, serviceFleet } from './service-fleet.ts'

/*
 * `npm run test:fleet`: two processes that serve requests and two that work, on three PostgreSQL servers with failover, while
 * things happen to them. A ledger outside of all of it knows what was acknowledged and delivered; at the end everything
 * stored is held against it, and a table says how long nothing was acknowledged, or delivered. FLEET_ONLY=failover runs the
 * scenarios whose names have that in them, FLEET_SEED repeats a run. The last line is the verdict.
 */

const CONNECTIONS = 8
const BATCH_MAX = 20
const PAUSE_MS_MAX = 60
/** Before the first scenario, and after each, so that gaps at its end are seen. */
const CALM_MS = 4_000
const DRAINED_WITHIN_MS = 180_000
const REPORT_EVERY_MS = 15_000

const { FLEET_ONLY = '', CI } = process.env
const chosen = SCENARIOS.filter(({ name }) => name.includes(FLEET_ONLY))
if (chosen.length === 0) throw new Error(`no scenario has ${FLEET_ONLY} in its name (FLEET_ONLY)`)
const whyNot = whyNoServers()
if (whyNot !== undefined) {
  console.log(`The fleet cannot run here: ${whyNot.replace('mail servers', 'PostgreSQL, Patroni, etcd and haproxy')}.`)
  // Where no test may be skipped, this one may not either.
  process.exit(CI === 'true' ? 2 : 0)
}

type Row = Record<string, string | number>

const seed = seedFrom('FLEET_SEED')
console.log(`seed ${seed} (FLEET_SEED)`)
const random = randomOf(seed)
const ledger = new TimedLedger()
const receiver = await receiveInto(ledger)
const ports = {} as MemberPorts
for (const member of MEMBERS) ports[member] = { http: await freePort(), metrics: await freePort() }
console.log('starting three PostgreSQL servers under Patroni, etcd, haproxy')
const database = await startDatabaseFleet([ports.web1.http, ports.web2.http])
const way = await startTcpProxy(Number(new URL(database.url).port))
const throughWay = Object.assign(new URL(database.url), { port: String(way.port) }).href
const token = `fleet-${randomBytes(24).toString('hex')}`
const services = await serviceFleet({
  settings: {
    BOOTSTRAP_TOKEN: token,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    MAILBOX_ADDR: 'off',
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    DRAIN_SECONDS: '2',
  },
  urls: { web1: database.url, web2: throughWay, worker1: database.url, worker2: throughWay },
  ports,
})
let status = 2
try {
  for (const member of MEMBERS) await services.start(member)
  console.table(await replay({ database, services, way, random }))
  status = verdictOf(judge(ledger, await stored(database)))
} catch (error) {
  console.error(error)
  console.log('NO VERDICT: the run broke off, as said above')
}
const stopping = [() => services.stop(), () => way.close(), () => database.stop(), () => receiver.close()]
for (const stop of stopping) await stop().catch((error: unknown) => console.error(error))
process.exit(status)

/** The exit status: 0 for a good verdict, 1 for faults; 2 is for a run without one. */
function verdictOf({ recovered, ...wrong }: Verdict): 0 | 1 {
  const isClean = Object.values(wrong).every((count) => count === 0) && ledger.acknowledgedAt.length > 0
  console.log(`${ledger.events} events in ${ledger.batches.length} batches: ${JSON.stringify({ ...wrong, recovered })}`)
  console.log(isClean ? 'VERDICT: nothing acknowledged was lost or doubled' : 'VERDICT: FAULTS FOUND')
  return isClean ? 0 : 1
}

async function replay(fleet: Fleet): Promise<Row[]> {
  await createEndpoint()
  let isOver = false
  const traffic = sendBatches(ledger, {
    baseUrl: database.webUrl,
    token,
    connections: CONNECTIONS,
    batchMax: BATCH_MAX,
    pauseMsMax: PAUSE_MS_MAX,
    enough: () => isOver,
    random,
  })
  const rows: Row[] = []
  try {
    for (const { name, run } of [{ name: 'nothing', run: async () => undefined }, ...chosen]) {
      console.log(`${name} ...`)
      rows.push(await observed(name, () => run(fleet)))
      console.log(`${name}: ${JSON.stringify(rows.at(-1))}`)
    }
  } finally {
    isOver = true
    await traffic
  }
  return rows
}

async function observed(name: string, run: () => Promise<void>): Promise<Row> {
  const from = performance.now()
  const [acknowledged, unknown, delivered] = [ledger.acknowledgedAt.length, ledger.unknown, ledger.deliveredAt.length]
  await run()
  await sleep(CALM_MS)
  const span = { from, to: performance.now() }
  return {
    scenario: name,
    seconds: Math.round((span.to - from) / 1_000),
    'acknowledged batches': ledger.acknowledgedAt.length - acknowledged,
    'outcome unknown': ledger.unknown - unknown,
    'longest without acknowledgement, s': longestGap(ledger.acknowledgedAt, span),
    deliveries: ledger.deliveredAt.length - delivered,
    'longest without delivery, s': longestGap(ledger.deliveredAt, span),
  }
}

async function createEndpoint(): Promise<void> {
  const made = async () => {
    const response = await fetch(`${database.webUrl}/api/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, eventTypes: ['crash.hooked'] }),
    })
    await response.body?.cancel()
    return response.status === 201
  }
  await until('an endpoint', made, 30_000)
}

async function stored({ url }: DatabaseFleet): Promise<Stored> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`set postroom.workspace = '*'`)
    return await storedOnceDrained(client, {
      drainMs: DRAINED_WITHIN_MS,
      reportEveryMs: REPORT_EVERY_MS,
      report: console.log,
    })
  } finally {
    await client.end()
  }
}
