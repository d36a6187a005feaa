import { QUEUES } from '../../server/catalogue/queues.ts'
import { migrate } from '../../server/platform/db/migrate.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { migrateJobs } from '../../server/platform/jobs/schema.ts'
import { ensureAllPartitions } from './partitions.ts'

/** Gives an empty database all that tests find in theirs: the tables, the job queue and the partitions of these months. */
export async function migrateAll(url: string): Promise<void> {
  await migrate({ url })
  const pool = createPool({ name: 'pgx', url, max: 1 })
  try {
    await migrateJobs(pool, QUEUES)
    // To make them takes longer than to copy all.
    await ensureAllPartitions(pool, { daysAhead: 1 })
  } finally {
    await pool.end()
  }
}
