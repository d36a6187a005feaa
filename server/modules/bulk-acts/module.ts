import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { databaseOutcome } from '../../platform/db/errors.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { JobContext } from '../../platform/jobs/outcome.ts'
import { Problem } from '../../platform/problem.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { type BulkActDeps, RUN_BULK_ACT, RUN_BULK_ERASURE } from './bulk-acts.ts'
import { forgetChunks } from './queries.ts'
import { bulkActRoutes, oneBulkActRoutes } from './routes.ts'
import { failBulkAct, type RunDeps, runBulkAct } from './run-bulk-act.ts'

const TURN_MS = 30_000
const ATTEMPTS_MAX = 12
const UNDONE_DAYS = 7
const FAILURE = 'It failed again and again for a reason on our side.'

export function bulkActsModule(deps: BulkActDeps & { pool: pg.Pool; eraseSome: RunDeps['eraseSome'] }): Module {
  const handled = {
    reach: 'database' as const,
    attemptsMax: ATTEMPTS_MAX,
    async run(
      { payload, attempt }: { payload: { workspaceId: string; actId: string }; attempt: number },
      context: JobContext,
    ) {
      const key = { workspaceId: payload.workspaceId, id: payload.actId }
      try {
        const end = await runBulkAct({ ...deps, shouldYield: turnOf(context) }, key)
        return end === 'more' ? { outcome: 'more' as const } : { outcome: 'ok' as const }
      } catch (error) {
        // A filter that cannot be applied any more, as by a segment that was deleted: it never will be.
        if (error instanceof Problem) {
          await failBulkAct(deps.pool, key, error.message)
          return { outcome: 'ok' as const }
        }
        if (isDatabases(error)) throw error
        if (attempt >= ATTEMPTS_MAX) await failBulkAct(deps.pool, key, FAILURE)
        return { outcome: 'error' as const, error }
      }
    },
  }
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        bulkActRoutes(app, deps, door)
        oneBulkActRoutes(app, deps, door)
      }
    },
    jobs: [
      handlerOf(RUN_BULK_ACT, handled),
      handlerOf(RUN_BULK_ERASURE, handled),
      {
        kind: 'forget_bulk_acts',
        queue: 'default',
        everySeconds: HOUR_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          const size = new StepSize(1)
          const work = { size, work: (tx: Parameters<typeof forgetChunks>[0]) => forgetChunks(tx, UNDONE_DAYS) }
          while (!stopping.aborted && (await boundedStep(deps.pool, ALL_WORKSPACES, work)));
          return { outcome: 'ok' }
        },
      },
    ],
  }
}

/** Whether the database's trouble ended a run, which costs no attempt. A time limit does: it may be too much to do within it. */
function isDatabases(error: unknown): boolean {
  const outcome = databaseOutcome(error)
  return outcome !== undefined && outcome !== 'timed_out'
}

/** Tells when a run should let others have its place, and go on behind them. */
function turnOf({ signal, stopping }: JobContext): () => boolean {
  const startedMs = performance.now()
  return () => stopping.aborted || signal.aborted || performance.now() - startedMs > TURN_MS
}
