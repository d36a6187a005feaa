import type pg from 'pg'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import { API_DOOR, SITE_DOOR } from '../door.ts'
import type { Module } from '../module.ts'
import type { SystemMailer } from '../system-mail/system-mailer.ts'
import type { DomainLookups } from './check-domain.ts'
import type { DomainDeps, KeyBox } from './domain-deps.ts'
import { DOMAINS_A_ROUND, recheckDomains } from './recheck-domains.ts'
import { sendingDomainRoutes } from './routes.ts'
import { sendingDomainTools } from './tools.ts'
import { RECHECK_EVERY_SECONDS, VERIFY_DOMAIN, verifyDomain } from './verify-domain.ts'

const QUEUE = 'default'
/** A check that finds another one running waits for its end. */
const BUSY_MS = 1_000

export type SendingDomainsModuleDeps = DomainLookups & {
  sql: pg.Pool
  pool: pg.Pool
  keyBox: KeyBox
  mailer: SystemMailer
}

export function sendingDomainsModule(deps: SendingDomainsModuleDeps): Module {
  const domains: DomainDeps = {
    sql: deps.sql,
    keyBox: deps.keyBox,
    enqueueCheck: (tx, key) => enqueue(tx, VERIFY_DOMAIN, key),
  }
  return {
    tools: sendingDomainTools,
    routes(app) {
      sendingDomainRoutes(app, domains, API_DOOR)
      sendingDomainRoutes(app, domains, SITE_DOOR)
    },
    jobs: [
      handlerOf(VERIFY_DOMAIN, {
        reach: 'database',
        async run({ payload }) {
          const end = await verifyDomain(deps, payload)
          return end === 'busy' ? { outcome: 'snooze', afterMs: BUSY_MS } : { outcome: 'ok' }
        },
      }),
      {
        kind: 'recheck_domains',
        queue: QUEUE,
        everySeconds: RECHECK_EVERY_SECONDS,
        reach: 'database',
        async run(_job, { stopping }) {
          const checked = await recheckDomains(deps, stopping)
          // More may be due: the next round follows at once, so that every domain has its turn, however many there are.
          return checked < DOMAINS_A_ROUND ? { outcome: 'ok' } : { outcome: 'more' }
        },
      },
    ],
  }
}
