import type { Module } from '../module.ts'
import { accountRoutes } from './account-routes.ts'
import { passwordResetRoutes } from './password-reset-routes.ts'
import { DELETE_OLD_RESETS } from './queries.ts'
import { openPasswordReset, type ResetDeps } from './request-password-reset.ts'

const CLEAN_EVERY_SECONDS = 3_600

export function accountModule(deps: ResetDeps): Module {
  return {
    routes(app) {
      accountRoutes(app, deps)
      passwordResetRoutes(app, deps)
    },
    jobs: [
      {
        kind: 'open_password_reset',
        queue: 'default',
        async run(job) {
          await openPasswordReset(deps, String(job.payload.resetId))
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'delete_old_password_resets',
        queue: 'default',
        everySeconds: CLEAN_EVERY_SECONDS,
        async run() {
          await deps.sql.query(DELETE_OLD_RESETS)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
