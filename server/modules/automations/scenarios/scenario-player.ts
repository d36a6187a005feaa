import { overloaded, unprocessable } from '../../../catalogue/problems.ts'
import { createLimitedThread } from '../../../platform/limited-thread.ts'
import type { PlayScenarios, ScenarioJob } from './play-scenarios.ts'
import type { ScenarioResult } from './schemas.ts'

/** A scenario takes a millisecond; one that goes in circles for a year takes longer. */
const LIMITS = {
  ...{ cpuMs: 3_000, wallMs: 8_000, heapMb: 128, idleMs: 30_000 },
  ...{ waitingMax: 20, waitingOfOneMax: 2, startMs: 5_000 },
}
const BUSY_SECONDS = 3

export type Played = { outcome: 'played'; results: ScenarioResult[] } | { outcome: 'broken'; error: string }

/** Plays scenarios in a thread of its own: they are what others wrote. Throws 422 for those that take too much, 503 where too many of a workspace or of all wait, or wait too long. */
export function createScenarioPlayer(): PlayScenarios {
  const thread = createLimitedThread<ScenarioJob, Played>(new URL('./scenario-thread.ts', import.meta.url), LIMITS)
  return async (job) => {
    const played = await thread.run(job, job.workspaceId)
    switch (played.outcome) {
      case 'played':
        return played.results
      case 'busy':
        throw overloaded(BUSY_SECONDS)
      case 'stopped':
        throw unprocessable([{ pointer: '/scenarios', detail: `take too much ${played.reason} to be played` }])
      case 'broken':
        throw new Error(`scenarios could not be played: ${played.error}`)
    }
  }
}
