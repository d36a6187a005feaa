import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { JobContext } from '../../platform/jobs/outcome.ts'
import type { Module } from '../module.ts'
import { type MovingDeps, RUN_MOVE } from './moving-deps.ts'
import { runMove } from './run-move.ts'
import { movingSite } from './site.ts'

const TURN_MS = 30_000
const RETRY_MAX_MS = 120_000

export function movingModule(deps: MovingDeps): Module {
  return {
    routes: (app) => movingSite(app, deps),
    jobs: [
      handlerOf(RUN_MOVE, {
        // The move keeps its own account of failed runs, which begins anew with each page.
        attemptsMax: Number.POSITIVE_INFINITY,
        retryDelayMs: (attempt) => Math.min(RETRY_MAX_MS, 500 * 2 ** Math.min(attempt, 10)),
        run: ({ payload }, context) =>
          runMove({ ...deps, shouldYield: turnOf(context) }, { workspaceId: payload.workspaceId, id: payload.moveId }),
      }),
    ],
  }
}

/** Tells when a run should let others have its place, and go on behind them. */
function turnOf({ signal, stopping }: JobContext): () => boolean {
  const startedMs = performance.now()
  return () => stopping.aborted || signal.aborted || performance.now() - startedMs > TURN_MS
}
