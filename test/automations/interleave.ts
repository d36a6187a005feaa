import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

type Blocking = { promise: Promise<unknown>; pid: number }
/** How often it is looked whether something waits: it is seldom so, and each look is a statement. */
const LOOK_EVERY_MS = 5

/**
 * Lets something of others happen in the last moment of transactions, before their commits. What waits for one of these itself is not
 * waited for: it goes on once their commits are through.
 */
export class Interleaving {
  readonly #others: pg.Pool
  /** Commits that are held up, by the pools of their connections: told of when they come, and let go. */
  readonly #held = new Map<pg.Pool, { come: () => void; go: Promise<void> }>()

  /** `pools` are those whose commits may be held up, each of one connection; `others` is where it is seen who waits. */
  constructor(pools: readonly pg.Pool[], others: pg.Pool) {
    this.#others = others
    for (const pool of pools) {
      pool.on('connect', (client) => {
        const query = client.query.bind(client) as (...given: unknown[]) => unknown
        const hold = async (given: unknown[]) => {
          const held = this.#held.get(pool)!
          this.#held.delete(pool)
          held.come()
          await held.go
          return query(...given)
        }
        Object.assign(client, {
          query: (...given: unknown[]) =>
            given[0] === 'commit' && this.#held.has(pool) ? hold(given) : query(...given),
        })
      })
    }
  }

  /** Work of some pools, in which it happens before the first commit of each. */
  async during<T>(what: () => Promise<Blocking>, works: ReadonlyMap<pg.Pool, () => Promise<T>>): Promise<T[]> {
    const gate = Promise.withResolvers<void>()
    const coming: Promise<unknown>[] = []
    const going = [...works].map(([pool, work]) => {
      const come = Promise.withResolvers<void>()
      this.#held.set(pool, { come: come.resolve, go: gate.promise })
      const done = work().finally(() => this.#held.delete(pool))
      coming.push(Promise.race([come.promise, done]))
      return done
    })
    let open: Promise<unknown> = Promise.resolve()
    try {
      await Promise.all(coming)
      const { promise, pid } = await what()
      open = promise
      let isOver = false
      const over = promise.then(
        () => (isOver = true),
        () => (isOver = true),
      )
      for (let isBlocked = false; !isBlocked; ) {
        await Promise.race([over, setTimeout(LOOK_EVERY_MS)])
        isBlocked = isOver || (await this.#isBlocked(pid))
      }
    } finally {
      gate.resolve()
      await Promise.allSettled([...going, open])
    }
    await open
    return await Promise.all(going)
  }

  async #isBlocked(pid: number): Promise<boolean> {
    const { rows } = await this.#others.query<{ blocked: boolean }>(
      'select cardinality(pg_blocking_pids($1)) > 0 as blocked',
      [pid],
    )
    return rows[0]!.blocked
  }
}
