import type pg from 'pg'
import type { SecretBox, SecretKeys } from '../../platform/crypto/secret-box.ts'
import { DAY_SECONDS } from '../../platform/durations.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { ListenAddress } from '../../platform/net/listen-address.ts'
import type { Module } from '../module.ts'
import { createMessageIds } from '../sending/ledger/message-ids.ts'
import { hookRoutes } from './hook-routes.ts'
import { pruneReports } from './prune-reports.ts'
import type { FeedbackDeps } from './record-feedback.ts'
import { createReturnPaths } from './return-path.ts'
import { feedbackSite } from './site.ts'
import { createSnsCertificates } from './sns-certificates.ts'
import type { MailDeps, TakenIn } from './take-in-mail.ts'

const PRUNE_EVERY_SECONDS = DAY_SECONDS

export type FeedbackModuleDeps = FeedbackDeps & {
  pool: pg.Pool
  keys: SecretKeys
  secrets: SecretBox
  client: GuardedClient
  bounceDomain: string | null
  bounceAddress: ListenAddress | undefined
  retentionDays: number
  onMail: (outcome: TakenIn) => void
  unsubscribes: MailDeps['unsubscribes']
  onError: (error: unknown) => void
}

export function feedbackModule(deps: FeedbackModuleDeps): Module {
  const { bounceDomain, bounceAddress } = deps
  const parts = {
    ...deps,
    ...createSnsCertificates(deps.client),
    returnPaths: createReturnPaths(deps),
    messageIds: createMessageIds(deps),
  }
  return {
    routes(app) {
      feedbackSite(app, parts)
      hookRoutes(app, parts)
    },
    listeners:
      bounceDomain === null || bounceAddress === undefined
        ? []
        : [
            {
              setting: 'BOUNCE_ADDR',
              address: bounceAddress,
              async start() {
                const { startReturnedMail } = await import('./returned-mail-listener.ts')
                return startReturnedMail({ ...parts, bounceDomain }, bounceAddress)
              },
            },
          ],
    jobs: [
      {
        kind: 'prune_feedback_reports',
        queue: 'default',
        everySeconds: PRUNE_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          await pruneReports(deps.pool, { days: deps.retentionDays, isOver: () => stopping.aborted })
          return stopping.aborted ? { outcome: 'more' } : { outcome: 'ok' }
        },
      },
    ],
  }
}
