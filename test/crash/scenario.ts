import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { CrashPoint } from '../../server/platform/crash-point.ts'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { silentLog } from '../support/silent-log.ts'
import { judge, Ledger, type Verdict } from './ledger.ts'
import { storedOnceDrained } from './stored-events.ts'
import { HOOKED_ACTION, type Random, randomOf, receiveInto, sendBatches } from './traffic.ts'

export const CRASH_POINTS = [
  'intake_before_commit',
  'intake_after_commit',
  'consumer_before_commit',
  'consumer_after_commit',
  'webhook_turn_begun',
  'webhook_turn_claimed',
  'delivery_sent',
  'attempts_before_commit',
  'attempts_after_commit',
  'webhook_turn_before_end',
  'webhook_turn_ended',
] as const satisfies readonly CrashPoint[]

export type Scenario = {
  seed: number
  kills: number
  /** Sending goes on until this many events were acknowledged and all kills were done. */
  eventsMin: number
  /** Or until so long after the first of them. */
  forMs?: number
  batchMax: number
  connections: number
  pauseMsMax: number
  gapMs: { min: number; max: number }
  /** Of the kills, the share at a named point instead of at a random moment. */
  pointShare: number
  /** Of the random kills, the share that takes the database with it. */
  databaseShare: number
  drainMs: number
  reportEveryMs: number
  report: (line: string) => void
}

export type Result = {
  verdict: Verdict
  batches: number
  events: number
  eventsAcknowledged: number
  acknowledged: number
  unknown: number
  kills: Kills
  duplicateDeliveries: number
  /** From the start of a process to its readiness, worst case. */
  readyAfterMsMax: number
  /** From the last event sent to the last delivery. */
  drainedAfterMs: number
}

/** `points`: at which it died, how often; `passedOver`: those that traffic did not reach in time. */
export type Kills = {
  random: number
  withDatabase: number
  points: Record<string, number>
  passedOver: Record<string, number>
}

/** A point that traffic does not reach within this time is passed over for a kill at random. */
const POINT_WAIT_MS = 8_000
/** Shorter than a request waits for its commit. */
const COMMITS_WAIT_MS = 500
/** Passes at which a process may die: a turn, and what it writes, comes once a second at most, the others many times. */
const PASSES_MAX = { often: 40, seldom: 4 }
const SELDOM = /^(webhook_turn|attempts)_/

