import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CrashPoint } from '../../server/platform/crash-point.ts'
import { type Answer, send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type BehindTheBack, behindTheBack } from '../support/tested-instance.ts'
import { type Delivered, startFireSink } from './fire-sink.ts'
import { type Random, randomOf } from './traffic.ts'

export type Fire = {
  seed: number
  recipients: number
  workers: number
  kills: number
  pauses: number
  limitChanges: number
  unsubscribes: number
  /** How long the whole may take. */
  deadlineMs: number
  report: (line: string) => void
}

export type FireResult = {
  recipients: number
  /** By state, as the ledger has them. */
  states: Record<string, number>
  kills: number
  /** Where processes died by themselves, and how often; and how often one was not reached in time. */
  diedAt: Record<string, number>
  passedOver: number
  samples: number
  /** Samples of the report whose numbers did not fit, whatever the state of things was. */
  unfitSamples: string[]
  /** People with more or fewer than one row in the ledger. */
  outcomesWrong: number
  /** Copies beyond the first that somebody got. */
  copies: number
  /** Accepted in the ledger and not at the server; at the server and neither accepted nor uncertain in the ledger. */
  missing: number
  unexpected: number
  /** Messages whose content went out although the unsubscribe of its person had been answered before. */
  afterUnsubscribe: number
  unsubscribedInTime: number
  /** Messages of uncertain fate that were decided on at the end, and by how many the report is wrong then. */
  decided: number
  miscounted: number
  seconds: number
}

const WORKERS_RESTART_MS = 50
/** A point that is not reached within this time is passed over, but for those at which somebody has to die. */
const POINT_WAIT_MS = 30_000
const SURE_POINT_WAIT_MS = 120_000
const DECIDED_WITHIN_MS = 120_000
const SAMPLE_EVERY_MS = 100
/** Spreads them over the time that sending takes. */
const UNSUBSCRIBE_GAP_MS = 40

/**
 * Sends a broadcast with real processes to a foreign SMTP server while workers are killed, the broadcast is paused, the
 * limit of its integration changes and people unsubscribe; then holds the ledger against what the server got.
 */
export async function sendUnderFire(fire: Fire): Promise<FireResult> {
  const random = randomOf(fire.seed)
  const sink = await startFireSink()
  const database = await createTestDatabase()
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('base64'), LOG_LEVEL: 'error' }
  const web = await startInstance({ env: { ...env, ROLE: 'web' } })
  const fleet = new Fleet({ ...env, ROLE: 'all' }, fire.workers)
  try {
    const startedMs = performance.now()
    const stage = await prepare(web, database, { ...fire, port: sink.port })
    await stage.call('POST', `/broadcasts/${stage.broadcastId}/send`)
    const watch = watchReport(stage)
    const beginning = dieInTurn(fleet, stage, BEGINNINGS).then(() => fleet.start())
    const troubles = beginning.then(() =>
      Promise.all([
        unsubscribeSome(stage, fire, random),
        killWorkers(fleet, fire, { random, stage }),
        pauseNowAndThen(stage, fire, random),
        changeLimits(stage, fire, random),
      ]),
    )
    const [[unsubscribed]] = await Promise.all([troubles, watch.untilSent(fire.deadlineMs)])
    const counted = await reckon(stage, sink.delivered, unsubscribed)
    const decisions = await decide(fleet, stage, watch)
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    const { kills, diedAt, passedOver } = fleet
    const { samples, unfit: unfitSamples } = watch
    return { ...counted, ...decisions, kills, diedAt, passedOver, samples, unfitSamples, seconds }
  } finally {
    await fleet.stop()
    await web.stop()
    await sink.close()
    await database.drop()
  }
}

/** The service that the troubles work on. */
type Stage = {
  call(method: string, path: string, json?: object): Promise<Answer>
  sql: BehindTheBack['sql']
  broadcastId: string
  integrationId: string
  recipients: number
  report(line: string): void
}

const addressOf = (n: number) => `p${n}@d${n % 40}.example`

