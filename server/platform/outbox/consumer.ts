import type pg from 'pg'
import { crashPoint } from '../crash-point.ts'
import { type DatabaseOutcome, databaseOutcome } from '../db/errors.ts'
import { withQueryTimeout } from '../db/query-timeout.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../db/transaction.ts'
import { IS_HELD } from '../epoch/held.ts'
import type { ConsumerGroup } from './consumer-group.ts'
import { parkBehind, parkRow } from './parked.ts'
import { pinPlans } from './plans.ts'
import { boundBy } from './progress.ts'
import { type Cursor, HANDLE_TIMEOUT_MS, type Next, nextRange, type Range } from './range.ts'
import { noteGroups } from './readers.ts'

export type ConsumerDeps = {
  pool: pg.Pool
  /** Called after every try: how many rows, how long, and the error if it failed. */
  onHandled: (handled: { handler: string; rows: number; durationMs: number; error?: unknown }) => void
  onParked: (parked: { group: string; position: string; error: unknown }) => void
}

export type Step = { outcome: 'moved' | 'idle' | 'held' | 'behind' | 'busy' | 'parked' | 'failed'; rows: number }

/** Rows a stretch has at most: enough to spread the cost of a commit, few enough to stay under 100 ms. */
export const RANGE_ROWS_MAX = 5_000
/** Tries of a single row before it is parked. Losing the database does not count, a time limit does while it answers. */
export const ATTEMPTS_MAX = 5
const ATTEMPT_DELAY_MS = 10

/** The memory one process has of a group between steps: how far ranges are cut down after a failure. */
export type Progress = { rowsMax: number; attempts: number }

/** Handles one stretch. Throws only what `databaseOutcome` knows: the same is to be tried again. */
export async function step(deps: ConsumerDeps, group: ConsumerGroup, progress: Progress): Promise<Step> {
  const started = performance.now()
  let range: Range | undefined
  let untried: { group: string; position: string; error: unknown } | undefined
  let done: Step
  try {
    done = await inTransaction<Step>(deps.pool, ALL_WORKSPACES, async (tx) => {
      const cursor = await lockCursor(tx, group)
      if (!cursor) return { outcome: 'busy', rows: 0 }
      // Read before the range: what is committed by then is seen by every later statement.
      const bound = group.behind === undefined ? undefined : await boundBy(tx, group.behind, cursor)
      const next = await nextRange(tx, cursor, progress.rowsMax, bound?.to)
      if (!next.range && bound?.parked) {
        const error = await parkBehind(tx, { group: group.group, ahead: group.behind!, row: bound.parked })
        // Replayed meanwhile: the next step handles it as any.
        if (error === undefined) return { outcome: 'failed', rows: 0 }
        await moveCursor(tx, group.group, bound.parked)
        untried = { group: group.group, position: bound.parked.position, error }
        return { outcome: 'parked', rows: 0 }
      }
      if (!next.range) return { outcome: idleOutcome(next), rows: 0 }
      range = next.range
      await group.handle(withQueryTimeout(tx, HANDLE_TIMEOUT_MS), range)
      await moveCursor(tx, group.group, { tx: range.toTx, position: range.toPosition })
      crashPoint('consumer_before_commit')
      return { outcome: 'moved', rows: range.rows }
    })
  } catch (error) {
    if (!range) throw error
    const outcome = databaseOutcome(error)
    if (outcome !== undefined && !(await isTooMuchAlone(deps, range, outcome))) {
      // It may have been the range that was too much, for a time limit or for the server; then a smaller one gets through.
      if (outcome === 'timed_out' || outcome === 'away') progress.rowsMax = Math.ceil(range.rows / 2)
      throw error
    }
    deps.onHandled({ handler: group.handler, rows: range.rows, durationMs: performance.now() - started, error })
    return await afterFailure(deps, group, { progress, range, error })
  }
  if (untried) deps.onParked(untried)
  if (range) {
    crashPoint('consumer_after_commit')
    deps.onHandled({ handler: group.handler, rows: range.rows, durationMs: performance.now() - started })
    progress.rowsMax = Math.min(RANGE_ROWS_MAX, progress.rowsMax * 2)
    progress.attempts = 0
  }
  return done
}

function idleOutcome({ held, behind }: Next): Step['outcome'] {
  if (behind) return 'behind'
  return held ? 'held' : 'idle'
}

/** Whether one row runs into the time limit although the database answers: smaller it does not get. */
async function isTooMuchAlone({ pool }: ConsumerDeps, range: Range, outcome: DatabaseOutcome): Promise<boolean> {
  if (outcome !== 'timed_out' || range.rows > 1) return false
  return pool.query('select').then(
    () => true,
    () => false,
  )
}

type Failure = { progress: Progress; range: Range; error: unknown }

async function afterFailure(deps: ConsumerDeps, group: ConsumerGroup, failure: Failure): Promise<Step> {
  const { progress, range, error } = failure
  if (range.rows > 1) {
    progress.rowsMax = Math.ceil(range.rows / 2)
    return { outcome: 'failed', rows: 0 }
  }
  progress.attempts++
  if (progress.attempts < ATTEMPTS_MAX) {
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_DELAY_MS * progress.attempts))
    return { outcome: 'failed', rows: 0 }
  }
  const row = { tx: range.toTx, position: range.toPosition }
  const parked = await inTransaction(deps.pool, ALL_WORKSPACES, async (tx) => {
    const cursor = await lockCursor(tx, group)
    // Another process may have got past it meanwhile.
    if (cursor?.tx !== range.fromTx || cursor.position !== range.fromPosition) return false
    await parkRow(tx, { group: group.group, row, error, attempts: progress.attempts })
    await moveCursor(tx, group.group, row)
    return true
  })
  progress.attempts = 0
  if (parked) deps.onParked({ group: group.group, position: row.position, error })
  return { outcome: 'parked', rows: 0 }
}

/** Undefined while another process works for the group, and while the installation is held and the group reaches out of it. */
async function lockCursor(tx: Transaction, { group, reach }: ConsumerGroup): Promise<Cursor | undefined> {
  pinPlans(tx)
  const { rows } = await tx.query<Cursor>({
    name: 'outbox_lock_cursor',
    text: `select tx, position from outbox_cursors where consumer_group = $1 and ($2 or not ${IS_HELD})
      for update skip locked`,
    values: [group, reach === 'database'],
    query_timeout: HANDLE_TIMEOUT_MS,
  } as pg.QueryConfig)
  return rows[0]
}

async function moveCursor(tx: Transaction, group: string, to: Cursor): Promise<void> {
  await tx.query({
    name: 'outbox_move_cursor',
    text: 'update outbox_cursors set tx = $2, position = $3, seen_at = now() where consumer_group = $1',
    values: [group, to.tx, to.position],
    query_timeout: HANDLE_TIMEOUT_MS,
  } as pg.QueryConfig)
}

/** Registers groups; one that is new reads the log from its beginning. */
export async function registerGroups(pool: pg.Pool, groups: readonly ConsumerGroup[]): Promise<void> {
  await pool.query(
    `insert into outbox_cursors (consumer_group, tx, position)
     select name, 0, 0 from unnest($1::text[]) as name on conflict do nothing`,
    [groups.map((group) => group.group)],
  )
  await noteGroups(
    pool,
    groups.map((group) => group.group),
  )
}
