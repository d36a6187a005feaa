import type pg from 'pg'

type Blocking = { promise: Promise<unknown>; pid: number }

/**
 * Lets something of others happen in the last moment of a transaction, before its commit. What waits for that transaction itself is not
 * waited for: it goes on once the commit is through.
 */
export class Interleaving {
  readonly #others: pg.Pool
  #next: (() => Promise<Blocking>) | undefined
  #open: Promise<unknown> = Promise.resolve()

  /** `pool` is the one whose commits are held up, `others` is where it is seen who waits. */
  constructor(pool: pg.Pool, others: pg.Pool) {
    this.#others = others
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown
      const held = async (given: unknown[]) => {
        await this.#happen()
        return query(...given)
      }
      Object.assign(client, {
        query: (...given: unknown[]) => (given[0] === 'commit' && this.#next ? held(given) : query(...given)),
      })
    })
  }

  /** Work in which it happens before the first commit. */
  async during<T>(what: () => Promise<Blocking>, work: () => Promise<T>): Promise<T> {
    this.#next = what
    try {
      return await work()
    } finally {
      this.#next = undefined
      await this.#open
    }
  }

  async #happen(): Promise<void> {
    const what = this.#next!
    this.#next = undefined
    const { promise, pid } = await what()
    let isOver = false
    this.#open = promise.finally(() => {
      isOver = true
    })
    this.#open.catch(() => undefined)
    while (!isOver && !(await this.#isBlocked(pid))) await Promise.race([promise.catch(() => undefined), nextTurn()])
  }

  async #isBlocked(pid: number): Promise<boolean> {
    const { rows } = await this.#others.query<{ blocked: boolean }>(
      'select cardinality(pg_blocking_pids($1)) > 0 as blocked',
      [pid],
    )
    return rows[0]!.blocked
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
