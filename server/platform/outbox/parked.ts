import type pg from 'pg'
import { int8Array } from '../db/arrays.ts'
import { withQueryTimeout } from '../db/query-timeout.ts'
import { ALL_WORKSPACES, inTransaction, type Queryable, type Transaction } from '../db/transaction.ts'
import type { ConsumerGroup } from './consumer-group.ts'
import { type Cursor, HANDLE_TIMEOUT_MS, rangeOfRow } from './range.ts'

const ERROR_CHARS_MAX = 2_000

export type ParkedRow = {
  consumerGroup: string
  position: string
  workspaceId: string
  /** Of the event; null where the log has it no more. */
  type: string | null
  error: string
  attempts: number
  parkedAt: string
  /** The group that has to handle the row first; null where nothing but a replay is missing. */
  waitsFor: string | null
}

/** Puts a row aside for a group, with the error that kept it from being handled. False when the log has it no more. */
export async function parkRow(
  tx: Transaction,
  input: { group: string; row: Cursor; error: unknown; attempts: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into outbox_parked (consumer_group, tx, position, recorded_at, workspace_id, error, attempts)
     select $1, tx, position, recorded_at, workspace_id, $4, $5 from outbox where tx = $2 and position = $3`,
    [input.group, input.row.tx, input.row.position, messageOf(input.error), input.attempts],
  )
  return rowCount === 1
}

/**
 * Puts a row aside, untried, for a group that stands behind one that has parked it (`ahead`). Returns the error it is
 * parked with; undefined when that one has handled it meanwhile. A replay that is at it is waited for.
 */
export async function parkBehind(
  tx: Transaction,
  { group, ahead, row }: { group: string; ahead: string; row: Cursor },
): Promise<Error | undefined> {
  const error = new Error(`${ahead} has not handled it`)
  const { rowCount } = await tx.query(
    `insert into outbox_parked (consumer_group, tx, position, recorded_at, workspace_id, error, attempts, waits_for)
     select $1, tx, position, recorded_at, workspace_id, $4, 0, consumer_group from outbox_parked
     where consumer_group = $2 and position = $3 for key share`,
    [group, ahead, row.position, error.message],
  )
  return rowCount === 1 ? error : undefined
}

/** SQL: whether a group has parked the row at this position. */
export const isParked = (group: string, position: string) =>
  `exists (select from outbox_parked k where k.consumer_group = '${group}' and k.position = ${position})`

/** SQL: whether any group has parked a row of this transaction of the log, or of one before. */
export const areParkedUpTo = (tx: string) => `exists (select from outbox_parked k where k.tx <= ${tx})`

/** Parked rows, oldest first, at most `limit`. */
export async function parkedRows(pool: pg.Pool, limit: number): Promise<ParkedRow[]> {
  const { rows } = await pool.query<ParkedRow>(
    `select p.consumer_group as "consumerGroup", p.position, p.workspace_id as "workspaceId", o.type, p.error, p.attempts,
       p.parked_at as "parkedAt", p.waits_for as "waitsFor"
     from outbox_parked p left join outbox o on o.tx = p.tx and o.position = p.position
     order by p.parked_at, p.position limit $1`,
    [limit],
  )
  return rows
}

/** `waiting`: of these rows, those that wait for another group and were not tried. */
export type ParkedCount = { group: string; rows: number; waiting: number }

/** How many rows each group has parked; a group without any is left out. */
export async function parkedCounts(db: Queryable): Promise<ParkedCount[]> {
  const { rows } = await db.query<ParkedCount>({
    name: 'outbox_parked_counts',
    text: `select consumer_group as "group", count(*)::int as rows, count(waits_for)::int as waiting
      from outbox_parked group by 1 order by 1`,
  })
  return rows
}

/** Forgets that rows at these positions are parked, with their errors: nobody hands them to their groups again. */
export async function unpark(tx: Transaction, positions: readonly string[]): Promise<void> {
  if (positions.length === 0) return
  await tx.query('delete from outbox_parked where position = any ($1::bigint[])', [int8Array(positions)])
}

/** `waits`: another group has to handle the row first. */
export type Replay = { group: string; position: string; outcome: 'done' | 'failed' | 'waits'; error?: string }

/**
 * Hands parked rows to their groups again, each in its own transaction with its removal from the list, and from there to the
 * groups that waited for it. A row that fails again stays parked with the new error. Those that it has not come to once it `isOver` stay as they are.
 */
export async function replayParked(
  pool: pg.Pool,
  groups: readonly ConsumerGroup[],
  filter: { group?: string | undefined; position?: string | undefined },
  isOver: () => boolean = () => false,
): Promise<Replay[]> {
  const { rows } = await pool.query<Cursor & { group: string }>(
    `select consumer_group as "group", tx, position from outbox_parked
     where ($1::text is null or consumer_group = $1) and ($2::bigint is null or position = $2)
     order by position, waits_for nulls first`,
    [filter.group ?? null, filter.position ?? null],
  )
  const replays: Replay[] = []
  const tried = new Set<string>()
  for (const row of rows) {
    if (isOver()) break
    const group = groups.find((candidate) => candidate.group === row.group)
    if (!group || tried.has(`${row.group} ${row.position}`)) continue
    for (const replay of await replayThrough(pool, groups, { group, row })) {
      tried.add(`${replay.group} ${replay.position}`)
      replays.push(replay)
    }
  }
  return replays
}

/** Replays a row for a group, and if that is done for those that stand behind it and have parked it, in this order. */
async function replayThrough(
  pool: pg.Pool,
  groups: readonly ConsumerGroup[],
  { group, row }: { group: ConsumerGroup; row: Cursor },
): Promise<Replay[]> {
  const replay = await replayRow(pool, group, row)
  if (replay === undefined) return []
  if (replay.outcome !== 'done') return [replay]
  const replays = [replay]
  for (const next of groups.filter(({ behind }) => behind === group.group)) {
    replays.push(...(await replayThrough(pool, groups, { group: next, row })))
  }
  return replays
}

/** Undefined when the group has not parked the row, or not any more. */
async function replayRow(pool: pg.Pool, group: ConsumerGroup, row: Cursor): Promise<Replay | undefined> {
  const key = [group.group, row.position]
  const about = { group: group.group, position: row.position }
  try {
    const isFree = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
      const free = 'consumer_group = $1 and position = $2 and waits_for is null'
      const { rowCount } = await tx.query(`delete from outbox_parked where ${free}`, key)
      if (rowCount === 1) await group.handle(withQueryTimeout(tx, HANDLE_TIMEOUT_MS), rangeOfRow(row))
      return rowCount === 1
    })
    if (isFree) return { ...about, outcome: 'done' }
  } catch (error) {
    await pool.query(
      'update outbox_parked set error = $3, attempts = attempts + 1 where consumer_group = $1 and position = $2',
      [...key, messageOf(error)],
    )
    return { ...about, outcome: 'failed', error: messageOf(error) }
  }
  const { rows } = await pool.query<{ error: string }>(
    'select error from outbox_parked where consumer_group = $1 and position = $2',
    key,
  )
  return rows[0] && { ...about, outcome: 'waits', error: rows[0].error }
}

function messageOf(error: unknown): string {
  // A message may quote anything, and U+0000, which no text column takes, must not keep the row from being parked.
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, ERROR_CHARS_MAX)
}
