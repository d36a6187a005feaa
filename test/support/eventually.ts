import { setTimeout as delay } from 'node:timers/promises'

/** A look may ask a busy service or its database: one that waits for long looks less often. */
const LOOK_EVERY_MS = { min: 5, max: 25 }
const LOOK_SHARE = 1 / 20

/** Waits for a condition, and fails with its description when it does not come. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const beganMs = performance.now()
  while (!(await holds())) {
    const waitedMs = performance.now() - beganMs
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(Math.min(Math.max(waitedMs * LOOK_SHARE, LOOK_EVERY_MS.min), LOOK_EVERY_MS.max))
  }
}
