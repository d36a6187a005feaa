import type pg from 'pg'

/** What turns tell the log comes so much after all that happens by the clock, and before what happens next. */
const TOLD_LATER = 1_000_000
const SETTINGS = `select set_config('postroom.clock', $1, false), set_config('postroom.told', $2, false),
  set_config('postroom.recorded', $3, false)`

/** The clock of the connections that an engine works on, those as well that take the place of one whose statement took too long. */
export class EngineClock {
  readonly #pools: readonly pg.Pool[]
  #clock = ''
  #told = 0
  #recorded = ''

  constructor(pools: readonly pg.Pool[]) {
    this.#pools = pools
  }

  /** What turns tell the log is of a moment behind all that has happened by now, also where a clock is set back. */
  async set(at: number): Promise<void> {
    this.#told = Math.max(this.#told, at + TOLD_LATER)
    this.#clock = textOf(at)
    await this.#tell()
  }

  /** Whatever is told to the log meanwhile is recorded at a moment. */
  async recordedAt(at: number, work: () => Promise<unknown>): Promise<void> {
    this.#recorded = textOf(at)
    await this.#tell()
    await work()
    this.#recorded = ''
    await this.#tell()
  }

  async kept(work: () => Promise<void>): Promise<void> {
    const tellNew = (client: pg.PoolClient) => void client.query(SETTINGS, this.#given).catch(() => undefined)
    for (const pool of this.#pools) pool.on('connect', tellNew)
    try {
      await work()
    } finally {
      for (const pool of this.#pools) pool.off('connect', tellNew)
    }
  }

  get #given(): string[] {
    return [this.#clock, textOf(this.#told), this.#recorded]
  }

  async #tell(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.query(SETTINGS, this.#given)))
  }
}

const textOf = (micros: number) => new Date(micros / 1_000).toISOString()
