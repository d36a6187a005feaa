import { databaseOutcome } from '../../../platform/db/errors.ts'
import type { JobHandler } from '../../../platform/jobs/outcome.ts'
import { turnHandler } from '../../../platform/lanes/run-turn.ts'
import type { TurnWork } from '../../../platform/lanes/turn-run.ts'
import { readThrough } from '../../../platform/outbox/progress.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { ADVANCE_RUNS, RUN_LANES, type RunTurn } from '../run-lanes.ts'
import { ROWS_MAX } from './claim-rows.ts'
import { type HaltDeps, haltWhereManyFail } from './halt-node.ts'
import { noteFailure } from './note-failure.ts'
import { takeStretch } from './take-stretch.ts'
import type { Trail } from './walk.ts'

/** A turn with work left goes to the back, so that every automation gets its share. */
const TURN_MS_MAX = 1_000
/** Its last transaction comes to its end. */
const TURN_TIMEOUT_MS = 60_000
/** How soon a lane looks whose rows are due and whose log is not read so far yet. */
const READ_ON_MS = 100
/** How soon one looks in which somebody failed: five tries outlast what is over in seconds. */
const FAILED_MS = 2_000
/** How soon one looks whose automation is paused. */
const PAUSED_MS = 60_000

export type AdvanceDeps = HaltDeps & { onError: (error: unknown) => void }

/** The job `advance_runs`: one turn of a lane, transaction by transaction (docs/adr/0015). */
export function advanceRuns(deps: AdvanceDeps): JobHandler {
  const turns = { pool: deps.pool, lanes: RUN_LANES, turnMsMax: TURN_MS_MAX }
  const open = async (turn: RunTurn) => openTurn(deps, turn)
  return turnHandler({ ...turns, open }, ADVANCE_RUNS, { timeoutMs: TURN_TIMEOUT_MS, reach: 'mailbox' })
}

/** Its work is done in the claim, so that there is nothing to work on or to record afterwards. */
export function openTurn(deps: AdvanceDeps, turn: RunTurn): TurnWork<never, never> {
  const { pool, onError } = deps
  const passing: string[] = []
  let stopBefore: number | undefined
  let limit = ROWS_MAX
  let pause: { afterMs: number } | undefined
  return {
    places: () => 1,
    unrecordedMax: 1,
    async claim() {
      const times = await readThrough(pool, enrollAutomations.group)
      const trail: Trail = { stopBefore }
      try {
        const { rows, isPaused } = await takeStretch(pool, turn, { times, limit, passing, trail })
        stopBefore = undefined
        limit = Math.min(ROWS_MAX, limit * 2)
        // Though something may be due: the log is not read so far, or the automation is paused.
        if (rows === 0) pause = { afterMs: isPaused ? PAUSED_MS : passing.length > 0 ? FAILED_MS : READ_ON_MS }
        return { claims: [], mayHaveMore: rows > 0 }
      } catch (error) {
        const outcome = databaseOutcome(error)
        // Of a limit that nothing comes near to most halves would be all of it.
        limit = Math.min(limit, trail.taken || limit)
        if (outcome !== undefined && (outcome !== 'timed_out' || limit === 1)) throw error
        // A stretch that is too much, or wrong for one, must not hold up the others: the half of it, down to the one.
        if (limit > 1) limit = Math.ceil(limit / 2)
        // It came some way before it failed, or heard of something: up to there it is done now, so that it fails, and rests, where the fault is.
        else if (stopBefore === undefined && hasCome(trail)) stopBefore = trail.at
        else {
          stopBefore = undefined
          onError(error)
          const failed = await noteFailure(pool, turn, { error, through: times.through, passing })
          passing.push(failed.contactId)
          if (failed.parkedAt !== null) await haltWhereManyFail(deps, { ...turn, node: failed.parkedAt })
        }
        return { claims: [], mayHaveMore: true }
      }
    },
    work: () => Promise.reject(new Error('a turn of runs has no claims')),
    record: async () => true,
    pause: () => pause,
  }
}

const hasCome = ({ hears, from, at }: Trail) => from !== undefined && at !== undefined && (at > from || hears === true)
