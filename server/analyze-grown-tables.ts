import type pg from 'pg'
import { analyzeGrown, TABLES_WITH_FOREIGN_KEYS } from './platform/db/analyze-grown.ts'
import type { JobHandler } from './platform/jobs/outcome.ts'

/** At full speed an import brings some ten thousand contacts in this time. */
const EVERY_SECONDS = 2

/**
 * The job `analyze_grown_tables`: has the planner learn how large the tables at the ends of foreign keys are. The first
 * import of an installation, 60,000 contacts with a tag each after some by hand, took 70 s where autovacuum had not come by,
 * and stood still for 18 of them: each key was checked by reading all contacts.
 */
export function analyzeGrownTables(pool: pg.Pool): JobHandler {
  return {
    kind: 'analyze_grown_tables',
    queue: 'default',
    everySeconds: EVERY_SECONDS,
    reach: 'database',
    async run() {
      await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS)
      return { outcome: 'ok' }
    },
  }
}
