import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { lookUpMailHost } from '../../platform/mail/mail-host.ts'
import type { SmtpDeps } from '../../platform/mail/open-smtp.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { UrlJudgement } from '../../platform/net/judge-url.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import { pruneSendCounters } from './count-sends.ts'
import { readProviderQuota } from './read-provider-quota.ts'
import { READ_PROVIDER_QUOTA, REFRESH_EVERY_SECONDS, refreshProviderQuotas } from './refresh-provider-quotas.ts'
import { integrationRoutes } from './routes.ts'
import { createCheckPlaces, type TestDeps } from './test-integration.ts'

const QUEUE = 'default'
const PRUNE_EVERY_SECONDS = HOUR_SECONDS
/** After these the hourly refresh is soon enough. */
const QUOTA_ATTEMPTS_MAX = 4

export type IntegrationsModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  secrets: SecretBox
  mail: SmtpDeps
  client: GuardedClient
  judgeUrl: (url: string) => Promise<UrlJudgement>
}

export function integrationsModule(deps: IntegrationsModuleDeps): Module {
  const operations: TestDeps = {
    ...deps,
    lookUpMailHost: (host, timeoutMs) => lookUpMailHost(deps.mail, host, timeoutMs),
    requestQuota: (tx, key) => enqueue(tx, READ_PROVIDER_QUOTA, key),
    places: createCheckPlaces(),
  }
  return {
    routes(app) {
      integrationRoutes(app, operations, API_DOOR)
      integrationRoutes(app, operations, SITE_DOOR)
    },
    jobs: [
      handlerOf(READ_PROVIDER_QUOTA, {
        attemptsMax: QUOTA_ATTEMPTS_MAX,
        async run({ payload }) {
          const read = await readProviderQuota(deps, payload)
          const again = read.outcome === 'failed' && read.passing
          return again ? { outcome: 'error', error: new Error(`the quota: ${read.code}`) } : { outcome: 'ok' }
        },
      }),
      {
        kind: 'refresh_provider_quotas',
        queue: QUEUE,
        everySeconds: REFRESH_EVERY_SECONDS,
        async run() {
          await refreshProviderQuotas(deps.pool)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'prune_send_counters',
        queue: QUEUE,
        everySeconds: PRUNE_EVERY_SECONDS,
        reach: 'database',
        async run() {
          await inTransaction(deps.pool, ALL_WORKSPACES, pruneSendCounters)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}
