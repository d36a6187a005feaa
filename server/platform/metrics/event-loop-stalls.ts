import type { Metrics } from './metrics.ts'

const TICK_MS = 20
/** Shorter ones are not felt, and a busy machine makes many of them. */
const STALL_MS_MIN = 50
/** The fourth is the longest that one request or message may make the others wait. */
const BUCKETS_SECONDS = [0.05, 0.1, 0.15, 0.2, 0.5, 1, 2, 5, 10, 30]

/**
 * Counts the times in which this process could do nothing else, because one piece of work held its only thread: each is
 * seen when it is over, by a timer that comes late. Returns what ends the watch.
 */
export function watchEventLoop(metrics: Pick<Metrics, 'histogram'>): () => void {
  const record = metrics.histogram(
    { name: 'postroom_event_loop_stall_seconds', help: 'Times in which one piece of work held up all others.' },
    BUCKETS_SECONDS,
  )
  let before = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const stallMs = now - before - TICK_MS
    before = now
    if (stallMs >= STALL_MS_MIN) record(stallMs / 1_000)
  }, TICK_MS).unref()
  return () => clearInterval(timer)
}
