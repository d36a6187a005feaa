import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import { eraseOldVisitorEvents } from '../events/erase-visitor-events.ts'
import type { Module } from '../module.ts'
import { ATTACH_HISTORY, attachHistory } from './attach-history.ts'
import { type CollectDeps, visitorsCollect } from './collect.ts'
import { forgetErasedVisitors } from './erased-visitors.ts'
import { eraseVisitor, FORGET_VISITOR } from './forget-visitor.ts'
import { forgetOldStatements } from './identity-statements.ts'
import { visitorRoutes } from './routes.ts'

/** Events that belong to nobody are erased in steps of so many. */
const STEP_EVENTS_MAX = 5_000
const EARLY_AGAIN_MS = 1_000

export type VisitorsModuleDeps = CollectDeps & { pool: pg.Pool; anonymousDays: number }

export function visitorsModule(deps: VisitorsModuleDeps): Module {
  const { pool, anonymousDays } = deps
  return {
    routes(app) {
      visitorsCollect(app, deps)
      for (const door of [API_DOOR, SITE_DOOR]) visitorRoutes(app, deps, door)
    },
    jobs: [
      handlerOf(FORGET_VISITOR, {
        reach: 'database',
        // It was answered that it follows.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }) {
          const end = await eraseVisitor(pool, payload)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'snooze', afterMs: EARLY_AGAIN_MS }
        },
      }),
      handlerOf(ATTACH_HISTORY, {
        reach: 'database',
        // Nobody asks for it again.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }) {
          const end = await attachHistory(pool, payload)
          return end === 'done' ? { outcome: 'ok' } : { outcome: 'snooze', afterMs: EARLY_AGAIN_MS }
        },
      }),
      {
        kind: 'forget_erased_visitors',
        queue: 'default',
        everySeconds: DAY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await forgetErasedVisitors(pool, () => stopping.aborted)
          await forgetOldStatements(pool, () => stopping.aborted)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'erase_old_visitor_events',
        queue: 'default',
        everySeconds: HOUR_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          const size = new StepSize(STEP_EVENTS_MAX)
          const work = (tx: Parameters<typeof eraseOldVisitorEvents>[0], limit: number) =>
            eraseOldVisitorEvents(tx, { days: anonymousDays, limit })
          while (!stopping.aborted && (await boundedStep(pool, ALL_WORKSPACES, { size, work })) > 0);
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
