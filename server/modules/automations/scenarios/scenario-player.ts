import { overloaded, unprocessable } from '../../../catalogue/problems.ts'
import { createLimitedThread } from '../../../platform/limited-thread.ts'
import type { PlayScenarios, ScenarioJob } from './play-scenarios.ts'
import type { Played } from './played.ts'
import type { ScenarioResult } from './schemas.ts'

/** A scenario takes a millisecond; one that goes in circles for a year takes longer. */
const LIMITS = {
  ...{ cpuMs: 3_000, wallMs: 8_000, heapMb: 128, idleMs: 30_000 },
  ...{ waitingMax: 20, waitingOfOneMax: 2, startMs: 5_000 },
}
const BUSY_SECONDS = 3

/**
 * Plays what others wrote in a thread of its own. Throws 422 at `pointer` for what takes too much, 503 where too many of a workspace or
 * of all wait, or wait too long.
 */
export function createPlayer<Job extends { workspaceId: string }, Results>(file: URL, pointer: string) {
  const thread = createLimitedThread<Job, Played<Results>>(file, LIMITS)
  return async (job: Job): Promise<Results> => {
    const played = await thread.run(job, job.workspaceId)
    switch (played.outcome) {
      case 'played':
        return played.results
      case 'busy':
        throw overloaded(BUSY_SECONDS)
      case 'stopped':
        throw unprocessable([{ pointer, detail: `take too much ${played.reason} to be played` }])
      case 'broken':
        throw new Error(`it could not be played: ${played.error}`)
    }
  }
}

export const createScenarioPlayer = (): PlayScenarios =>
  createPlayer<ScenarioJob, ScenarioResult[]>(new URL('./scenario-thread.ts', import.meta.url), '/scenarios')
