import type { Queryable, Transaction } from '../db/transaction.ts'
import { HANDLE_TIMEOUT_MS } from './range.ts'

/**
 * Planner settings under which a statement has one plan a connection, by index and in the index's order. Groups look at
 * the log many times a second, and planning over all its partitions costs several times what reading twenty rows does
 * (1.1 of 1.6 s of planning while 6,000 messages were sent). Left to the statistics, a plan that is kept would scan
 * tables that were empty when it was made and have grown by millions of rows since. `jit`: servers before 18 count a
 * disabled node as costly enough to compile.
 */
const PINNED = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  // The server ends a handler's statement before the client's own limit does, which would leave it running there, with the
  // group's cursor locked.
  statement_timeout: String(HANDLE_TIMEOUT_MS - 1_000),
  // Sooner than that: a lock that somebody holds for minutes is told from a row that takes too long, and parks nothing.
  lock_timeout: String(HANDLE_TIMEOUT_MS - 2_000),
}
const ANEW = {
  plan_cache_mode: 'force_custom_plan',
  enable_seqscan: 'on',
  enable_sort: 'on',
  enable_hashjoin: 'on',
  enable_mergejoin: 'on',
}

/**
 * Holds for the rest of the transaction, or until `planAnew`. Goes out with the next statement. For statements whose plan
 * under these settings is the right one on empty tables and on full ones: one join order, one index each (range.test.ts).
 */
export function pinPlans(db: Queryable): void {
  setLocally(db, 'outbox_pin_plans', PINNED)
}

/** For a statement that leaves the planner a choice: it is planned each time, for the tables as they are now, without `jit`. */
export function planAnew(tx: Transaction): void {
  setLocally(tx, 'outbox_plan_anew', ANEW)
}

function setLocally(db: Queryable, name: string, settings: Record<string, string>): void {
  const calls = Object.entries(settings).map(([setting, value]) => `set_config('${setting}', '${value}', true)`)
  // Where it fails the statement behind it does as well.
  db.query({ name, text: `select ${calls.join(', ')}` }).catch(() => undefined)
}
