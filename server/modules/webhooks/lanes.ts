import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { defineLanes, type Turn } from '../../platform/lanes/lane-tables.ts'

/** An endpoint's deliveries wait in `delivery_queue`, for its one lane. */
export type Lane = { workspaceId: string; endpointId: string }
export type DeliveryTurn = Turn<Lane, { failing: boolean }>

export const DELIVER_WEBHOOK = jobKind<Lane>({
  kind: 'deliver_webhook',
  queue: 'webhooks',
  groupKey: ({ workspaceId }) => workspaceId,
})
/** Endpoints that only fail come after the others, and never take all places. */
const FAILING_PRIORITY = -1

type LostDelivery = { deliveryId: string; attempt: number; claimedAt: string }

export const WEBHOOK_LANES = defineLanes<Lane, { failing: boolean }, LostDelivery>({
  name: 'webhook',
  lanes: 'webhook_lanes',
  key: { workspaceId: 'workspace_id', endpointId: 'endpoint_id' },
  isOpen: `exists (select from webhook_endpoints e
    where e.workspace_id = l.workspace_id and e.id = l.endpoint_id and e.enabled)`,
  told: { failing: 'l.failing_since is not null' },
  queue: {
    table: 'delivery_queue',
    sharedBy: ['workspaceId', 'endpointId'],
    // A lost attempt uses up none of the ten, nor does one that was never sent.
    back: 'claimed_at = null, attempt = greatest(q.attempt - 1, 0)',
    backTold: { deliveryId: 'q.delivery_id', attempt: 'q.attempt', claimedAt: 'q.claimed_at' },
  },
  async onBack(tx, turn, claims, because) {
    if (because === 'lost') await logLost(tx, turn.workspaceId, claims)
  },
  jobOf: ({ failing }) => ({ kind: DELIVER_WEBHOOK, priority: failing ? FAILING_PRIORITY : 0 }),
})

/** The receiver may have had them: their process ended before it recorded an answer. */
async function logLost(tx: Transaction, workspaceId: string, lost: readonly LostDelivery[]): Promise<void> {
  await tx.query({
    name: 'log_lost_attempts',
    text: `insert into delivery_attempts (workspace_id, delivery_id, started_at, attempt, outcome, error)
      select $1, delivery_id, claimed_at, attempt, 'lost', 'worker_lost'
      from unnest($2::text[]::bigint[], $3::text[]::smallint[], $4::text[]::timestamptz[])
        as lost (delivery_id, attempt, claimed_at)
      on conflict do nothing`,
    values: [
      workspaceId,
      textArray(lost.map(({ deliveryId }) => deliveryId)),
      textArray(lost.map(({ attempt }) => String(attempt))),
      textArray(lost.map(({ claimedAt }) => claimedAt)),
    ],
  })
}
