import type pg from 'pg'
import { errorCode } from '../db/errors.ts'
import { dropPartition, type PartitionedTable, partitionsBefore, UNDEFINED_TABLE } from '../db/partitions.ts'

/**
 * Drops the partitions of the log that ended more than `retentionDays` ago and that nobody needs: every group has read
 * past their last row and no row of theirs is parked. Before any group is registered all are needed. Returns the names
 * dropped.
 */
export async function pruneOutbox(
  pool: pg.Pool,
  spec: PartitionedTable,
  input: { retentionDays: number; now: Date },
): Promise<string[]> {
  const before = new Date(input.now.getTime() - input.retentionDays * 86_400_000)
  const dropped: string[] = []
  for (const name of await partitionsBefore(pool, spec, before)) {
    if (await isNeeded(pool, name)) continue
    if (await dropPartition(pool, spec.table, name)) dropped.push(name)
  }
  return dropped
}

async function isNeeded(pool: pg.Pool, name: string): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ needed: boolean }>(
      `select not exists (select from outbox_cursors) or exists (select from outbox_cursors c, lateral (
           select from ${name} p where (p.tx, p.position) > (c.tx, c.position)
             order by p.tx, p.position limit 1) unread)
         or exists (select from outbox_parked k join ${name} p on p.tx = k.tx and p.position = k.position) as needed`,
    )
    return rows[0]!.needed
  } catch (error) {
    // Another process has dropped it meanwhile.
    if (errorCode(error) === UNDEFINED_TABLE) return false
    throw error
  }
}
