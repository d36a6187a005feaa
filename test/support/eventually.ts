import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 5

/** Waits for a condition, and fails with its description when it does not come. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(LOOK_EVERY_MS)
  }
}
