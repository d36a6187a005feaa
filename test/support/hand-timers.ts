import type { TestContext } from 'node:test'

const STEP_MS = 50

export type HandTimers = {
  /** Moves time on, and calls back what is due meanwhile, when it is. */
  advance(ms: number): void
  /** Lets time go by itself again. */
  release(): void
}

/**
 * Has the time of this process stand still for timers and `performance.now()` until it is moved on: for what cannot be
 * handed a clock, the driver of the database and the sweep of requests. Pools that are used meanwhile are made after it.
 */
export function handTimers(t: TestContext): HandTimers {
  let nowMs = performance.now()
  const now = t.mock.method(performance, 'now', () => nowMs)
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  return {
    advance(ms) {
      for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
        const stepMs = Math.min(STEP_MS, leftMs)
        nowMs += stepMs
        t.mock.timers.tick(stepMs)
      }
    },
    release() {
      t.mock.timers.reset()
      now.mock.restore()
    },
  }
}
