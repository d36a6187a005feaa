import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { enqueue, type NewJob } from '../../platform/jobs/enqueue.ts'
import type { IntegrationKey } from './integration-secrets.ts'
import { integrationsWithQuota } from './queries.ts'

export const REFRESH_EVERY_SECONDS = 3_600
/** Spread over this time, so that many integrations of one account do not ask together: SES answers one request a second. */
const SPREAD_MS = 600_000
const BATCH_ROWS = 1_000

/** One job for each integration whose provider has a quota. */
export async function refreshProviderQuotas(pool: pg.Pool, random = Math.random): Promise<void> {
  let after: IntegrationKey = { workspaceId: '0', id: '0' }
  for (;;) {
    const keys = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
      const { rows } = await tx.query<IntegrationKey>(integrationsWithQuota(after, BATCH_ROWS))
      await enqueue(
        tx,
        rows.map((key) => ({ ...quotaJob(key), delayMs: Math.floor(random() * SPREAD_MS) })),
      )
      return rows
    })
    const last = keys.at(-1)
    if (last === undefined || keys.length < BATCH_ROWS) return
    after = last
  }
}

/** At most one waits for each integration; a change that comes while one runs makes the one that follows. */
export function quotaJob({ workspaceId, id }: IntegrationKey): NewJob {
  return {
    queue: 'default',
    kind: 'read_provider_quota',
    payload: { workspaceId, id },
    groupKey: workspaceId,
    singletonKey: `read_provider_quota/${workspaceId}/${id}`,
  }
}
