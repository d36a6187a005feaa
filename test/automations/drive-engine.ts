import type pg from 'pg'
import { HEEDED_IN_PAUSE } from '../../server/modules/automations/definition/listens.ts'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { checkWaitsOfAutomation } from '../../server/modules/automations/run/check-waits-of-automation.ts'
import { takeStretch } from '../../server/modules/automations/run/take-stretch.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { ALL_WORKSPACES, queryInScope } from '../../server/platform/db/transaction.ts'
import { type Progress, step } from '../../server/platform/outbox/consumer.ts'
import { readThrough } from '../../server/platform/outbox/progress.ts'
import { watched } from '../support/outbox-rows.ts'
import { backfillInto, type EngineWorld, eraseFrom, publishInto, switchPause } from './engine-worlds.ts'
import type { Interleaving } from './interleave.ts'
import { BEGIN, GRID_MICROS, isIn, UNTIL } from './random-worlds.ts'

/** Chances that a seeded drive takes. */
export type Chances = () => number

type Planned = {
  at: number
  workspaceId: string
  contactId: string
  name: string
  data: object
  proof: string | null
}
type Held = { client: pg.PoolClient; at: number }

/** Open transactions of other test files may hold the log back meanwhile. */
const SETTLED_WITHIN_MS = 300_000
const OUTAGE_CHANCE = 0.15
const OUTAGE_STEPS_MAX = 30
/** How often a clock is set back for a while, as after a failover to one that is late. */
const CLOCK_BACK_CHANCE = 0.15
const CLOCK_BACK_STEPS_MAX = 12
/** How often the log is read on between what a turn does and its commit. */
const MEANWHILE_CHANCE = 0.3

/**
 * `pool` has one connection, whose clock is the test's; so has `readers`, for what happens within a turn. `writers` are for what is not
 * committed yet.
 */
export type Connections = { pool: pg.Pool; readers: pg.Pool; writers: pg.Pool; interleaving: Interleaving }

/**
 * Lets all that people do in some worlds happen on the log, and has the engine work on it: events of a moment in several
 * transactions that are committed in any order, readers and turns in between, and readers within turns, none of them for hours.
 */
export class Drive {
  readonly #pool: pg.Pool
  readonly #readers: pg.Pool
  readonly #writers: pg.Pool
  readonly #interleaving: Interleaving
  readonly #chance: Chances
  readonly #deps
  readonly #meanwhile
  readonly #progress = new Map<string, Progress>()
  #held: Held[] = []

  constructor({ pool, readers, writers, interleaving }: Connections, chance: Chances) {
    this.#pool = pool
    this.#readers = readers
    this.#writers = writers
    this.#interleaving = interleaving
    this.#chance = chance
    this.#deps = watched(pool)
    this.#meanwhile = watched(readers)
  }

