import type { Queryable } from '../../platform/db/transaction.ts'

const ANALYZE_TIMEOUT_MS = 55_000

/**
 * Tells the planner what all partitions of `events` have together. Autovacuum looks at each of them alone; without this
 * it takes the people behind an event to be 200, however many they are, and plans segments accordingly.
 */
export async function analyzeEvents(db: Queryable): Promise<void> {
  const statement = {
    text: 'analyze events (workspace_id, name, contact_id, occurred_at)',
    query_timeout: ANALYZE_TIMEOUT_MS,
  }
  await db.query(statement)
}
