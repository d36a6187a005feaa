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
  error: string
  attempts: number
  parkedAt: string
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

/** SQL: whether a group has parked the row at this position. */
export const isParked = (group: string, position: string) =>
  `exists (select from outbox_parked k where k.consumer_group = '${group}' and k.position = ${position})`

/** Parked rows, oldest first, at most `limit`. */
export async function parkedRows(pool: pg.Pool, limit: number): Promise<ParkedRow[]> {
  const { rows } = await pool.query<ParkedRow>(
    `select consumer_group as "consumerGroup", position, workspace_id as "workspaceId", error, attempts,
       parked_at as "parkedAt"
     from outbox_parked order by parked_at, position limit $1`,
    [limit],
  )
  return rows
}

/** How many rows each group has parked; a group without any is left out. */
export async function parkedCounts(db: Queryable): Promise<{ group: string; rows: number }[]> {
  const { rows } = await db.query<{ group: string; rows: number }>({
    name: 'outbox_parked_counts',
    text: `select consumer_group as "group", count(*)::int as rows from outbox_parked group by 1 order by 1`,
  })
  return rows
}

/** Forgets that rows at these positions are parked, with their errors: nobody hands them to their groups again. */
export async function unpark(tx: Transaction, positions: readonly string[]): Promise<void> {
  if (positions.length === 0) return
  await tx.query('delete from outbox_parked where position = any ($1::bigint[])', [int8Array(positions)])
}

export type Replay = { group: string; position: string; outcome: 'done' | 'failed'; error?: string }

/**
 * Hands parked rows to their groups again, each in its own transaction with its removal from the list. A row that fails
 * again stays parked with the new error.
 */
export async function replayParked(
  pool: pg.Pool,
  groups: readonly ConsumerGroup[],
  filter: { group?: string | undefined; position?: string | undefined },
): Promise<Replay[]> {
  const { rows } = await pool.query<Cursor & { group: string }>(
    `select consumer_group as "group", tx, position from outbox_parked
     where ($1::text is null or consumer_group = $1) and ($2::bigint is null or position = $2) order by position`,
    [filter.group ?? null, filter.position ?? null],
  )
  const replays: Replay[] = []
  for (const row of rows) {
    const group = groups.find((candidate) => candidate.group === row.group)
    if (group) replays.push(await replayRow(pool, group, row))
  }
  return replays
}

async function replayRow(pool: pg.Pool, group: ConsumerGroup, row: Cursor): Promise<Replay> {
  const key = [group.group, row.position]
  try {
    await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
      const taken = await tx.query('delete from outbox_parked where consumer_group = $1 and position = $2', key)
      if (taken.rowCount === 1) await group.handle(withQueryTimeout(tx, HANDLE_TIMEOUT_MS), rangeOfRow(row))
    })
    return { group: group.group, position: row.position, outcome: 'done' }
  } catch (error) {
    await pool.query(
      'update outbox_parked set error = $3, attempts = attempts + 1 where consumer_group = $1 and position = $2',
      [...key, messageOf(error)],
    )
    return { group: group.group, position: row.position, outcome: 'failed', error: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  // A message may quote anything, and U+0000, which no text column takes, must not keep the row from being parked.
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, ERROR_CHARS_MAX)
}
