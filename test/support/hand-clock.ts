import type { Clock } from '../../server/platform/clock.ts'

/** A clock that stands still until it is moved on. */
export type HandClock = Clock & {
  /** Calls what is due by then, in order. */
  advance(ms: number): void
}

export function createHandClock(): HandClock {
  let nowMs = 0
  const due = new Set<{ atMs: number; run: () => void }>()
  return {
    nowMs: () => nowMs,
    after(ms, run) {
      const one = { atMs: nowMs + ms, run }
      due.add(one)
      return () => due.delete(one)
    },
    advance(ms) {
      nowMs += ms
      for (const one of [...due].sort((a, b) => a.atMs - b.atMs)) {
        if (one.atMs > nowMs || !due.delete(one)) continue
        one.run()
      }
    },
  }
}
