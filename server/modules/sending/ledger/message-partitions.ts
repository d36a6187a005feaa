import type pg from 'pg'
import { dropExpiredPartitions } from '../../../platform/db/expire-partitions.ts'
import { ensurePartitions, type PartitionedTable } from '../../../platform/db/partitions.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../../platform/db/transaction.ts'

const PARTITIONED: readonly PartitionedTable[] = [
  { table: 'messages', span: 'month', ahead: 2 },
  { table: 'message_attempts', span: 'month', ahead: 2 },
]
const DAY_MS = 86_400_000

export type Expiry = { retentionDays: number; now: Date }

/** The partitions that messages and attempts of this and the next months need. Run at the start, before anything is written. */
export async function ensureMessagePartitions(pool: pg.Pool): Promise<void> {
  for (const spec of PARTITIONED) await ensurePartitions(pool, spec)
}

/**
 * Drops the months whose every message is older than `retentionDays`, and none that a message still to be sent is of.
 * Totals of broadcasts outlive their messages. Returns the names of the dropped partitions.
 */
export async function dropExpiredMessages(pool: pg.Pool, expiry: Expiry): Promise<string[]> {
  return dropWithMessages(pool, PARTITIONED, expiry)
}

/** The same for other tables whose rows belong to messages and are kept by their `created_at`. */
export async function dropWithMessages(
  pool: pg.Pool,
  tables: readonly PartitionedTable[],
  { retentionDays, now }: Expiry,
): Promise<string[]> {
  const oldest = await inTransaction(pool, ALL_WORKSPACES, oldestQueued)
  const latest = oldest === null ? Number.POSITIVE_INFINITY : Date.parse(oldest) + retentionDays * DAY_MS
  const expiry = { retentionDays, now: new Date(Math.min(now.getTime(), latest)) }
  const dropped: string[] = []
  for (const spec of tables) dropped.push(...(await dropExpiredPartitions(pool, spec, expiry)))
  return dropped
}

async function oldestQueued(tx: Transaction): Promise<string | null> {
  const { rows } = await tx.query<{ at: string | null }>('select min(message_created_at) as at from message_queue')
  return rows[0]?.at ?? null
}
