import type pg from 'pg'
import { asks } from '../../server/modules/automations/definition/definition.ts'
import { HEEDED_IN_PAUSE } from '../../server/modules/automations/definition/listens.ts'
import { sweepsOf } from '../../server/modules/automations/definition/sweeps.ts'
import { enrollAutomations } from '../../server/modules/automations/entry/enroll-automations.ts'
import { RUN_SLOTS } from '../../server/modules/automations/entry/slots.ts'
import { momentOf } from '../../server/modules/automations/micros.ts'
import { openTurn } from '../../server/modules/automations/run/advance-runs.ts'
import { checkWaitsOfAutomation } from '../../server/modules/automations/run/check-waits-of-automation.ts'
import { takeStretch } from '../../server/modules/automations/run/take-stretch.ts'
import { persistEvent } from '../../server/modules/events/persist-event.ts'
import { ALL_WORKSPACES, queryInScope } from '../../server/platform/db/transaction.ts'
import { type Progress, step } from '../../server/platform/outbox/consumer.ts'
import { readThrough } from '../../server/platform/outbox/progress.ts'
import { watched } from '../support/outbox-rows.ts'
import { EngineClock } from './engine-clock.ts'
import {
  backfillInto,
  dateIn,
  type EngineWorld,
  eraseFrom,
  lookAtSegments,
  mergeIn,
  publishInto,
  setZone,
  sweepIn,
  tagIn,
  watchedBy,
} from './engine-worlds.ts'
import type { Interleaving } from './interleave.ts'
import { killedAtCommit } from './killed-at-commit.ts'
import { append, type Planned, plannedOf } from './planned-events.ts'
import { isCursed } from './random-definitions.ts'
import { type Acts, pauseAt, turningAt } from './sound-acts.ts'
import {
  clickIn,
  cureIn,
  enrollInto,
  haltIn,
  leaveIn,
  pauseIn,
  resumeIn,
  steerIn,
  stopIn,
  suppressIn,
  turnIn,
} from './steer-worlds.ts'
import { BEGIN, GRID_MICROS, type Times, UNTIL } from './world-times.ts'

/** Chances that a seeded drive takes. */
export type Chances = () => number

type Held = { client: pg.PoolClient; at: number }
type Lane = Parameters<typeof takeStretch>[1]
/** How many rows a stretch takes, whether it is done anew, and after how many visits it leaves the rest to the next one. */
type Way = { limit: number; isKilled: boolean; visitsMax: number | undefined }

/** Open transactions of other test files may hold the log back meanwhile; AUTOMATION_SETTLED_SECONDS is for engines that may stand still. */
const SETTLED_WITHIN_MS = Number(process.env.AUTOMATION_SETTLED_SECONDS ?? 600) * 1_000
/** Transactions that the events of one moment are in. */
const PARTS = 3
/** How often something is done between two commits, and after the events of a moment. */
const WORK_CHANCE = 0.2
const OUTAGE_CHANCE = 0.05
const OUTAGE_MOMENTS_MAX = 30
/** How often a clock is set back for a while, as after a failover to one that is late. */
const CLOCK_BACK_CHANCE = 0.05
const CLOCK_BACK_STEPS_MAX = 12
/** How often a process is killed in a turn, which another one does anew. */
const KILLED_CHANCE = 0.1
/** How often a stretch ends in the middle of ways, as on a slow machine, and after long ones. */
const CUT_CHANCE = 0.3
/** How often the log is read on between what turns do and their commits. */
const MEANWHILE_CHANCE = 0.4

/**
 * `turns` and `readers` have one connection each, whose clock is the test's; what happens within turns is read by `readers`. `writers` are
 * for what is not committed yet.
 */
export type Connections = { turns: readonly pg.Pool[]; readers: pg.Pool; writers: pg.Pool; interleaving: Interleaving }

