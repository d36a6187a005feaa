import { setTimeout as delay } from 'node:timers/promises'
import { Bell } from '../bell.ts'
import { databaseOutcome } from '../db/errors.ts'
import { type ConsumerDeps, type Progress, RANGE_ROWS_MAX, step } from './consumer.ts'
import type { ConsumerGroup } from './consumer-group.ts'

/** Polling is the truth, signals are the shortcut: a lost signal costs this much. */
const POLL_MS = 500
/** Rows exist but an open transaction hides them: look again soon, then less often. */
const HELD_FIRST_MS = 2
const HELD_MAX_MS = 200
/** From here on the transaction that holds the log back is worth naming in the log. */
const HELD_REPORT_MS = 5_000
/** From the beginning of a stretch to that of the next one, for groups that gather. */
export const GATHER_MS = 100
const AWAY_FIRST_MS = 100
const AWAY_MAX_MS = 2_000

export type RunDeps = ConsumerDeps & {
  /** Called once for each time that a group is held back, after `heldReportMs`. */
  onHeld: (held: { group: string; heldMs: number }) => void
  onLoopError: (failed: { group: string; error: unknown }) => void
  heldReportMs?: number
  /** Instead of half a second: how often a group looks that nobody wakes. */
  pollMs?: number
}

export type RunningGroups = {
  /** Says that rows were committed. Costs next to nothing; many calls make one look. */
  wake(): void
  /** Lets the running steps end and starts no other. */
  stop(): Promise<void>
}

/** Works for every group until stopped, one stretch at a time each, whatever happens to the database meanwhile. */
export function runGroups(deps: RunDeps, groups: readonly ConsumerGroup[]): RunningGroups {
  const stopping = new AbortController()
  const bells = groups.map(() => new Bell())
  const loops = groups.map((group, index) => runGroup(deps, group, { bell: bells[index]!, signal: stopping.signal }))
  return {
    wake() {
      for (const bell of bells) bell.ring()
    },
    async stop() {
      stopping.abort()
      for (const bell of bells) bell.ring()
      await Promise.all(loops)
    },
  }
}

type Loop = { bell: Bell; signal: AbortSignal }

async function runGroup(deps: RunDeps, group: ConsumerGroup, loop: Loop): Promise<void> {
  const progress: Progress = { rowsMax: RANGE_ROWS_MAX, attempts: 0 }
  const { heldReportMs = HELD_REPORT_MS, pollMs = POLL_MS } = deps
  let heldSinceMs: number | undefined
  let reported = false
  let awayMs = AWAY_FIRST_MS
  while (!loop.signal.aborted) {
    try {
      const begunMs = performance.now()
      const { rowsMax } = progress
      const { outcome, rows } = await step(deps, group, progress)
      awayMs = AWAY_FIRST_MS
      if (outcome === 'held' || outcome === 'behind') {
        heldSinceMs ??= performance.now()
        const heldMs = performance.now() - heldSinceMs
        // The one it goes behind reports what holds it.
        if (outcome === 'held' && !reported && heldMs >= heldReportMs) {
          reported = true
          deps.onHeld({ group: group.group, heldMs })
        }
        await delay(Math.min(HELD_MAX_MS, Math.max(HELD_FIRST_MS, heldMs)))
        continue
      }
      heldSinceMs = undefined
      reported = false
      if (outcome === 'idle' || outcome === 'busy') await loop.bell.wait(pollMs)
      // The first row of all is handled at once, and a backlog without a rest.
      const restMs = begunMs + GATHER_MS - performance.now()
      if (group.gathers && outcome === 'moved' && rows < rowsMax && restMs > 0)
        await delay(restMs, undefined, { signal: loop.signal })
    } catch (error) {
      if (loop.signal.aborted) return
      const outcome = databaseOutcome(error)
      if (outcome === undefined || awayMs === AWAY_FIRST_MS) deps.onLoopError({ group: group.group, error })
      if (outcome === 'closed') return
      await loop.bell.wait(awayMs)
      awayMs = Math.min(AWAY_MAX_MS, awayMs * 2)
    }
  }
}
