import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../test/support/eventually.ts'
import {
  addDeliveries,
  attemptRows,
  forgottenDeliveries,
  laneBench,
  newLane,
  queueRows,
  resultFor,
} from '../../../test/support/lanes.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { callerOf } from '../../../test/support/workspace.ts'
import { databaseOutcome } from '../../platform/db/errors.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { type ClaimedJob, claim } from '../../platform/jobs/claim.ts'
import { settle } from '../../platform/jobs/settle.ts'
import { beginTurn, endTurn, type TurnEnd } from '../../platform/lanes/turns.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts'
import { queueAgain } from './delivery-queries.ts'
import { type DeliveryTurn, type Lane, WEBHOOK_LANES } from './lanes.ts'
import { updateEndpoint } from './manage-endpoints.ts'
import { recordAttempts } from './record-attempts.ts'
import { ATTEMPTS_MAX } from './retry-schedule.ts'

/*
 * Processes that dispatch, deliver, resend, pause, and die in the middle or are only thought dead and go on, all at once
 * on a few lanes. At no moment may a delivery be left that nobody will send, and no claim may be given out twice.
 */
const LANES = 6
const ACTORS = 10
const STEPS = 3_000
/** So many times as many at the most: what takes two to meet may not happen in the first on a busy machine. */
const ROUNDS_MAX = 10
const PAUSE_MS_MAX = 3
/** Between a claim and its results. */
const EXCHANGE_MS_MAX = 10
const DRAIN_MS_MAX = 120_000

const bench = await laneBench({ connections: 2 * ACTORS })
const { database, pool, deps, workspaceId } = bench
// A deadlock costs one side its transaction, which it repeats. Here it need not wait a second to be found.
await withClient(database.superuserUrl, async (client) => {
  await client.query(`alter database ${database.name} set deadlock_timeout = '10ms'`)
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
})
await eventually('all connections will be new ones', () => pool.totalCount === 0)

test('whatever the order of transactions, deaths and returns: nothing is forgotten, nothing claimed twice', async (t) => {
  const seed = seedFrom('LANES_SEED')
  t.diagnostic(`LANES_SEED=${seed}`)
  const lanes = await Promise.all(Array.from({ length: LANES }, () => newLane(bench)))
  const world = new World(lanes)
  for (let round = 0; round < ROUNDS_MAX && world.lacks() !== undefined; round++) {
    const randomOf = (actor: number) => seededRandom(seed + round * ACTORS + actor)
    await Promise.all(Array.from({ length: ACTORS }, (_, actor) => world.act(randomOf(actor), STEPS / ACTORS)))
    await world.zombiesDone()
  }
  assert.deepEqual(await forgottenDeliveries(bench), [])
  await world.drain(seededRandom(seed - 1))
  t.diagnostic(JSON.stringify({ ...world.counts, deadlocks: world.deadlocks, timeouts: world.timeouts }))
  assert.equal(world.lacks(), undefined, 'the schedule lacks an action')

  let counted = 0
  for (const lane of lanes) {
    const log = await attemptRows(bench, lane)
    counted += log.filter(({ outcome }) => outcome !== 'lost').length
    const states = await queryInScope<{ id: string; state: string }>(pool, workspaceId, {
      text: 'select id, state from deliveries where endpoint_id = $1',
      values: [lane.endpointId],
    })
    assert.equal(new Set(log.map(({ id }) => id)).size, states.length, 'a delivery was never attempted')
    for (const { id, state } of states) {
      const outcomes = log.filter((attempt) => attempt.id === id).map(({ outcome }) => outcome)
      const delivered = outcomes.filter((outcome) => outcome === 'delivered').length
      const failed = outcomes.filter((outcome) => outcome === 'failed').length
      assert.ok(delivered <= 1 + (world.resent.get(id) ?? 0), `delivery ${id} was delivered ${delivered} times`)
      assert.ok(
        state === 'delivered' ? delivered > 0 : state === 'discarded' && failed >= ATTEMPTS_MAX,
        `${id} ${state}`,
      )
    }
  }
  // Of a commit that timed out nobody knows what became.
  if (world.timeouts === 0) assert.equal(counted, world.results, 'results that counted are not those in the log')
})

