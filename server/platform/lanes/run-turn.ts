import type pg from 'pg'
import { crashPoint } from '../crash-point.ts'
import { inTransaction } from '../db/transaction.ts'
import { handlerOf, type JobKind } from '../jobs/job-kind.ts'
import type { JobHandler } from '../jobs/outcome.ts'
import type { LaneKey, Lanes, Turn } from './lane-tables.ts'
import { enterRunning } from './running-turns.ts'
import { TurnRun, type TurnWork } from './turn-run.ts'
import { beginTurn, endTurn, type TurnEnd } from './turns.ts'

/** How long the turn of another run of the same job may take to end, before the job looks after it. */
const TAKEN_OVER_MS = 30_000
/** How long a lane rests after a turn that could not write what became of a claim. */
export const UNWRITTEN_REST_MS = 60_000

/** The turns of one sort of work, in this process. */
export type Turns<L extends LaneKey, T, B, C, R> = {
  pool: pg.Pool
  lanes: Lanes<L, T, B>
  /** A turn that still has work after this goes to the back of the queue, so that every lane gets its share. */
  turnMsMax: number
  /** Once a turn, after its beginning: how it is worked on; undefined when what the lane is of is gone, and so the lane. */
  open(turn: Turn<L, T>): Promise<TurnWork<C, R> | undefined>
}

/**
 * Runs the turn of a job: claims what is due, has it worked on and recorded, until nothing is due, or the turn has had its
 * time, or there is a pause, or `stopping` says that the process ends. Claims that it did not begin go back untouched.
 */
export async function runTurn<L extends LaneKey, T, B, C, R>(
  { pool, lanes, turnMsMax, open }: Turns<L, T, B, C, R>,
  job: L & { jobId: string },
  stopping: AbortSignal,
): Promise<Exclude<TurnEnd, 'more'>> {
  const turn = await inTransaction(pool, job.workspaceId, (tx) => beginTurn(tx, lanes, job))
  if (!turn) return 'over'
  crashPoint(`${lanes.name}_turn_begun`)
  const work = await open(turn)
  if (!work) return 'over'
  const run = new TurnRun(lanes.name, work)
  const yieldAt = performance.now() + turnMsMax
  const isTime = () => stopping.aborted || performance.now() > yieldAt
  const leave = enterRunning(lanes, turn, () => run.lookAgain())
  try {
    for (;;) {
      await run.workThrough(isTime, stopping)
      crashPoint(`${lanes.name}_turn_before_end`)
      const pause = run.hasUnwritten ? { afterMs: UNWRITTEN_REST_MS } : work.pause?.()
      const ending = { turn, hasClaims: run.hasClaims, yieldNow: isTime(), pause }
      const end = await inTransaction(pool, turn.workspaceId, async (tx) => {
        await work.beforeEnd?.(tx)
        return endTurn(tx, lanes, { ...ending, drained: work.drained?.bind(work) })
      })
      crashPoint(`${lanes.name}_turn_ended`)
      if (end !== 'more') return end
      run.hasClaims = false
      run.lookAgain()
    }
  } finally {
    leave()
  }
}

/** Handles the jobs that run turns. Their own attempts mean nothing: one comes back until its turn is over. */
export function turnHandler<L extends LaneKey, T, B, C, R>(
  turns: Turns<L, T, B, C, R>,
  kind: JobKind<L>,
  handling: Pick<JobHandler, 'timeoutMs' | 'reportsAttempts' | 'reach'>,
): JobHandler {
  return handlerOf(kind, {
    ...handling,
    attemptsMax: Number.POSITIVE_INFINITY,
    async run({ id: jobId, payload }, { stopping }) {
      const end = await runTurn(turns, { ...payload, jobId }, stopping)
      return end === 'taken_over' ? { outcome: 'snooze', afterMs: TAKEN_OVER_MS } : { outcome: 'ok' }
    },
  })
}
