import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { EMAIL_NEEDS, emailPartitions } from './email-partitions.ts'
import { messageRoutes } from './message-routes.ts'
import type { ContentDeps } from './read-content.ts'
import type { ResolveDeps } from './resolve-email.ts'
import { emailRoutes } from './routes.ts'
import type { EmailDeps } from './send-emails.ts'

export type EmailsModuleDeps = EmailDeps & ResolveDeps & ContentDeps & { retentionDays: number }

export function emailsModule(deps: EmailsModuleDeps): Module {
  return {
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        emailRoutes(app, deps, door)
        messageRoutes(app, deps, door)
      }
    },
    partitions: emailPartitions(deps.retentionDays),
    needs: EMAIL_NEEDS,
  }
}
