/** How far two clocks drift apart at most, as a part of the time that passes; ordinary ones do a fifth of it. */
const DRIFT = 0.0005

/**
 * The time that this process's monotonic clock (`performance.now()`, ms) shows when the database's shows a given time. Each answer
 * that carries the database's time was read between its question and its arrival: the difference lies between two bounds,
 * and many answers narrow it down to less than the fastest of them took.
 */
export class DatabaseClock {
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  #seenAt = 0

  /** `databaseMs` was read after `askedAt` and before `answeredAt`. */
  observe(databaseMs: number, askedAt: number, answeredAt: number): void {
    const driftMs = (answeredAt - this.#seenAt) * DRIFT
    this.#seenAt = answeredAt
    const low = askedAt - databaseMs
    const high = answeredAt - databaseMs
    this.#low = Math.max(this.#low - driftMs, low)
    this.#high = Math.min(this.#high + driftMs, high)
    // One of the clocks was set: what was known is of no use any more.
    if (this.#low > this.#high) {
      this.#low = low
      this.#high = high
    }
  }

  /** The database's time on this process's clock; only after something was observed. */
  toLocal(databaseMs: number): number {
    return databaseMs + (this.#low + this.#high) / 2
  }

  /** A moment of this process's clock on the database's. */
  toDatabase(localMs: number): number {
    return localMs - (this.#low + this.#high) / 2
  }
}
