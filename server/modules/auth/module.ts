import { HOUR_SECONDS } from '../../platform/durations.ts'
import { deleteOldRateCounts } from '../../platform/rate-limit/rate-counts.ts'
import type { Module } from '../module.ts'
import { authApi } from './api.ts'
import { deleteOldAttempts } from './limit-attempts.ts'
import { deleteOldTickets } from './login-tickets.ts'
import { deleteOldSessions } from './sessions.ts'
import { authSite, type SiteDeps } from './site.ts'

const CLEAN_EVERY_SECONDS = HOUR_SECONDS

export function authModule(deps: SiteDeps): Module {
  return {
    routes(app) {
      authApi(app, deps)
      authSite(app, deps)
    },
    jobs: [
      {
        kind: 'delete_old_sessions',
        queue: 'default',
        everySeconds: CLEAN_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await deleteOldSessions(deps.sql)
          await deleteOldTickets(deps.sql)
          await deleteOldAttempts(deps.sql)
          await deleteOldRateCounts(deps.sql)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
