import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import type { IntegrationKey } from './integration-secrets.ts'
import { integrationsWithQuotaStatement } from './queries.ts'

export const REFRESH_EVERY_SECONDS = HOUR_SECONDS
/** Spread over this time, so that many integrations of one account do not ask together: SES answers one request a second. */
const SPREAD_MS = 600_000
const BATCH_ROWS = 1_000

/** At most one waits for each integration; a change that comes while one runs makes the one that follows. */
export const READ_PROVIDER_QUOTA = jobKind<IntegrationKey>({
  kind: 'read_provider_quota',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, id }) => `${workspaceId}/${id}`,
})

/** One job for each integration whose provider has a quota. */
export async function refreshProviderQuotas(pool: pg.Pool, random = Math.random): Promise<void> {
  let after: IntegrationKey = { workspaceId: '0', id: '0' }
  for (;;) {
    const keys = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
      const { rows } = await tx.query(integrationsWithQuotaStatement(after, BATCH_ROWS))
      const jobs = rows.map((payload) => ({ payload, delayMs: Math.floor(random() * SPREAD_MS) }))
      await enqueueAll(tx, READ_PROVIDER_QUOTA, jobs)
      return rows
    })
    const last = keys.at(-1)
    if (last === undefined || keys.length < BATCH_ROWS) return
    after = last
  }
}
