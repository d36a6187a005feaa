import type pg from 'pg'
import { DAY_SECONDS } from '../../platform/durations.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { StepUpDeps } from '../second-factor/step-up.ts'
import type { PlanDeps } from './acts/act.ts'
import { approvalsApi } from './api.ts'
import { policyRoutes } from './budget/routes.ts'
import { forgetApprovals } from './forget-approvals.ts'
import { approvalRoutes } from './routes.ts'
import { approvalsSite } from './site.ts'
import { approvalTools } from './tools.ts'

/** `appUrl`: where people decide. */
export function approvalsModule({
  appUrl,
  pool,
  ...deps
}: PlanDeps & StepUpDeps & { appUrl: URL; pool: pg.Pool }): Module {
  return {
    tools: approvalTools(appUrl),
    routes(app) {
      approvalsApi(app, deps)
      policyRoutes(app, deps)
      for (const door of [API_DOOR, SITE_DOOR]) approvalRoutes(app, deps, door)
      approvalsSite(app, deps)
    },
    jobs: [
      {
        kind: 'forget_approvals',
        queue: 'default',
        everySeconds: DAY_SECONDS,
        reach: 'database',
        async run(_job, { signal, stopping }) {
          const left = await forgetApprovals(pool, () => stopping.aborted || signal.aborted)
          return left === 'done' ? { outcome: 'ok' } : { outcome: 'more' }
        },
      },
    ],
  }
}
