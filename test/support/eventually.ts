import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = { min: 5, max: 25 }
const LOOK_SHARE = 1 / 20

/** The pause before the next look, a share of the time waited so far: who waits for long is in no hurry, and leaves the machine to others. */
export function pauseMs(waitedMs: number, { min, max }: { min: number; max: number }): number {
  return Math.min(Math.max(waitedMs * LOOK_SHARE, min), max)
}

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
    await delay(pauseMs(waitedMs, LOOK_EVERY_MS))
  }
}
