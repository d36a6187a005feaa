import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import type { Module } from '../module.ts'
import { acceptRoutes } from './accept-routes.ts'
import { DELETE_OLD_INVITATIONS } from './invitation-queries.ts'
import { invitationRoutes } from './invitation-routes.ts'
import type { InvitationDeps } from './manage-invitations.ts'
import { memberRoutes } from './member-routes.ts'

const CLEAN_EVERY_SECONDS = HOUR_SECONDS
/** How long an invitation whose link is over can still be sent again. */
const OVER_KEPT_DAYS = 30

export function membersModule(deps: InvitationDeps & { appUrl: URL | undefined }): Module {
  return {
    routes(app) {
      memberRoutes(app, deps)
      invitationRoutes(app, deps)
      acceptRoutes(app, deps)
    },
    jobs: [
      {
        kind: 'delete_old_invitations',
        queue: 'default',
        everySeconds: CLEAN_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await queryInScope(deps.sql, ALL_WORKSPACES, { text: DELETE_OLD_INVITATIONS, values: [OVER_KEPT_DAYS] })
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