/**
 * Lets all that people do in some worlds happen on the log, and has the engine work on it: events of a moment in several transactions that
 * are committed in any order, readers and turns in between, and readers within turns, none of them for hours. Turns of all automations
 * go together, so that many worlds take not much longer than one.
 */
export class Drive {
  readonly #turns: readonly pg.Pool[]
  readonly #readers: pg.Pool
  readonly #writers: pg.Pool
  readonly #interleaving: Interleaving
  readonly #chance: Chances
  readonly #deps
  readonly #meanwhile
  readonly #clock: EngineClock
  readonly #progress = new Map<string, Progress>()
  #held: Held[] = []
  #failing: ReadonlySet<string> = new Set()

  constructor({ turns, readers, writers, interleaving }: Connections, chance: Chances) {
    this.#turns = turns
    this.#readers = readers
    this.#writers = writers
    this.#interleaving = interleaving
    this.#chance = chance
    this.#clock = new EngineClock([...turns, readers])
    this.#deps = watched(turns[0]!)
    this.#meanwhile = watched(readers)
  }

  run(worlds: readonly EngineWorld[], times: Times): Promise<void> {
    return this.#clock.kept(() => this.#go(worlds, times))
  }

  async #go(worlds: readonly EngineWorld[], { moments, checks, looks, sweeps }: Times): Promise<void> {
    const happening = Map.groupBy(worlds.flatMap(plannedOf), ({ at }) => at)
    this.#failing = new Set(worlds.filter(mayFail).map(({ workspaceId }) => workspaceId))
    let away = 0
    for (const at of [...new Set([...happening.keys(), ...moments])].sort((one, other) => one - other)) {
      if (away === 0 && this.#chance() < OUTAGE_CHANCE) away = Math.ceil(this.#chance() * OUTAGE_MOMENTS_MAX)
      if (away === 0 && this.#chance() < CLOCK_BACK_CHANCE) {
        await this.#clock.set(Math.max(BEGIN, at - Math.ceil(this.#chance() * CLOCK_BACK_STEPS_MAX) * GRID_MICROS))
        await this.#work(2)
      }
      await this.#clock.set(at)
      await this.#happen(happening.get(at) ?? [], away > 0)
      if (moments.includes(at))
        await this.#act(worlds, at, {
          isCheck: checks.includes(at),
          isLook: looks.includes(at),
          isSweep: sweeps.includes(at),
        })
      if (away > 0) away--
      else if (this.#chance() < WORK_CHANCE * 2) await this.#work(2)
    }
    await this.#settle(Math.max(...moments), UNTIL)
    const [parked] = [...this.#deps.parked, ...this.#meanwhile.parked]
    if (parked) throw new Error(`parked: ${parked.error}`)
  }

