import type pg from 'pg'
import { databaseOutcome } from '../../platform/db/errors.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { Outcome } from '../../platform/jobs/outcome.ts'
import { Problem } from '../../platform/problem.ts'
import { clearFiles, discardFile } from '../imports/stored-files.ts'
import { bringNextPart } from './bring-part.ts'
import { PauseError } from './guarded-way.ts'
import { MovingError, type ReadPage } from './moved.ts'
import type { MovingDeps } from './moving-deps.ts'
import { countFailedRun, type MoveKey, markEnded, moveByIdStatement, moveForChange, noteWait } from './queries.ts'
import { openSource, readNextPage } from './read-page.ts'

/** Looks at an import that is waited for. */
const LOOK_AGAIN_MS = 1_000
/** Runs that fail one after the other, about a quarter of an hour, are the end. */
const FAILED_RUNS_MAX = 10

type Running = MovingDeps & { shouldYield: () => boolean }

/**
 * The job `run_move`: reads page after page, or brings in part after part. It may die at any moment and run twice: a page, and
 * a part, is noted together with where the next one is.
 */
export async function runMove(deps: Running, key: MoveKey): Promise<Outcome> {
  try {
    const afterMs = await runTurn(deps, key)
    return afterMs === undefined ? { outcome: 'ok' } : { outcome: 'snooze', afterMs }
  } catch (error) {
    if (error instanceof PauseError) {
      await inTransaction(deps.pool, key.workspaceId, (tx) => noteWait(tx, key, error.ms))
      return { outcome: 'snooze', afterMs: error.ms }
    }
    if (isDatabases(error)) throw error
    return failOrRetry(deps.pool, key, error)
  }
}

/** Whether the database's trouble ended a run, which counts as no failure of the move. */
function isDatabases(error: unknown): boolean {
  const outcome = databaseOutcome(error)
  return outcome !== undefined && outcome !== 'timed_out'
}

/** When the next turn is due, in milliseconds; undefined where there is none. */
async function runTurn(deps: Running, key: MoveKey): Promise<number | undefined> {
  let read: ReadPage | undefined
  for (;;) {
    const [row] = await queryInScope(deps.pool, key.workspaceId, moveByIdStatement(key))
    if (row?.state === 'reading') {
      read ??= await openSource(deps, key, row)
      await readNextPage(deps, key, { row, read })
    } else if (row?.state === 'running') {
      if ((await bringNextPart(deps, key, row)) === 'waits') return LOOK_AGAIN_MS
    } else {
      // Also after a run that was killed behind the end of a move.
      await clearFiles(deps.pool, key.workspaceId, deps.shouldYield)
      return undefined
    }
    if (deps.shouldYield()) return 0
  }
}

async function failOrRetry(pool: pg.Pool, key: MoveKey, error: unknown): Promise<Outcome> {
  const isFinal = error instanceof MovingError && !error.isPassing
  const failedRuns = isFinal
    ? FAILED_RUNS_MAX
    : await inTransaction(pool, key.workspaceId, (tx) => countFailedRun(tx, key))
  if (failedRuns < FAILED_RUNS_MAX) return { outcome: 'error', error }
  // A problem is of the workspace's own: no room for one more file, say.
  const isToBeTold = error instanceof MovingError || error instanceof Problem
  await failMove(pool, key, isToBeTold ? error.message : 'it failed again and again for a reason on our side')
  return isFinal ? { outcome: 'ok' } : { outcome: 'error', error }
}

/** Gives a move up. Pages that were read stay, where they were being brought in: it may be gone on with. */
async function failMove(pool: pg.Pool, key: MoveKey, failure: string): Promise<void> {
  const { workspaceId } = key
  await inTransaction(pool, workspaceId, async (tx) => {
    const row = await moveForChange(tx, key)
    if (row?.state !== 'reading' && row?.state !== 'running') return
    await markEnded(tx, key, { state: 'failed', failure })
    if (row.state === 'running') return
    for (const fileId of [row.fileId, row.uploadId]) if (fileId !== null) await discardFile(tx, { workspaceId, fileId })
  })
}
