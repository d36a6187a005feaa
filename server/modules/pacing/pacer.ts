import type pg from 'pg'
import { Bell } from '../../platform/bell.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { DatabaseClock } from './database-clock.ts'
import { AHEAD_MS, noteRefusals, type Pace, rateAt, takeSlots } from './pace.ts'
import { lockPace, type PacedIntegration, storePace } from './queries.ts'

/** When a message's content may be written. */
export type Slot = {
  /** On this process's clock, `performance.now()`. */
  at: number
  /** Waits for that moment. False when it has passed by more than may be: the slot is lost, reserve another. */
  begin(): Promise<boolean>
}

export type Reservation = PacedIntegration & {
  /** The limit that holds now; null: none. */
  perSecond: number | null
  kind: 'transactional' | 'broadcast'
}

/** Hands out the slots of integrations, together with the pacers of all other processes. */
export type Pacer = {
  /** Rejects when `signal` is aborted, and when the database is away. */
  reserve(reservation: Reservation, signal: AbortSignal): Promise<Slot>
  /**
   * The provider said "too fast" to a message, in its slot or, null, before it had one: the rate of the whole fleet goes
   * to what the provider takes (slowdown.ts).
   */
  slowDown(integration: PacedIntegration, slot: Slot | null): void
}

export type PacerDeps = { pool: pg.Pool; onError(error: unknown): void }

/** The part of the lateness at the server that may pass before the content is written; the rest is the way there. */
const BEGIN_TOLERANCE_MS = 25
/** How long slots without a limit are given without asking, which is how long a slow-down takes to reach every process. */
const FREE_LEASE_MS = 1_000
/** Refusals are told together. */
const TELL_MS = 250
/** With time left, messages that ask one after the other are served together. */
const GATHER_MS = 10
const IN_A_HURRY_MS = 50
/** The rate may rise while a slot is waited for. */
const LOOK_AGAIN_MS = 1_000
/** After this time without a message an integration is forgotten. */
const FORGOTTEN_AFTER_MS = 60_000

export function createPacer(deps: PacerDeps): Pacer {
  const clock = new DatabaseClock()
  const paced = new Map<string, PacedQueue>()
  let sweptAt = performance.now()
  const queueOf = (integration: PacedIntegration) => {
    const now = performance.now()
    if (now - sweptAt > FORGOTTEN_AFTER_MS) {
      sweptAt = now
      for (const [key, queue] of paced) if (queue.isForgotten(now)) paced.delete(key)
    }
    const key = `${integration.workspaceId}/${integration.integrationId}`
    const queue = paced.get(key) ?? new PacedQueue(deps, clock, integration)
    paced.set(key, queue)
    return queue
  }
  return {
    reserve: async (reservation, signal) => queueOf(reservation).reserve(reservation, signal),
    slowDown: (integration, slot) => queueOf(integration).slowDown(slot),
  }
}

type Waiter = { give(slot: Slot): void; fail(error: unknown): void }

/** Messages that wait in this process for slots of one integration. */
class PacedQueue {
  readonly #deps: PacerDeps
  readonly #clock: DatabaseClock
  readonly #integration: PacedIntegration
  readonly #waiting = { transactional: new Set<Waiter>(), broadcast: new Set<Waiter>() }
  readonly #bell = new Bell()
  #perSecond: number | null = null
  #isServing = false
  #usedAt = performance.now()
  /** Until when slots are free, and how many were taken of them. */
  #freeUntil = 0
  #takenFreely = 0
  /** Refusals that are still to be told, by when their slots were on this process's clock. */
  #refusals: (number | null)[] = []
  #isTelling = false
  /** Slots that passed unused, on the database's clock, since slots were last taken. */
  #unused: number[] = []

  constructor(deps: PacerDeps, clock: DatabaseClock, { workspaceId, integrationId }: PacedIntegration) {
    this.#deps = deps
    this.#clock = clock
    this.#integration = { workspaceId, integrationId }
  }

  isForgotten(now: number): boolean {
    return !this.#isServing && now - this.#usedAt > FORGOTTEN_AFTER_MS
  }

  async reserve({ perSecond, kind }: Reservation, signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted()
    this.#usedAt = performance.now()
    this.#perSecond = perSecond
    if (perSecond === null && this.#usedAt < this.#freeUntil) {
      this.#takenFreely += 1
      return freeSlot(this.#usedAt)
    }
    const waiting = this.#waiting[kind]
    return new Promise<Slot>((resolve, reject) => {
      const leave = () => {
        waiter.fail(signal.reason)
        this.#bell.ring()
      }
      const end = () => {
        signal.removeEventListener('abort', leave)
        waiting.delete(waiter)
      }
      const waiter: Waiter = {
        give(slot) {
          end()
          resolve(slot)
        },
        fail(error) {
          end()
          reject(error)
        },
      }
      signal.addEventListener('abort', leave)
      waiting.add(waiter)
      // A broadcast's message can wait until the loop looks again; who is in front of it must not.
      if (kind === 'transactional') this.#bell.ring()
      void this.#serve()
    })
  }

  slowDown(slot: Slot | null): void {
    this.#usedAt = performance.now()
    this.#freeUntil = 0
    this.#refusals.push(slot?.at ?? null)
    if (!this.#isTelling) void this.#tell()
  }

  /** The first refusal at once, those that follow it together. Refusals that cannot be told are told with the next slots. */
  async #tell(): Promise<void> {
    this.#isTelling = true
    for (let isTold = true; isTold && this.#refusals.length > 0; ) {
      isTold = await this.#changePace((pace) => ({ pace })).then(
        (changed) => changed !== undefined,
        (error: unknown) => {
          this.#deps.onError(error)
          return false
        },
      )
      await new Promise((resolve) => setTimeout(resolve, TELL_MS).unref())
    }
    this.#isTelling = false
  }

