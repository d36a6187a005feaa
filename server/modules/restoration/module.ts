import type pg from 'pg'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Module } from '../module.ts'
import { goOn } from './confirm-restored.ts'
import { CONFIRM_RESTORED, type RestorationDeps } from './read-restoration.ts'
import { restorationSite } from './site.ts'

export function restorationModule(deps: RestorationDeps & { pool: pg.Pool }): Module {
  return {
    routes: (app) => restorationSite(app, deps),
    jobs: [
      handlerOf(CONFIRM_RESTORED, {
        reach: 'database',
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload: { heldSince, sendsQueued } }) {
          await goOn(deps.pool, heldSince, sendsQueued)
          return { outcome: 'ok' }
        },
      }),
    ],
  }
}
