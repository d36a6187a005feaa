import type pg from 'pg'
import { ensurePartitions, type PartitionedTable } from '../../platform/db/partitions.ts'
import { dropWithMessages, type Expiry } from '../sending/ledger/message-partitions.ts'

const PARTITIONED: readonly PartitionedTable[] = [
  { table: 'emails', span: 'month', ahead: 2 },
  { table: 'email_attachments', span: 'month', ahead: 2 },
]

/** The partitions that emails of this and the next months need. Run at the start, before anything is written. */
export async function ensureEmailPartitions(pool: pg.Pool): Promise<void> {
  for (const spec of PARTITIONED) await ensurePartitions(pool, spec)
}

/** Drops the months of contents that `dropExpiredMessages` drops of their messages. */
export async function dropExpiredEmails(pool: pg.Pool, expiry: Expiry): Promise<string[]> {
  return dropWithMessages(pool, PARTITIONED, expiry)
}