/** Kills the service again and again while events arrive, then lets it drain and compares what is there with the ledger. */
export async function runScenario(scenario: Scenario): Promise<Result> {
  const random = randomOf(scenario.seed)
  const ledger = new Ledger()
  const receiver = await receiveInto(ledger)
  const dataDir = path.join(os.tmpdir(), `postroom-crash-${randomBytes(6).toString('hex')}`)
  const victim = new Victim(dataDir, await freePort())
  const kills: Kills = { random: 0, withDatabase: 0, points: {}, passedOver: {} }
  let [killing, killed] = [true, 0]
  const endsAt = performance.now() + (scenario.forMs ?? Number.POSITIVE_INFINITY)
  const isOver = () => performance.now() > endsAt
  const reporting = setInterval(() => {
    const [here, there] = [
      `${ledger.eventsAcknowledged} of ${ledger.events} events acknowledged`,
      ledger.delivered.size,
    ]
    scenario.report(`${killed} kills, ${here}, ${there} delivered`)
  }, scenario.reportEveryMs)
  try {
    await victim.start()
    await createEndpoint(victim, receiver.url)
    const traffic = sendBatches(ledger, {
      baseUrl: victim.baseUrl,
      token: victim.token,
      connections: scenario.connections,
      batchMax: scenario.batchMax,
      pauseMsMax: scenario.pauseMsMax,
      enough: () => !killing && (ledger.eventsAcknowledged >= scenario.eventsMin || isOver()),
      random,
    })
    let next: Death | undefined = drawDeath(scenario, random)
    await arm(victim, next)
    for (; next !== undefined && !isOver(); killed++) {
      await killOnce(victim, next, kills)
      next = killed + 1 < scenario.kills ? drawDeath(scenario, random) : undefined
      await victim.start(settingsOf(next))
    }
    await disarm(victim, next)
    killing = false
    await traffic
    scenario.report(`${killed} kills, ${ledger.eventsAcknowledged} of ${ledger.events} events acknowledged; draining`)
    const sentAt = performance.now()
    const stored = await victim.withDatabase((client) => storedOnceDrained(client, scenario))
    return {
      verdict: judge(ledger, stored),
      batches: ledger.batches.length,
      events: ledger.events,
      eventsAcknowledged: ledger.eventsAcknowledged,
      acknowledged: ledger.count('acknowledged'),
      unknown: ledger.count('unknown'),
      kills,
      duplicateDeliveries: ledger.duplicates,
      readyAfterMsMax: victim.readyAfterMsMax,
      drainedAfterMs: Math.round(performance.now() - sentAt),
    }
  } finally {
    killing = false
    clearInterval(reporting)
    await victim.stop()
    await receiver.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The next end of the process: by itself at a named point, or by a kill after a while. */
type Death = { point: string; passes: number } | { gapMs: number; withDatabase: boolean }

function drawDeath({ gapMs, pointShare, databaseShare }: Scenario, random: Random): Death {
  const waitMs = gapMs.min + random() * (gapMs.max - gapMs.min)
  if (random() >= pointShare) return { gapMs: waitMs, withDatabase: random() < databaseShare }
  const point = CRASH_POINTS[Math.floor(random() * CRASH_POINTS.length)]!
  const passesMax = SELDOM.test(point) ? PASSES_MAX.seldom : PASSES_MAX.often
  return { point, passes: 1 + Math.floor(random() * passesMax) }
}

/** A process carries its point from its start on: the one that is started after a death carries the next. */
const settingsOf = (death: Death | undefined): Record<string, string> =>
  death !== undefined && 'point' in death ? { POSTROOM_CRASH_POINT: `${death.point}:${death.passes}` } : {}

/** Starts a process that runs already anew where it has to carry a point. */
async function arm(victim: Victim, death: Death): Promise<void> {
  if (!('point' in death)) return
  await victim.kill()
  await victim.start(settingsOf(death))
}

/** What is left to do after the kills is done by a process that carries no point. */
async function disarm(victim: Victim, death: Death | undefined): Promise<void> {
  if (death === undefined || !('point' in death)) return
  await victim.kill()
  await victim.start()
}

async function killOnce(victim: Victim, death: Death, kills: Kills): Promise<void> {
  if ('point' in death) {
    const died = await Promise.race([victim.ended.then(() => true), sleep(POINT_WAIT_MS, false, { ref: false })])
    const counts = died ? kills.points : kills.passedOver
    counts[death.point] = (counts[death.point] ?? 0) + 1
    if (!died) await victim.kill()
    return
  }
  await sleep(death.gapMs)
  if (death.withDatabase) await victim.killDatabase()
  else await victim.killWhileCommitsWait()
  await victim.kill()
  if (death.withDatabase) kills.withDatabase++
  else kills.random++
}

/** The service under test: the same data directory, port and token over all its lives. */
class Victim {
  readonly dataDir: string
  readonly token = `crash-${randomBytes(24).toString('hex')}`
  readonly baseUrl: string
  readyAfterMsMax = 0
  readonly #port: number
  #instance: Instance | undefined

  constructor(dataDir: string, port: number) {
    this.dataDir = dataDir
    this.#port = port
    this.baseUrl = `http://127.0.0.1:${port}`
  }

  async start(env: Record<string, string> = {}): Promise<void> {
    this.#instance = await startInstance({
      dataDir: this.dataDir,
      port: this.#port,
      env: { BOOTSTRAP_TOKEN: this.token, WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', ...NO_PATIENCE, ...env },
    }).catch((error: unknown) => {
      // An armed point can be reached before the process is ready.
      if (env.POSTROOM_CRASH_POINT) return undefined
      throw error
    })
    if (this.#instance) this.readyAfterMsMax = Math.max(this.readyAfterMsMax, this.#instance.readyAfterMs)
  }

  get ended(): Promise<void> {
    return this.#instance?.ended ?? Promise.resolve()
  }

  async kill(): Promise<void> {
    await this.#instance?.kill()
  }

  /** The postmaster named by the pid file of the cluster that belongs to this data directory. */
  async killDatabase(): Promise<void> {
    const postgres = await openEmbeddedPostgres({ dataDir: this.dataDir, log: silentLog })
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.leave()
  }

  /**
   * Has commits of the log wait for a moment, and kills it then: what is answered before its commit is lost, which it otherwise
   * would be in a few milliseconds alone. What waits goes with it.
   */
  async killWhileCommitsWait(): Promise<void> {
    const postgres = await openEmbeddedPostgres({ dataDir: this.dataDir, log: silentLog })
    const client = new pg.Client(postgres.url)
    await client.connect()
    try {
      await client.query('begin; lock table outbox in share row exclusive mode')
      await sleep(COMMITS_WAIT_MS)
      await this.kill()
      await client.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and application_name like 'postroom-%'`,
      )
    } finally {
      await client.end()
      await postgres.leave()
    }
  }

  async stop(): Promise<void> {
    await this.#instance?.stop()
  }

  async withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const postgres = await openEmbeddedPostgres({ dataDir: this.dataDir, log: silentLog })
    const client = new pg.Client(postgres.url)
    await client.connect()
    try {
      await client.query(`set postroom.workspace = '*'`)
      return await work(client)
    } finally {
      await client.end()
    }
  }
}

async function createEndpoint(victim: Victim, url: string): Promise<void> {
  const response = await fetch(`${victim.baseUrl}/api/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${victim.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, eventTypes: [HOOKED_ACTION] }),
  })
  if (response.status !== 201) throw new Error(`no endpoint: ${response.status} ${await response.text()}`)
}