async function prepare(
  web: Instance,
  database: TestDatabase,
  { port, recipients, report }: Pick<Fire, 'recipients' | 'report'> & { port: number },
): Promise<Stage> {
  const { sql } = behindTheBack(database)
  const call = async (method: string, path: string, json?: object) => {
    const answer = await send(method, `${web.baseUrl}/api${path}`, {
      token: web.token,
      ...(json ? { json } : {}),
    })
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer
  }
  const made = async (path: string, json: object): Promise<string> => {
    const answer = await call('POST', path, json)
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`)
    return answer.json.id
  }
  const config = { kind: 'smtp', host: '127.0.0.1', port, tls: 'none', from: 'news@fire.example' }
  const integrationId = await made('/integrations', { name: 'sink', config, isDefault: true })
  await made('/sending-domains', { domain: 'fire.example' })
  await sql('update sending_domain_keys set verified_at = now()')
  for (let from = 1; from <= recipients; from += 5_000) {
    await sql(
      `insert into contacts (workspace_id, email, first_name)
       select 1, 'p' || n || '@d' || n % 40 || '.example', 'P' || n
       from generate_series($1::int, least($1::int + 4999, $2::int)) n`,
      [from, recipients],
    )
  }
  const broadcastId = await made('/broadcasts', {
    name: 'Under fire',
    subject: 'Hello {{ first_name }}',
    body: '<p>Hello {{ first_name }}. <a href="https://shop.example/">Look</a> <a href="{{ unsubscribe_url }}">Out</a></p>',
  })
  return { call, sql, broadcastId, integrationId, recipients, report }
}

/** Workers that are killed and started again. */
class Fleet {
  kills = 0
  readonly diedAt: Record<string, number> = {}
  passedOver = 0
  readonly #env: Record<string, string>
  readonly #size: number
  #workers: Instance[] = []

  constructor(env: Record<string, string>, size: number) {
    this.#env = env
    this.#size = size
  }

  async start(): Promise<void> {
    this.#workers = await Promise.all(Array.from({ length: this.#size }, () => startInstance({ env: this.#env })))
  }

  async killOne(index: number): Promise<void> {
    const slot = index % this.#size
    await this.#workers[slot]!.kill()
    this.kills++
    await sleep(WORKERS_RESTART_MS)
    this.#workers[slot] = await startInstance({ env: this.#env })
  }

  /** Kills all of them, and has one that takes their work up die at its point: beside others it would find nothing to do for long. */
  async killAll(stage: Stage, crashPoint: string): Promise<boolean> {
    await Promise.all(this.#workers.map((worker) => worker.kill()))
    this.kills += this.#size
    await giveBack(stage)
    const died = await this.dieAt(crashPoint, POINT_WAIT_MS)
    await giveBack(stage)
    await this.start()
    return died
  }

  /** A process, until it dies at its point; if it does not come there in time, it is killed. Answers whether it did. */
  async dieAt(crashPoint: string, withinMs: number): Promise<boolean> {
    const env = { ...this.#env, POSTROOM_CRASH_POINT: crashPoint }
    // Some die before they were ready.
    const victim = await startInstance({ env }).catch((error: Error) => {
      if (!/SIGKILL/.test(String(error.cause))) throw error
    })
    const died = victim?.ended.then(() => true) ?? true
    const isDead = await Promise.race([died, sleep(withinMs, false, { ref: false })])
    await victim?.kill()
    this.kills++
    const [name = ''] = crashPoint.split(':')
    if (isDead) this.diedAt[name] = (this.diedAt[name] ?? 0) + 1
    else this.passedOver++
    return isDead
  }

  async stop(): Promise<void> {
    const workers = this.#workers
    this.#workers = []
    await Promise.all(workers.map((worker) => worker.stop()))
  }
}

/** Behind the freezing, behind a chunk, and behind another one or what ends the planning: each is passed once, or a few times. */
const BEGINNINGS = [
  'broadcast_frozen',
  'broadcast_planned',
  'broadcast_planned',
] as const satisfies readonly CrashPoint[]
const ENDS = ['broadcast_redone'] as const satisfies readonly CrashPoint[]
/** Points between two commits of sending. */
export const SENDING_POINTS = [
  'send_turn_begun',
  'send_turn_claimed',
  'message_built',
  'handing_before_commit',
  'handing_after_commit',
  'content_sent',
  'results_before_commit',
  'results_after_commit',
  'send_turn_before_end',
] as const satisfies readonly CrashPoint[]
/** Passes at which one dies: of messages there are many, of lanes a few. */
const PASSES_MAX = 20
const TURNS_MAX = 3

/** Processes of which each dies at one of these points, and does nothing else before the next one takes its work up. */
async function dieInTurn(fleet: Fleet, stage: Stage, points: readonly CrashPoint[]): Promise<void> {
  for (const point of points) {
    const beganMs = performance.now()
    if (!(await fleet.dieAt(point, SURE_POINT_WAIT_MS))) throw new Error(`nobody died at ${point}`)
    stage.report(`one died at ${point} ${Math.round(performance.now() - beganMs)} ms after it was started`)
    await giveBack(stage)
  }
}

/** What the dead worked on, when nobody works: it is given back by itself within seconds. */
async function giveBack({ sql }: Stage): Promise<void> {
  await sql(`update jobs.job_common set state = 'created', heartbeat_on = null, start_after = now(), created_on = now()
    where state = 'active'`)
}

/** Says of all whose fate nobody knows that they were sent; the process that does it dies in the middle. */
async function decide(fleet: Fleet, stage: Stage, watch: Watch): Promise<{ decided: number; miscounted: number }> {
  const report = async () => (await stage.call('GET', `/broadcasts/${stage.broadcastId}/report`)).json
  const before = await report()
  const decided: number = before.uncertainCount
  if (decided === 0) return { decided, miscounted: 0 }
  await fleet.stop()
  await stage.call('POST', `/broadcasts/${stage.broadcastId}/resolve-uncertain`, { as: 'sent' })
  await dieInTurn(fleet, stage, ENDS)
  await fleet.start()
  const until = performance.now() + DECIDED_WITHIN_MS
  while ((await watch.look()) !== 'sent' || (await report()).uncertainCount > 0) {
    if (performance.now() > until) throw new Error(`not decided in time: ${JSON.stringify(await report())}`)
    await sleep(SAMPLE_EVERY_MS)
  }
  return { decided, miscounted: Math.abs((await report()).acceptedCount - before.acceptedCount - decided) }
}

type Troubled = { random: Random; stage: Stage }

async function killWorkers(fleet: Fleet, fire: Fire, { random, stage }: Troubled): Promise<void> {
  for (let kill = 0; kill < fire.kills; kill++) {
    await sleep(200 + random() * 1_500)
    const accepted = await acceptedWhileUnderWay(stage)
    if (accepted === undefined) return
    const atPoint = kill % 2 === 1
    const name = SENDING_POINTS[Math.floor(random() * SENDING_POINTS.length)]!
    const point = `${name}:${1 + Math.floor(random() * (name.startsWith('send_turn') ? TURNS_MAX : PASSES_MAX))}`
    const index = Math.floor(random() * 1_000)
    const died = atPoint ? await fleet.killAll(stage, point) : await fleet.killOne(index)
    const how = atPoint ? `, then one at ${point}${died ? '' : ', which it did not reach'}` : ''
    fire.report(`killed at random with ${accepted} accepted${how}`)
  }
}

async function acceptedWhileUnderWay({ call, broadcastId }: Stage): Promise<number | undefined> {
  const { json } = await call('GET', `/broadcasts/${broadcastId}/report`)
  return json.status === 'sending' || json.status === 'paused' ? json.acceptedCount : undefined
}

async function pauseNowAndThen({ call, broadcastId }: Stage, { pauses }: Fire, random: Random): Promise<void> {
  for (let pause = 0; pause < pauses; pause++) {
    await sleep(300 + random() * 2_000)
    const { status } = await call('POST', `/broadcasts/${broadcastId}/pause`)
    if (status === 409) return
    await sleep(random() * 400)
    await call('POST', `/broadcasts/${broadcastId}/resume`)
  }
}

async function changeLimits({ call, integrationId }: Stage, { limitChanges }: Fire, random: Random): Promise<void> {
  for (let change = 0; change < limitChanges; change++) {
    await sleep(300 + random() * 1_500)
    const maxPerSecond = random() < 0.5 ? null : 50 + Math.floor(random() * 1_000)
    await call('PATCH', `/integrations/${integrationId}`, { maxPerSecond })
  }
  await call('PATCH', `/integrations/${integrationId}`, { maxPerSecond: null })
}

/** Has people unsubscribe from the beginning on; answers when each was told that they are, by address. */
async function unsubscribeSome(
  { call, recipients }: Stage,
  { unsubscribes }: Fire,
  random: Random,
): Promise<Map<string, number>> {
  const answeredAt = new Map<string, number>()
  for (let n = 0; n < unsubscribes; n++) {
    const destination = addressOf(1 + Math.floor(random() * recipients))
    if (answeredAt.has(destination)) continue
    await sleep(random() * UNSUBSCRIBE_GAP_MS)
    const { status, text } = await call('POST', '/unsubscribes', { destination })
    if (status >= 300) throw new Error(`unsubscribing ${destination}: ${status} ${text}`)
    answeredAt.set(destination, performance.now())
  }
  return answeredAt
}

type Watch = ReturnType<typeof watchReport>

/** Reads the report again and again, and holds each to its sum. */
function watchReport({ call, broadcastId }: Stage) {
  const unfit: string[] = []
  let samples = 0
  let frozen = 0
  const look = async () => {
    const { json } = await call('GET', `/broadcasts/${broadcastId}/report`)
    samples++
    const { pendingCount, acceptedCount, failedCount, suppressedCount, skippedCount, uncertainCount } = json
    const sum = pendingCount + acceptedCount + failedCount + suppressedCount + skippedCount + uncertainCount
    const isLost = frozen > 0 && json.recipientsTotal !== frozen
    if (!json.addsUp || sum !== json.recipientsTotal || pendingCount < 0 || isLost) unfit.push(JSON.stringify(json))
    frozen ||= json.recipientsTotal
    return json.status as string
  }
  return {
    unfit,
    /** Answers how the broadcast stands. */
    look,
    get samples() {
      return samples
    },
    async untilSent(deadlineMs: number): Promise<void> {
      const until = performance.now() + deadlineMs
      while ((await look()) !== 'sent') {
        if (performance.now() > until) {
          const { json } = await call('GET', `/broadcasts/${broadcastId}/explain`)
          throw new Error(`not sent in time: ${JSON.stringify(json)}`)
        }
        await sleep(SAMPLE_EVERY_MS)
      }
    },
  }
}

type Row = { contact_id: string; destination: string; state: string }

async function reckon(
  { sql, recipients, broadcastId }: Stage,
  delivered: ReadonlyMap<string, Delivered[]>,
  unsubscribed: ReadonlyMap<string, number>,
) {
  const rows = await sql<Row>('select contact_id, destination, state from messages where source_id = $1', [broadcastId])
  const states: Record<string, number> = {}
  const result = { recipients, states, outcomesWrong: 0, copies: 0, missing: 0, unexpected: 0, afterUnsubscribe: 0 }
  result.outcomesWrong =
    Math.abs(new Set(rows.map((row) => row.contact_id)).size - recipients) + rows.length - recipients
  for (const { destination, state } of rows) {
    states[state] = (states[state] ?? 0) + 1
    const copies = delivered.get(destination)?.length ?? 0
    if (copies > 1) result.copies += copies - 1
    if (state === 'accepted' && copies === 0) result.missing++
    if (state !== 'accepted' && state !== 'uncertain' && copies > 0) result.unexpected++
  }
  let unsubscribedInTime = 0
  for (const [address, answeredAt] of unsubscribed) {
    const mails = delivered.get(address) ?? []
    if (mails.length === 0) unsubscribedInTime++
    // The server offers to take the content (354), and only then is looked whether it may go: from there on it may not.
    result.afterUnsubscribe += mails.filter(({ offeredAt }) => offeredAt > answeredAt).length
  }
  return { ...result, unsubscribedInTime }
}
