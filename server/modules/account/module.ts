import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Module } from '../module.ts'
import { accountRoutes } from './account-routes.ts'
import { passwordResetRoutes } from './password-reset-routes.ts'
import { OLD_RESETS } from './queries.ts'
import { OPEN_PASSWORD_RESET, openPasswordReset, type ResetDeps } from './request-password-reset.ts'

const CLEAN_EVERY_SECONDS = HOUR_SECONDS

export function accountModule(deps: ResetDeps): Module {
  return {
    routes(app) {
      accountRoutes(app, deps)
      passwordResetRoutes(app, deps)
    },
    jobs: [
      handlerOf(OPEN_PASSWORD_RESET, {
        reach: 'database',
        async run({ payload }) {
          await openPasswordReset(deps, payload.resetId)
          return { outcome: 'ok' }
        },
      }),
      {
        kind: 'delete_old_password_resets',
        queue: 'default',
        everySeconds: CLEAN_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await deleteInSteps(deps.sql, ALL_WORKSPACES, OLD_RESETS)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
