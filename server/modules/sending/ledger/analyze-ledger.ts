import type pg from 'pg'
import { analyzeGrown, type GrowingTables } from '../../../platform/db/analyze-grown.ts'

/** The columns of its keys and of what is asked together with them. */
const LEDGER: GrowingTables = {
  name: 'grown_ledger_partitions',
  text: `select inhrelid, 'workspace_id, id, source_kind, source_id, contact_id, state' from pg_inherits
    where inhparent = 'messages'::regclass`,
}

/**
 * Has the planner learn how large the ledger has become. Where it knew an empty one, who is not in the contacts was looked
 * for by walking through all of a workspace. Called while a broadcast is planned. Returns the names of the partitions it
 * has analysed.
 */
export function analyzeGrownLedger(pool: pg.Pool): Promise<string[]> {
  return analyzeGrown(pool, LEDGER)
}
