import type { PartitionNeed } from '../../platform/db/expire-partitions.ts'
import type { ExpiringTable, Partition } from '../../platform/db/partitions.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** The delivery log can be read and replayed at least this long. */
export const DELIVERIES_RETENTION_DAYS = 30

export const DELIVERY_PARTITIONS: readonly ExpiringTable[] = [
  { table: 'deliveries', span: 'month', ahead: 2, keepDays: DELIVERIES_RETENTION_DAYS },
  { table: 'delivery_attempts', span: 'month', ahead: 2, keepDays: DELIVERIES_RETENTION_DAYS },
]

/**
 * A delivery waits for as long as its endpoint is paused or switched off. A claim that was never answered for is logged,
 * under the time it was made at, by the turn that comes next, whenever that is.
 */
export const DELIVERY_NEEDS: readonly PartitionNeed[] = [
  { table: 'deliveries', isNeeded: (tx, month) => isQueued(tx, 'delivery_created_at', month) },
  { table: 'delivery_attempts', isNeeded: (tx, month) => isQueued(tx, 'claimed_at', month) },
  { table: 'outbox', isNeeded: isPutAside },
]

async function isPutAside(tx: Transaction, { from, to }: Partition) {
  const { rows } = await tx.query<{ yes: boolean }>(
    'select exists (select from webhook_backlog where recorded_at >= $1 and recorded_at < $2) as yes',
    [from, to],
  )
  return rows[0]!.yes
}

async function isQueued(tx: Transaction, time: 'delivery_created_at' | 'claimed_at', { from, to }: Partition) {
  const { rows } = await tx.query<{ yes: boolean }>(
    `select exists (select from delivery_queue where ${time} >= $1 and ${time} < $2) as yes`,
    [from, to],
  )
  return rows[0]!.yes
}
