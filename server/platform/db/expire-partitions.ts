import type pg from 'pg'
import { dropPartition, type PartitionedTable, partitionsBefore } from './partitions.ts'

const DAY_MS = 86_400_000

/** Drops the partitions whose every row is older than `retentionDays`. Returns their names. */
export async function dropExpiredPartitions(
  pool: pg.Pool,
  spec: PartitionedTable,
  input: { retentionDays: number; now: Date },
): Promise<string[]> {
  const expired = await partitionsBefore(pool, spec, new Date(input.now.getTime() - input.retentionDays * DAY_MS))
  const dropped: string[] = []
  for (const name of expired) if (await dropPartition(pool, spec.table, name)) dropped.push(name)
  return dropped
}
