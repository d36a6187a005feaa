import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { CONNECT_TIMEOUT_MS } from './pool.ts'

/** The part of a pool's places that only readers get. */
const READERS_SHARE = 1 / 4
/** The part of a pool's places, and of those for writers, that one workspace may have at once: a fifth is left to the others. */
const WORKSPACE_SHARE = 4 / 5

const reading = new AsyncLocalStorage<boolean>()
const asking = new AsyncLocalStorage<string | undefined>()

/** Runs work that only reads, and all that it starts: in a pool that keeps readers a share, it may take every place. */
export function asReader<T>(work: () => T): T {
  return reading.run(true, work)
}

/** Runs work that a reader has set off and that others wait for as well, as itself. */
export function asNoReader<T>(work: () => T): T {
  return reading.run(false, work)
}

/** A connection for work in a workspace, whose share it counts against; for the system's own without one. */
export function connectFor(pool: pg.Pool, workspaceId: string | undefined): Promise<pg.PoolClient> {
  return asking.run(workspaceId, () => pool.connect())
}

/** The workspace had its share of the connections for as long as anybody waits for one. */
export class ShareTaken extends Error {
  override readonly name = 'ShareTaken'
}

type Given = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void
type Waiting = { since: number; go(): void }

/** A workspace, or the system itself: the places it has, of them those for writing, and who waits for one. */
type Asker = {
  workspaceId: string | undefined
  used: number
  writing: number
  readers: Set<Waiting>
  writers: Set<Waiting>
}

type Limits = { used: number; writing: number }
const partOf = (limits: Limits, share: number): Limits => ({
  used: Math.max(1, Math.floor(limits.used * share)),
  writing: Math.max(1, Math.floor(limits.writing * share)),
})

/**
 * The places of a pool, and whose turn it is. A place that is free goes to the system's own work, else to the workspace that
 * has fewest, else to whoever has waited longest: one that asks for a thousand has its share, and delays the first of another
 * by no more than a statement.
 */
class PoolPlaces {
  readonly #all: Limits
  readonly #ofOne: Limits
  readonly #taken: Limits = { used: 0, writing: 0 }
  readonly #askers = new Map<string | undefined, Asker>()
  #asked = 0

  constructor(max: number) {
    this.#all = { used: max, writing: Math.max(1, max - Math.floor(max * READERS_SHARE)) }
    this.#ofOne = partOf(this.#all, WORKSPACE_SHARE)
  }

  askerOf(workspaceId: string | undefined): Asker {
    const known = this.#askers.get(workspaceId)
    if (known) return known
    const asker: Asker = { workspaceId, used: 0, writing: 0, readers: new Set(), writers: new Set() }
    this.#askers.set(workspaceId, asker)
    return asker
  }

  /** Whether it is the asker's own share that it has to wait for. */
  hasItsShare(asker: Asker, reads: boolean): boolean {
    return asker.workspaceId !== undefined && !fits(asker, this.#ofOne, reads)
  }

  /** Takes a place if the asker may have one now. */
  take(asker: Asker, reads: boolean): boolean {
    if (!fits(this.#taken, this.#all, reads) || this.hasItsShare(asker, reads)) return false
    for (const counts of [this.#taken, asker]) {
      counts.used++
      if (!reads) counts.writing++
    }
    return true
  }

  wait(asker: Asker, reads: boolean, go: () => void): Waiting {
    const one = { since: this.#asked++, go }
    queueOf(asker, reads).add(one)
    return one
  }

  leave(asker: Asker, reads: boolean, one: Waiting): void {
    queueOf(asker, reads).delete(one)
    this.#forgetIdle(asker)
  }

  giveBack(asker: Asker, reads: boolean): void {
    for (const counts of [this.#taken, asker]) {
      counts.used--
      if (!reads) counts.writing--
    }
    this.#forgetIdle(asker)
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      queueOf(next.asker, next.reads).delete(next.one)
      this.take(next.asker, next.reads)
      next.one.go()
    }
  }

  #next() {
    let best: { asker: Asker; reads: boolean; one: Waiting } | undefined
    for (const asker of this.#askers.values()) {
      for (const reads of [true, false]) {
        const [one] = queueOf(asker, reads)
        if (one === undefined || !fits(this.#taken, this.#all, reads) || this.hasItsShare(asker, reads)) continue
        if (best === undefined || isBefore({ asker, one }, best)) best = { asker, reads, one }
      }
    }
    return best
  }

  #forgetIdle({ workspaceId, used, readers, writers }: Asker): void {
    if (used + readers.size + writers.size === 0) this.#askers.delete(workspaceId)
  }
}

const fits = (taken: Limits, limits: Limits, reads: boolean) =>
  taken.used < limits.used && (reads || taken.writing < limits.writing)
const queueOf = (asker: Asker, reads: boolean) => (reads ? asker.readers : asker.writers)

const isSystem = (asker: Asker) => asker.workspaceId === undefined

type Turn = { asker: Asker; one: Waiting }

function isBefore(turn: Turn, other: Turn): boolean {
  const systems = Number(isSystem(turn.asker)) - Number(isSystem(other.asker))
  const fewer = other.asker.used - turn.asker.used
  return (systems || fewer || other.one.since - turn.one.since) > 0
}

/**
 * Shares out the places of a pool, which `connect` waits for no longer than for a connection:
 * - A share is for those who read. While commits wait for a standby that is away, they keep their places, rightly so;
 *   whoever reads waits for no commit, and is answered beside them.
 * - One workspace never has all: large pages, exports that are downloaded and slow filters of one leave a fifth to the others.
 */
export function sharePlaces(pool: pg.Pool, patience: number): void {
  const places = new PoolPlaces(pool.options.max)
  const held = new WeakMap<pg.PoolClient, () => void>()
  const connect = pool.connect.bind(pool) as (given: Given) => void

  pool.on('release', (_error, client) => {
    const giveBack = held.get(client)
    held.delete(client)
    giveBack?.()
  })

  function connectIn(asker: Asker, reads: boolean, given: Given): void {
    connect((error, client, done) => {
      const giveBack = () => places.giveBack(asker, reads)
      if (client) held.set(client, giveBack)
      else giveBack()
      given(error, client, done)
    })
  }

  function connectInTurn(given: Given): void {
    const reads = reading.getStore() === true
    const asker = places.askerOf(asking.getStore())
    if (places.take(asker, reads)) {
      connectIn(asker, reads, given)
      return
    }
    const one = places.wait(asker, reads, () => {
      clearTimeout(timer)
      connectIn(asker, reads, given)
    })
    const timer = setTimeout(() => {
      const message = 'timeout exceeded when trying to connect'
      const error = places.hasItsShare(asker, reads) ? new ShareTaken(message) : new Error(message)
      places.leave(asker, reads, one)
      given(error, undefined, () => undefined)
    }, CONNECT_TIMEOUT_MS * patience)
  }

  pool.connect = ((given?: Given) => {
    if (given) return connectInTurn(given)
    return new Promise((resolve, reject) => {
      connectInTurn((error, client) => (client ? resolve(client) : reject(error)))
    })
  }) as typeof pool.connect
}