  /**
   * Does what is done to automations and people at a moment, one kind after the other, each once everything before is done: who comes in
   * while the version changes comes into either, and what holds for somebody is as of now; only one can be compared.
   */
  async #act(
    worlds: readonly EngineWorld[],
    at: number,
    { isCheck, isLook, isSweep }: { isCheck: boolean; isLook: boolean; isSweep: boolean },
  ): Promise<void> {
    const open = worlds.filter(({ acts }) => pauseAt(acts.pauses, at) === undefined)
    const now = <T extends { at: number }>(all: readonly T[]) => all.filter((one) => one.at === at)
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.publishings).map((one) => () => publishInto(pool, world, one)),
    )
    const asking = isCheck ? open.filter(mayAsk) : []
    await this.#actOn(asking, at, (pool, world) => [
      () => checkWaitsOfAutomation(pool, world, new AbortController().signal),
    ])
    await this.#actOn(worlds, at, (pool, world) => {
      const { pauses, stop } = world.acts
      const pause = stop !== null && stop.at < at ? undefined : pauseAt(pauses, at)
      if (pause?.from === at) return [() => pauseIn(pool, world)]
      return pause?.until === at ? [() => resumeIn(pool, world, pause)] : []
    })
    if (worlds.some(({ acts }) => isTurned(acts, at))) await this.#settle(at, at)
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.erasures).map((one) => () => eraseFrom(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.mergings).map((one) => () => mergeIn(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.zonings).map((one) => () => setZone(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) => now(world.acts.taggings).map((one) => () => tagIn(pool, world, one)))
    await this.#actOn(worlds, at, (pool, world) => now(world.acts.datings).map((one) => () => dateIn(pool, world, one)))
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.clickings).map((one) => () => clickIn(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.suppressings).map((one) => () => suppressIn(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.leavings).map((one) => () => leaveIn(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.haltings).map((one) => () => haltIn(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) => now(world.acts.cures).map((one) => () => cureIn(pool, world, one)))
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.steerings).map((one) => () => steerIn(pool, world, one)),
    )
    await this.#actOn(worlds, at, (pool, world) => {
      const { stop } = world.acts
      return stop?.at === at ? [() => stopIn(pool, world, stop)] : []
    })
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.enrollings).map((one) => () => enrollInto(pool, world, one)),
    )
    const sweeping = isSweep ? worlds.filter(mayBeTimed) : []
    await this.#actOn(sweeping, at, (pool, world) => [() => sweepIn(pool, world)])
    const looking = isLook ? worlds.filter((world) => mayWatch(world, at)) : []
    await this.#actOn(looking, at, (pool, world) => [() => lookAtSegments(pool, world)])
    // The last of all: those who begin now do so a little later.
    await this.#actOn(worlds, at, (pool, world) =>
      now(world.acts.backfillings).map((one) => () => backfillInto(pool, world, one)),
    )
    if (sweeping.length > 0 || worlds.some(({ acts }) => now(acts.backfillings).length > 0)) await this.#settle(at, at)
    await this.#turnEntries(worlds, turningAt(at))
  }

  /** Closes and opens entries, whatever is not read or done by then. */
  async #turnEntries(worlds: readonly EngineWorld[], at: number): Promise<void> {
    const turned = worlds.filter(({ acts }) => acts.turnings.some((one) => one.at === at))
    if (turned.length === 0) return
    await this.#clock.set(at)
    for (const world of turned)
      for (const one of world.acts.turnings) if (one.at === at) await turnIn(this.#turns[0]!, world, one)
  }

  /** Acts in worlds, side by side and in each one after the other; what they tell the log is recorded at the moment. */
  async #actOn(
    worlds: readonly EngineWorld[],
    at: number,
    actsOf: (pool: pg.Pool, world: EngineWorld) => readonly (() => Promise<unknown>)[],
  ): Promise<void> {
    const waiting = worlds.filter((world) => actsOf(this.#turns[0]!, world).length > 0)
    if (waiting.length === 0) return
    await this.#settle(at, at)
    const working = async (pool: pg.Pool) => {
      for (let world = waiting.shift(); world !== undefined; world = waiting.shift())
        for (const act of actsOf(pool, world)) await act()
    }
    await this.#clock.recordedAt(at, () => Promise.all(this.#turns.map(working)))
  }

  /** Writes events of one moment in some transactions, and commits these in any order. */
  async #happen(events: readonly Planned[], isAway: boolean): Promise<void> {
    const parts = Map.groupBy(events, () => Math.floor(this.#chance() * PARTS))
    for (const part of parts.values()) {
      const client = await this.#writers.connect()
      await client.query(`begin; set local postroom.workspace = '*'`)
      await append(client, part)
      this.#held.push({ client, at: events[0]!.at })
    }
    while (this.#held.length > 0) {
      const [one] = this.#held.splice(Math.floor(this.#chance() * this.#held.length), 1)
      await one!.client.query('commit')
      one!.client.release()
      if (!isAway && this.#chance() < WORK_CHANCE) await this.#work(1)
    }
  }

  /** Some of what processes do, in any order. */
  async #work(rounds: number): Promise<void> {
    for (let n = 0; n < rounds; n++) {
      const chance = this.#chance()
      if (chance < 0.3) await this.#read(persistEvent)
      else if (chance < 0.6) await this.#read(enrollAutomations)
      else await this.#round(0.2 + this.#chance() * 0.8)
    }
  }

  /** Reads a stretch of the log, a short one more often than not. */
  async #read(group: typeof persistEvent, { deps = this.#deps, isWhole = false } = {}): Promise<string> {
    const progress = this.#progress.get(group.group) ?? { rowsMax: 5_000, attempts: 0 }
    this.#progress.set(group.group, progress)
    progress.rowsMax = isWhole || this.#chance() < 0.3 ? 5_000 : 1 + Math.floor(this.#chance() ** 2 * 200)
    return (await step(deps, group, progress)).outcome
  }

  /** Reads the log whole; answers whether there was nothing left. */
  async #readAll(): Promise<boolean> {
    const read = [
      await this.#read(persistEvent, { isWhole: true }),
      await this.#read(enrollAutomations, { isWhole: true }),
    ]
    return read.every((outcome) => outcome === 'idle')
  }

  /** Reads on from another connection, as another process does while turns are about to commit. */
  async #readMeanwhile(): Promise<{ promise: Promise<unknown>; pid: number }> {
    const { rows } = await this.#readers.query<{ pid: number }>('select pg_backend_pid() as pid')
    const deps = this.#meanwhile
    const reading = this.#read(persistEvent, { deps, isWhole: true })
    return { pid: rows[0]!.pid, promise: reading.then(() => this.#read(enrollAutomations, { deps, isWhole: true })) }
  }

  /** A stretch of a part of the lanes that have something due; answers whether there were any. */
  async #round(part: number): Promise<boolean> {
    const times = await readThrough(this.#turns[0]!, enrollAutomations.group)
    // Nobody was told yet that these have happened; either way would be right, and only one can be compared.
    const held = Math.min(...this.#held.map(({ at }) => at - 1))
    const through = Date.parse(times.through) * 1_000 > held ? momentOf(BigInt(held)) : times.through
    const due = await queryInScope<Lane>(this.#turns[0]!, ALL_WORKSPACES, { text: DUE, values: [through] })
    const some = due.filter(() => part === 1 || this.#chance() < part)
    const lanes = some.filter(({ workspaceId }) => !this.#failing.has(workspaceId))
    const take =
      (pool: pg.Pool, lane: Lane, { limit, isKilled, visitsMax }: Way) =>
      async () => {
        const stretch = { times: { ...times, through }, limit, trail: { visitsMax } }
        if (isKilled) await killedAtCommit(pool, () => takeStretch(pool, lane, stretch))
        const { rows } = await takeStretch(pool, lane, stretch)
        if (rows === 0) throw new Error('a lane with something due has nothing to do')
      }
    const ways = lanes.map(() => {
      const visitsMax = this.#chance() < CUT_CHANCE ? 1 + Math.floor(this.#chance() * 3) : undefined
      return { limit: 1 + Math.floor(this.#chance() * 30), isKilled: this.#chance() < KILLED_CHANCE, visitsMax }
    })
    const crossed = this.#chance() < MEANWHILE_CHANCE ? this.#apart(lanes) : []
    if (crossed.length > 0) {
      const works = new Map(
        crossed.map((n, place) => [this.#turns[place]!, take(this.#turns[place]!, lanes[n]!, ways[n]!)]),
      )
      await this.#interleaving.during(() => this.#readMeanwhile(), works)
    }
    const failing = this.#held.length > 0 ? [] : some.filter(({ workspaceId }) => this.#failing.has(workspaceId))
    const rest = [
      ...lanes.flatMap((lane, n) => (crossed.includes(n) ? [] : [(pool: pg.Pool) => take(pool, lane, ways[n]!)()])),
      ...failing.map((lane) => (pool: pg.Pool) => turnOf(pool, lane)),
    ]
    await Promise.all(
      this.#turns.map(async (pool) => {
        for (let one = rest.pop(); one !== undefined; one = rest.pop()) await one(pool)
      }),
    )
    return due.length > 0
  }

  /** Some lanes, by their places, of which none waits for another. */
  #apart(lanes: readonly Lane[]): number[] {
    const from = Math.floor(this.#chance() * lanes.length)
    const chosen = new Map<string, number>()
    for (let n = from; n < lanes.length && chosen.size < this.#turns.length; n++) chosen.set(lanes[n]!.automationId, n)
    return [...chosen.values()]
  }

  /** Goes on until nothing is left to do by a moment, the clock in leaps. */
  async #settle(from: number, until: number): Promise<void> {
    let at = from
    const deadlineMs = performance.now() + SETTLED_WITHIN_MS
    // Nobody but turns tells the log anything meanwhile.
    let isRead = false
    while (performance.now() < deadlineMs) {
      if (!isRead) isRead = await this.#readAll()
      if (await this.#round(1)) isRead = false
      if (!isRead) continue
      if (at >= until) return
      at = Math.min(until, at + Math.ceil(this.#chance() * 48) * GRID_MICROS)
      await this.#clock.set(at)
    }
    throw new Error('the engine has not come to its end')
  }
}

const NO_MAILER = { queue: () => Promise.reject(new Error('nobody is told of nodes that are halted')) }
const CLAIMS_A_TURN = 200

/** A turn as it is where steps may fail: what fails is halved down to the one who fails, whom the rest of the turn passes over. */
async function turnOf(pool: pg.Pool, lane: Lane): Promise<void> {
  const turn = openTurn({ pool, mailer: NO_MAILER, onError: () => undefined }, lane)
  for (let n = 0; n < CLAIMS_A_TURN; n++) if (!(await turn.claim(1)).mayHaveMore) return
}

/** Worlds in which steps may fail. */
const mayFail = ({ definition, acts }: EngineWorld) =>
  [definition, ...acts.publishings.map((one) => one.definition)].some(({ nodes }) =>
    Object.values(nodes).some(isCursed),
  )

const DUE = `select l.workspace_id as "workspaceId", l.automation_id as "automationId", l.slot, l.turn from automation_lanes l
  join automations a on a.workspace_id = l.workspace_id and a.id = l.automation_id
  where exists (select from run_queue q where q.workspace_id = l.workspace_id and q.automation_id = l.automation_id
    and q.slot = l.slot
    and (a.stopped_at is not null or q.due_at <= $1::timestamptz and (a.paused_at is null or ${HEEDED_IN_PAUSE})))
    or a.stopped_at is not null and exists (select from runs r where r.workspace_id = l.workspace_id
      and r.automation_id = l.automation_id and r.contact_id % ${RUN_SLOTS} = l.slot and r.state = 'parked')
  order by 1, 2, 3`

const isTurned = ({ pauses, stop }: Acts, at: number) =>
  (stop === null || stop.at >= at) && pauses.some(({ from, until }) => from === at || until === at)

const mayAsk = ({ definition, acts }: EngineWorld) =>
  [definition, ...acts.publishings.map((one) => one.definition)].some(({ nodes }) => Object.values(nodes).some(asks))

const mayBeTimed = ({ definition, acts }: EngineWorld) =>
  [definition, ...acts.publishings.map((one) => one.definition)].some((one) => sweepsOf(one).length > 0)

/** What segments tell at the beginning of a pause would be half of it. */
const mayWatch = ({ definition, acts }: EngineWorld, at: number) =>
  acts.pauses.every(({ from }) => from !== at) &&
  [definition, ...acts.publishings.map((one) => one.definition)].some((one) => watchedBy(one).length > 0)
