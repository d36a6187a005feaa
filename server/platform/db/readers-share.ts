import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { CONNECT_TIMEOUT_MS } from './pool.ts'

/** The part of a pool's places that only readers get. */
const SHARE = 1 / 4

const reading = new AsyncLocalStorage<boolean>()

/** Runs work that only reads, and all that it starts: in a pool that keeps readers a share, it may take every place. */
export function asReader<T>(work: () => T): T {
  return reading.run(true, work)
}

/** Runs work that a reader has set off and that others wait for as well, as itself. */
export function asNoReader<T>(work: () => T): T {
  return reading.run(false, work)
}

type Given = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void
type Waiting = { go(): void }

/**
 * Keeps a share of the pool's places to those who read. While commits wait for a standby that is away, they keep their
 * places, rightly so; whoever reads waits for no commit, and is answered beside them. The others wait for their own places
 * no longer than for a connection.
 */
export function keepReadersShare(pool: pg.Pool, patience: number): void {
  let free = Math.max(1, pool.options.max - Math.floor(pool.options.max * SHARE))
  const waiting = new Set<Waiting>()
  const counted = new WeakSet<pg.PoolClient>()
  const connect = pool.connect.bind(pool) as (given: Given) => void

  const giveBack = () => {
    free++
    const [first] = waiting
    first?.go()
  }
  pool.on('release', (_error, client) => {
    if (counted.delete(client)) giveBack()
  })

  function take(given: Given): void {
    free--
    connect((error, client, done) => {
      if (client) counted.add(client)
      else giveBack()
      given(error, client, done)
    })
  }

  function takeInTurn(given: Given): void {
    if (free > 0) {
      take(given)
      return
    }
    const one: Waiting = {
      go() {
        waiting.delete(one)
        clearTimeout(timer)
        take(given)
      },
    }
    const timer = setTimeout(() => {
      waiting.delete(one)
      given(new Error('timeout exceeded when trying to connect'), undefined, () => undefined)
    }, CONNECT_TIMEOUT_MS * patience)
    waiting.add(one)
  }

  pool.connect = ((given?: Given) => {
    const way = reading.getStore() === true ? connect : takeInTurn
    if (given) return way(given)
    return new Promise((resolve, reject) => {
      way((error, client) => (client ? resolve(client) : reject(error)))
    })
  }) as typeof pool.connect
}
