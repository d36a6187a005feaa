import type pg from 'pg'
import { ALL_WORKSPACES, type Queryable, queryInScope } from '../db/transaction.ts'
import { before, type Cursor } from './range.ts'
import { READERS } from './readers.ts'

/** How far a group has come: it has handled every row up to here. */
export async function cursorOf(db: Queryable, group: string): Promise<Cursor> {
  const { rows } = await db.query<Cursor>({
    name: 'outbox_cursor_of',
    text: 'select tx, position from outbox_cursors where consumer_group = $1',
    values: [group],
  })
  return rows[0]!
}

/** Where a group that stands behind another one has to stop; `parked`: the row there, which the one ahead has not handled but parked. */
export type Bound = { to: Cursor; parked?: Cursor }

/** How far a group that has come to `cursor` may follow another one: what that has parked is not handled (consumer-group.ts). Undefined: there is no such group. */
export async function boundBy(db: Queryable, ahead: string, cursor: Cursor): Promise<Bound | undefined> {
  // One statement, so one snapshot: a row is parked in the transaction that moves the cursor over it.
  const { rows } = await db.query<Cursor & { parkedTx: string | null; parkedPosition: string | null }>({
    name: 'outbox_bound_by',
    text: `select c.tx, c.position, k.tx as "parkedTx", k.position as "parkedPosition" from outbox_cursors c
      left join lateral (select tx, position from outbox_parked
        where consumer_group = $1 and (tx, position) > ($2::bigint, $3::bigint) order by tx, position limit 1) k on true
      where c.consumer_group = $1`,
    values: [ahead, cursor.tx, cursor.position],
  })
  if (!rows[0]) return undefined
  const { tx, position, parkedTx, parkedPosition } = rows[0]
  if (parkedTx === null || parkedPosition === null) return { to: { tx, position } }
  const parked = { tx: parkedTx, position: parkedPosition }
  return { to: before(parked), parked }
}

/** Whether each of these groups has handled what was recorded up to a moment (RFC 3339), and nobody is about to commit any of it. */
export function havePassed(db: Queryable, groups: readonly string[], at: string): Promise<boolean> {
  const named = {
    name: 'outbox_groups_have_passed',
    of: 'outbox_cursors',
    where: 'c.consumer_group = any ($2::text[])',
  }
  return noneIsBehind(db, named, [at, groups])
}

/** The same of every group that is read. */
export function haveAllPassedTime(db: Queryable, at: string): Promise<boolean> {
  return noneIsBehind(db, { name: 'outbox_all_groups_have_passed_time', of: READERS, where: 'true' }, [at])
}

async function noneIsBehind(
  db: Queryable,
  { name, of, where }: Record<'name' | 'of' | 'where', string>,
  values: readonly [at: string, ...more: unknown[]],
): Promise<boolean> {
  // Asked before the log is looked at: what ends between the two is seen there.
  if (await isAnyRecording(db, values[0])) return false
  const { rows } = await db.query<{ passed: boolean }>({
    name,
    text: `select not exists (
        select from ${of} c cross join lateral (
          select recorded_at from outbox where (tx, position) > (c.tx, c.position) order by tx, position limit 1
        ) next
        where ${where} and next.recorded_at <= $1::timestamptz) as passed`,
    values: [...values],
  })
  return rows[0]!.passed
}

/** Whether somebody still writes who began up to a moment, which is the time of what they record: a lock or a standby may hold them up. */
async function isAnyRecording(db: Queryable, at: string): Promise<boolean> {
  const { rows } = await db.query<{ open: boolean }>({
    name: 'outbox_is_any_recording',
    text: `select exists (select from pg_stat_activity
        where datname = current_database() and backend_xid is not null and xact_start <= $1::timestamptz
          and pid <> pg_backend_pid()) as open`,
    values: [at],
  })
  return rows[0]!.open
}

/** Where the log ends as far as it is committed, and the highest position drawn so far. */
export async function endOfLog(db: Queryable): Promise<{ end: Cursor; lastPosition: string }> {
  const { rows } = await db.query<Cursor & { lastPosition: string }>({
    name: 'outbox_end',
    text: `select coalesce(e.tx, 0) as tx, coalesce(e.position, 0) as position, s.last_value as "lastPosition"
      from outbox_position s
      left join lateral (select tx, position from outbox order by tx desc, position desc limit 1) e on true`,
  })
  const { tx, position, lastPosition } = rows[0]!
  return { end: { tx, position }, lastPosition }
}

/** Whether every group has handled all that the log holds up to and with a row. */
export async function haveAllPassed(db: Queryable, to: Cursor): Promise<boolean> {
  const { rows } = await db.query<{ passed: boolean }>({
    name: 'outbox_all_groups_have_passed',
    text: `select not exists (
        select from ${READERS} c cross join lateral (
          select tx, position from outbox where (tx, position) > (c.tx, c.position) order by tx, position limit 1
        ) next
        where (next.tx, next.position) <= ($1::bigint, $2::bigint)) as passed`,
    values: [to.tx, to.position],
  })
  return rows[0]!.passed
}

/** Unread rows whose times are looked at one by one; with more, the earliest of so many tells how far the group has come. */
const LOOKED_AT_MAX = 1_000
/** The longest that a transaction may take between its beginning, which is the time of its rows, and its commit. */
const TRANSACTION_MS_MAX = 60_000

/**
 * The moment up to which a group has handled every event that was acknowledged, and the clock; RFC 3339. Everything that
 * is committed when this is asked for and not handled was recorded later than that. Ask before reading what the group
 * has written.
 */
export async function readThrough(pool: pg.Pool, group: string): Promise<{ clock: string; through: string }> {
  const [row] = await queryInScope<{ clock: string; through: string }>(pool, ALL_WORKSPACES, {
    name: 'outbox_read_through',
    // The rows behind the cursor are found through the index by a cursor of one row, in the order of the index.
    text: `select clock, case when unread.rows = 0 then clock
          when unread.rows < ${LOOKED_AT_MAX} then least(clock, unread.earliest - interval '1 microsecond')
          else least(clock, unread.earliest - interval '${TRANSACTION_MS_MAX} milliseconds') end as through
      from postroom_clock() clock, outbox_cursors c cross join lateral (
        select count(*) as rows, min(recorded_at) as earliest
        from (select recorded_at from outbox where (tx, position) > (c.tx, c.position)
          order by tx, position limit ${LOOKED_AT_MAX}) behind) unread
      where c.consumer_group = $1`,
    values: [group],
    plan: 'once',
  })
  return row!
}