  async run(worlds: readonly EngineWorld[], checks: readonly number[]): Promise<void> {
    const happenings = worlds.flatMap(({ workspaceId, people }) =>
      people.flatMap(({ person, contactId }) =>
        person.happenings.map(({ at, name, data, proof = null }) => ({
          ...{ at, workspaceId, contactId, name: name!, data: data ?? {}, proof },
        })),
      ),
    )
    const happening = Map.groupBy(happenings, ({ at }) => at)
    const published = worlds.flatMap((world) => world.publishings.map((one) => ({ world, ...one })))
    const backfilled = worlds.flatMap((world) => world.backfillings.map((one) => ({ world, ...one })))
    const switched = worlds.flatMap((world) =>
      world.pause === null
        ? []
        : [
            { world, at: world.pause.from, paused: true },
            { world, at: world.pause.until, paused: false },
          ],
    )
    const erased = worlds.flatMap((world) => [...world.erasedAt].map(([contactId, at]) => ({ world, contactId, at })))
    const planned = [...published, ...backfilled, ...switched, ...erased].map(({ at }) => at)
    const moments = [...new Set([...happening.keys(), ...planned, ...checks])].sort((one, other) => one - other)
    let away = 0
    for (const at of moments) {
      const events = happening.get(at) ?? []
      await this.#setClock(at)
      if (away === 0 && this.#chance() < OUTAGE_CHANCE) away = Math.ceil(this.#chance() * OUTAGE_STEPS_MAX)
      await this.#happen(events, away > 0)
      if (away === 0 && this.#chance() < CLOCK_BACK_CHANCE) {
        await this.#setClock(Math.max(BEGIN, at - Math.ceil(this.#chance() * CLOCK_BACK_STEPS_MAX) * GRID_MICROS))
        await this.#work(1)
        await this.#setClock(at)
      }
      const now = published.filter((one) => one.at === at)
      // Who comes in while the version changes comes into either; only one can be compared.
      if (now.length > 0) await this.#settle(at, at)
      for (const { world, ...publishing } of now) await publishInto(this.#pool, world, publishing)
      if (checks.includes(at))
        await this.#check(
          worlds.filter(({ pause }) => !isIn(pause, at)),
          at,
        )
      const gone = backfilled.filter((one) => one.at === at)
      // What is gone through is what nobody has come in by: all of it is known before, and done at the same clock.
      if (gone.length > 0) await this.#settle(at, at)
      for (const { world, ...backfilling } of gone) await backfillInto(this.#pool, world, backfilling)
      if (gone.length > 0) await this.#settle(at, at)
      const turned = switched.filter((one) => one.at === at)
      if (turned.length > 0) await this.#settle(at, at)
      for (const { world, paused } of turned) await switchPause(this.#pool, world, paused)
      if (turned.length > 0) await this.#settle(at, at)
      const forgotten = erased.filter((one) => one.at === at)
      if (forgotten.length > 0) await this.#settle(at, at)
      for (const { world, contactId } of forgotten) await eraseFrom(this.#pool, world, contactId)
      if (away > 0) away--
      else await this.#work(2)
    }
    await this.#settle(Math.max(...moments), UNTIL)
    const [parked] = [...this.#deps.parked, ...this.#meanwhile.parked]
    if (parked) throw new Error(`parked: ${parked.error}`)
  }

  async #setClock(at: number): Promise<void> {
    for (const pool of [this.#pool, this.#readers]) {
      await pool.query(`select set_config('postroom.clock', $1, false)`, [new Date(at / 1_000).toISOString()])
    }
  }

  /** Asks all who wait, once everything before is done: what holds for them then is what is compared. */
  async #check(worlds: readonly EngineWorld[], at: number): Promise<void> {
    await this.#settle(at, at)
    for (const key of worlds) await checkWaitsOfAutomation(this.#pool, key, new AbortController().signal)
  }

  /** Writes events of one moment in up to three transactions, and commits these in any order. */
  async #happen(events: readonly Planned[], isAway: boolean): Promise<void> {
    const parts = Map.groupBy(events, () => Math.floor(this.#chance() * 3))
    for (const part of parts.values()) {
      const client = await this.#writers.connect()
      await client.query(`begin; set local postroom.workspace = '*'`)
      for (const event of part) await append(client, event)
      this.#held.push({ client, at: events[0]!.at })
    }
    while (this.#held.length > 0) {
      const [one] = this.#held.splice(Math.floor(this.#chance() * this.#held.length), 1)
      await one!.client.query('commit')
      one!.client.release()
      if (!isAway) await this.#work(1)
    }
  }

  /** Some of what processes do, in any order. */
  async #work(rounds: number): Promise<void> {
    for (let n = 0; n < rounds * 3; n++) {
      const chance = this.#chance()
      if (chance < 0.25) await this.#read(persistEvent)
      else if (chance < 0.5) await this.#read(enrollAutomations)
      else await this.#turn()
    }
  }

  async #read(group: typeof persistEvent, deps = this.#deps): Promise<string> {
    const progress = this.#progress.get(group.group) ?? { rowsMax: 5_000, attempts: 0 }
    this.#progress.set(group.group, progress)
    progress.rowsMax = 1 + Math.floor(this.#chance() * 20)
    return (await step(deps, group, progress)).outcome
  }

  /** Reads on from another connection, as another process does while a turn is about to commit. */
  async #readMeanwhile(): Promise<{ promise: Promise<unknown>; pid: number }> {
    const { rows } = await this.#readers.query<{ pid: number }>('select pg_backend_pid() as pid')
    const reading = this.#read(persistEvent, this.#meanwhile)
    return { pid: rows[0]!.pid, promise: reading.then(() => this.#read(enrollAutomations, this.#meanwhile)) }
  }

  /** A stretch of a lane that has something due; answers whether there was one. */
  async #turn(): Promise<boolean> {
    const times = await readThrough(this.#pool, enrollAutomations.group)
    // Nobody was told yet that these have happened; either way would be right, and only one can be compared.
    const held = Math.min(...this.#held.map(({ at }) => at - 1))
    const through = Number.isFinite(held) && Date.parse(times.through) * 1_000 > held ? momentOf(held) : times.through
    const lanes = await queryInScope<{ workspaceId: string; automationId: string; slot: number; turn: string }>(
      this.#pool,
      ALL_WORKSPACES,
      {
        text: `select l.workspace_id as "workspaceId", l.automation_id as "automationId", l.slot, l.turn from automation_lanes l
          join automations a on a.workspace_id = l.workspace_id and a.id = l.automation_id
          where exists (select from run_queue q where q.workspace_id = l.workspace_id and q.automation_id = l.automation_id
            and q.slot = l.slot and q.due_at <= $1::timestamptz and (a.paused_at is null or ${HEEDED_IN_PAUSE}))
          order by 1, 2, 3`,
        values: [through],
      },
    )
    const lane = lanes[Math.floor(this.#chance() * lanes.length)]
    if (!lane) return false
    const limit = 1 + Math.floor(this.#chance() * 30)
    const turn = lane as Parameters<typeof takeStretch>[1]
    const take = () => takeStretch(this.#pool, turn, { times: { ...times, through }, limit })
    const isCrossed = this.#chance() < MEANWHILE_CHANCE
    const { rows } = isCrossed ? await this.#interleaving.during(() => this.#readMeanwhile(), take) : await take()
    if (rows === 0) throw new Error('a lane with something due has nothing to do')
    return true
  }

  /** Goes on until nothing is left to do by a moment, the clock in leaps. */
  async #settle(from: number, until: number): Promise<void> {
    let at = from
    const deadlineMs = performance.now() + SETTLED_WITHIN_MS
    while (performance.now() < deadlineMs) {
      const read = [await this.#read(persistEvent), await this.#read(enrollAutomations)]
      const isRead = read.every((outcome) => outcome === 'idle')
      if ((await this.#turn()) || !isRead) continue
      if (at >= until) return
      at = Math.min(until, at + Math.ceil(this.#chance() * 48) * GRID_MICROS)
      await this.#setClock(at)
    }
    throw new Error('the engine has not come to its end')
  }
}

function momentOf(micros: number): string {
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1_000).toISOString().slice(0, 19)
  return `${seconds}.${String(micros % 1_000_000).padStart(6, '0')}Z`
}

async function append(
  client: pg.PoolClient,
  { at, workspaceId, contactId, name, data, proof }: Planned,
): Promise<void> {
  await client.query(
    `insert into outbox (workspace_id, type, name, subject, contact_id, data, occurred_at, recorded_at, proof)
     values ($1, 'event.recorded', $2, '', $3, $4, $5, $5, $6)`,
    [workspaceId, name, contactId, JSON.stringify(data), momentOf(at), proof],
  )
}