/** Where a process may be when it is taken for dead. */
type Fate = 'lives' | 'dies' | 'seems dead'

class World {
  readonly counts = { added: 0, rolledBack: 0, turns: 0, superseded: 0, deaths: 0, zombies: 0, stale: 0, switched: 0 }
  readonly resent = new Map<string, number>()
  results = 0
  deadlocks = 0
  timeouts = 0
  readonly #lanes: readonly Lane[]
  readonly #ids: string[] = []
  readonly #underWay = new Set<string>()
  readonly #zombies: Promise<unknown>[] = []

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes
  }

  /** An action that has not happened yet. */
  lacks(): string | undefined {
    return Object.entries(this.counts).find(([, count]) => count === 0)?.[0]
  }

  async act(random: () => number, steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const dice = random()
      if (dice < 0.2) await this.#add(random)
      else if (dice < 0.85) await this.#work(random)
      else if (dice < 0.9) await this.#resend(random)
      else if (dice < 0.95) await this.#switch(random)
      else assert.deepEqual(await forgottenDeliveries(bench), [])
    }
  }

  /** A process that was thought dead ends when it ends; nobody waits for it meanwhile. */
  async zombiesDone(): Promise<void> {
    while (this.#zombies.length > 0) await this.#zombies.pop()
  }

  async drain(random: () => number): Promise<void> {
    for (const { endpointId } of this.#lanes) {
      await updateEndpoint(deps, callerOf(workspaceId), { id: endpointId, change: { enabled: true } })
    }
    const deadlineMs = performance.now() + DRAIN_MS_MAX
    for (;;) {
      const waiting = await Promise.all(this.#lanes.map((lane) => queueRows(bench, lane)))
      if (waiting.flat().length === 0) return
      assert.ok(performance.now() < deadlineMs, `not drained: ${JSON.stringify(waiting.flat().slice(0, 5))}`)
      await Promise.all(Array.from({ length: ACTORS }, () => this.#work(random, 'lives')))
    }
  }

  async #add(random: () => number): Promise<void> {
    const lane = this.#lane(random)
    const isRolledBack = random() < 0.1
    try {
      const ids = await this.#inTransaction(async (tx) => {
        const added = await addDeliveries(tx, lane, 1 + Math.floor(random() * 3))
        await pause(random)
        if (isRolledBack) throw new RolledBack()
        return added
      })
      this.#ids.push(...ids)
      this.counts.added += ids.length
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error
      this.counts.rolledBack++
    }
  }

  async #resend(random: () => number): Promise<void> {
    const id = this.#ids[Math.floor(random() * this.#ids.length)]
    if (id === undefined) return
    await this.#inTransaction(async (tx) => {
      await queueAgain(tx, workspaceId, [id])
      await pause(random)
      await wakeLanes(tx, WEBHOOK_LANES, this.#lanes)
    })
    this.resent.set(id, (this.resent.get(id) ?? 0) + 1)
  }

  async #switch(random: () => number): Promise<void> {
    const { endpointId } = this.#lane(random)
    const change = { enabled: random() < 0.6 }
    await this.#repeated(() => updateEndpoint(deps, callerOf(workspaceId), { id: endpointId, change }))
    this.counts.switched++
  }

  /** Takes a job and runs its turn. A process that dies leaves all as it is; its job is given to another one. */
  async #work(random: () => number, fixed?: Fate): Promise<void> {
    const request = { queue: 'webhooks', kinds: ['deliver_webhook'], jobsMax: 1, priorityMin: -2_000 }
    const [job] = await claim(pool, { ...request, groupMax: 1_000, heldKinds: [], running: new Map() })
    if (!job) return
    const fate = fixed ?? (random() < 0.6 ? 'lives' : random() < 0.4 ? 'dies' : 'seems dead')
    const run = this.#run(job, random, fate === 'dies' ? Math.floor(random() * 4) : Number.POSITIVE_INFINITY)
    if (fate === 'seems dead') {
      this.counts.zombies++
      this.#zombies.push(run)
      await pause(random)
    }
    const isDone = fate !== 'seems dead' && (await run) === 'over'
    if (!isDone) this.counts.deaths++
    const step = isDone
      ? ({ next: 'remove' } as const)
      : ({ next: 'wait', afterMs: 0, error: null, attemptsBack: 0 } as const)
    await settle(pool, 'webhooks', [{ job, step }])
  }

  /** Runs a turn, at most so many steps of it. */
  async #run(job: ClaimedJob, random: () => number, stepsMax: number): Promise<TurnEnd> {
    const { workspaceId, endpointId } = job.payload
    const lane: Lane = { workspaceId: String(workspaceId), endpointId: String(endpointId) }
    const turn = await this.#inTransaction(async (tx) => {
      const begun = await beginTurn(tx, WEBHOOK_LANES, { ...lane, jobId: job.id })
      await pause(random)
      return begun
    })
    if (!turn) {
      this.counts.superseded++
      return 'over'
    }
    this.counts.turns++
    for (let step = 0; step < stepsMax; step++) {
      const end = await this.#turnStep(turn, random)
      if (end !== 'more') return end
    }
    return 'more'
  }

  async #turnStep(turn: DeliveryTurn, random: () => number): Promise<TurnEnd> {
    const claimed = await claimDeliveries(pool, turn, 1 + Math.floor(random() * 5))
    const sent = claimed.filter(() => random() < 0.9)
    for (const each of sent) {
      assert.ok(!this.#underWay.has(claimOf(each)), `${claimOf(each)} was given out twice`)
      this.#underWay.add(claimOf(each))
    }
    await delay(random() * EXCHANGE_MS_MAX)
    if (sent.length > 0) await this.#record(sent, random)
    return this.#inTransaction(async (tx) => {
      const end = await endTurn(tx, WEBHOOK_LANES, {
        turn,
        hasClaims: sent.length < claimed.length,
        yieldNow: random() < 0.2,
      })
      await pause(random)
      return end
    })
  }

  async #record(claimed: readonly ClaimedDelivery[], random: () => number): Promise<void> {
    const results = claimed.map((each) => {
      if (random() < 0.7) return resultFor(each)
      return resultFor(each, { nextInMs: each.attempt < ATTEMPTS_MAX ? Math.floor(random() * 10) : undefined })
    })
    for (const each of claimed) this.#underWay.delete(claimOf(each))
    const counted = await this.#repeated(() => recordAttempts(pool, results))
    this.results += counted
    this.counts.stale += claimed.length - counted
  }

  #inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#repeated(() => inTransaction(pool, workspaceId, work))
  }

  /** As each process does with a transaction that the database rolled back, or did not answer to in time. */
  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        const outcome = databaseOutcome(error)
        if (outcome === 'conflict') this.deadlocks++
        else if (outcome !== undefined) this.timeouts++
        else throw error
      }
    }
  }

  #lane(random: () => number): Lane {
    return this.#lanes[Math.floor(random() * this.#lanes.length)]!
  }
}

/** The name a result is told by: nobody else may hold the same while it is under way. */
function claimOf({ deliveryId, turn, attempt }: ClaimedDelivery): string {
  return `delivery ${deliveryId}, turn ${turn}, attempt ${attempt}`
}

class RolledBack extends Error {}

/** The time that a transaction, a network or a process may take between two statements. */
async function pause(random: () => number): Promise<void> {
  const ms = random() < 0.5 ? 0 : random() * PAUSE_MS_MAX
  if (ms > 0) await delay(ms)
}
