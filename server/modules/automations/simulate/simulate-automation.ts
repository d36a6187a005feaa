import type pg from 'pg'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { MINUTE_MS } from '../../../platform/durations.ts'
import { handlerOf } from '../../../platform/jobs/job-kind.ts'
import type { JobHandler } from '../../../platform/jobs/outcome.ts'
import { SIMULATE_AUTOMATION } from './manage-simulations.ts'
import { runSimulation } from './run-simulation.ts'
import type { SimulationPlan } from './simulation-plan.ts'
import { endSimulation } from './simulation-queries.ts'
import type { Simulator } from './simulator.ts'
import type { PeoplePage } from './walk-people.ts'

const TIMEOUT_MS = 20 * MINUTE_MS
const ATTEMPTS_MAX = 3
const BUSY_AFTER_MS = 10_000
const FAILURE = 'It failed again and again for a reason on our side.'

/** The thread had no time for it. */
class ThreadBusy extends Error {
  override readonly name = 'ThreadBusy'
}

export function simulateAutomation({ pool, simulator }: { pool: pg.Pool; simulator: Simulator }): JobHandler {
  return handlerOf(SIMULATE_AUTOMATION, {
    reach: 'database',
    attemptsMax: ATTEMPTS_MAX,
    timeoutMs: TIMEOUT_MS,
    async run({ payload, attempt }, { stopping, signal }) {
      const key = { workspaceId: payload.workspaceId, id: payload.simulationId }
      const shouldYield = () => stopping.aborted || signal.aborted
      const walk = (plan: SimulationPlan, page: PeoplePage) => walkIn(simulator, { plan, page })
      try {
        const end = await runSimulation({ pool, walk, shouldYield }, key)
        return end === 'more' ? { outcome: 'more' } : { outcome: 'ok' }
      } catch (error) {
        if (error instanceof ThreadBusy) return { outcome: 'snooze', afterMs: BUSY_AFTER_MS }
        if (databaseOutcome(error) !== undefined && attempt < ATTEMPTS_MAX) throw error
        if (attempt >= ATTEMPTS_MAX) {
          await inTransaction(pool, key.workspaceId, (tx) =>
            endSimulation(tx, key, { state: 'failed', failure: FAILURE }),
          )
        }
        return { outcome: 'error', error }
      }
    },
  })
}

/** Walks a page in the thread. Throws `ThreadBusy` where it has to wait too long. */
export async function walkIn(simulator: Simulator, job: { plan: SimulationPlan; page: PeoplePage }) {
  const walked = await simulator.run(job)
  if (walked.outcome === 'walked') return walked.tallied
  if (walked.outcome === 'busy') throw new ThreadBusy('all threads have enough to do')
  if (walked.outcome === 'stopped') throw new Error(`a page of people took too much ${walked.reason}`)
  throw new Error(`people could not be walked: ${walked.error}`)
}
