import { API_DOOR, SITE_DOOR } from '../door.ts'
import { createMailOpener } from '../mailbox/read-mail.ts'
import type { Module } from '../module.ts'
import { EMAIL_NEEDS, emailPartitions } from './email-partitions.ts'
import { messageRoutes } from './message-routes.ts'
import type { ContentDeps } from './read-content.ts'
import type { ResolveDeps } from './resolve-email.ts'
import { emailRoutes } from './routes.ts'
import type { EmailDeps } from './send-emails.ts'
import { emailTools } from './tools.ts'

export type EmailsModuleDeps = EmailDeps & ResolveDeps & Omit<ContentDeps, 'opener'> & { retentionDays: number }

export function emailsModule(given: EmailsModuleDeps): Module {
  const deps = { ...given, opener: createMailOpener() }
  return {
    tools: emailTools,
    routes(app) {
      for (const door of [API_DOOR, SITE_DOOR]) {
        emailRoutes(app, deps, door)
        messageRoutes(app, deps, door)
      }
    },
    partitions: emailPartitions(deps.retentionDays),
    needs: EMAIL_NEEDS,
    close: () => deps.opener.close(),
  }
}