  /** Takes slots for whoever waits until nobody does. */
  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    const { transactional, broadcast } = this.#waiting
    try {
      while (transactional.size + broadcast.size > 0) {
        const nextAt = await this.#take()
        const leftMs = nextAt - performance.now()
        if (transactional.size + broadcast.size > 0)
          await this.#bell.wait(Math.min(Math.max(1, leftMs - this.#leadMs()), LOOK_AGAIN_MS))
        else if (leftMs > IN_A_HURRY_MS) await this.#bell.wait(GATHER_MS)
      }
    } catch (error) {
      for (const waiter of [...transactional, ...broadcast]) waiter.fail(error)
    } finally {
      this.#isServing = false
    }
  }

  /** How long before the next free slot it is asked for again. A broadcast asks late, and then for more at once. */
  #leadMs(): number {
    return this.#waiting.transactional.size > 0 ? AHEAD_MS.transactional : AHEAD_MS.broadcast / 2
  }

  /**
   * Changes the pace, what is to be told by then in it; undefined for an integration that is gone. After an error all of that is to be told
   * still.
   */
  async #changePace<T extends { pace: Pace }>(change: (pace: Pace, now: number) => T): Promise<T | undefined> {
    let refusals: (number | null)[] = []
    let takenFreely = 0
    try {
      return await inTransaction(this.#deps.pool, this.#integration.workspaceId, async (tx) => {
        const askedAt = performance.now()
        const held = await lockPace(tx, this.#integration)
        if (held === undefined) return undefined
        const { now, pace } = held
        this.#clock.observe(now, askedAt, performance.now())
        // Refusals that are known by now belong to the period, also when the process stood still before it could tell them.
        refusals = this.#refusals.splice(0)
        takenFreely = this.#takenFreely
        this.#takenFreely = 0
        // Slots that were taken freely count as offered, and no more than that.
        const changed = change(this.#noting({ ...pace, counted: pace.counted + takenFreely }, refusals, now), now)
        await storePace(tx, this.#integration, changed.pace)
        return changed
      })
    } catch (error) {
      this.#refusals = [...refusals, ...this.#refusals]
      this.#takenFreely += takenFreely
      throw error
    }
  }

  #noting(pace: Pace, refusals: readonly (number | null)[], now: number): Pace {
    if (refusals.length === 0) return pace
    const told = refusals.map((at) => (at === null ? null : this.#clock.toDatabase(at)))
    return noteRefusals(pace, told, now)
  }

  /** Takes what there is by now and gives it to those who wait; returns when there is more. */
  async #take(): Promise<number> {
    const { transactional, broadcast } = this.#waiting
    const perSecond = this.#perSecond
    let unused: number[] = []
    const taken = await this.#changePace((pace, now) => {
      const wanted = { transactional: transactional.size, broadcast: broadcast.size }
      unused = this.#unused.splice(0)
      const slots = takeSlots(pace, { now, perSecond, unused, ...wanted })
      return { ...slots, isFree: rateAt(slots.pace, perSecond, now) === null }
    }).catch((error: unknown) => {
      this.#unused = [...unused, ...this.#unused]
      throw error
    })
    if (taken === undefined) throw new Error(`integration ${this.#integration.integrationId} is gone`)
    if (taken.isFree) this.#freeUntil = performance.now() + FREE_LEASE_MS
    for (const kind of ['transactional', 'broadcast'] as const) {
      const waiters = this.#waiting[kind].values()
      for (const at of taken[kind]) {
        const local = this.#clock.toLocal(at)
        // Fewer than asked when some left meanwhile: their slots pass unused.
        waiters.next().value?.give(taken.isFree ? freeSlot(local) : this.#slotAt(at, local))
      }
    }
    return this.#clock.toLocal(taken.nextAt)
  }

  #slotAt(databaseMs: number, at: number): Slot {
    return {
      at,
      begin: async () => {
        // A timer may fire up to a millisecond before its time.
        for (let leftMs = at - performance.now(); leftMs > 0; leftMs = at - performance.now()) {
          await new Promise((resolve) => setTimeout(resolve, leftMs))
        }
        if (performance.now() <= at + BEGIN_TOLERANCE_MS) return true
        this.#unused.push(databaseMs)
        return false
      },
    }
  }
}

function freeSlot(at: number): Slot {
  return { at, begin: async () => true }
}
