import type pg from 'pg'
import type { Queryable, Transaction } from '../../server/platform/db/transaction.ts'
import type { ConsumerDeps, Progress, Step } from '../../server/platform/outbox/consumer.ts'
import { registerGroups, step } from '../../server/platform/outbox/consumer.ts'
import type { ConsumerGroup } from '../../server/platform/outbox/consumer-group.ts'
import { IN_RANGE, queryRange, type Range } from '../../server/platform/outbox/range.ts'

type Rows = { workspaceId?: string; recordedAt?: Date }

/** Appends an event for each subject, in the caller's transaction or one of its own; returns their positions. */
export async function appendRows(db: Queryable, subjects: readonly string[], rows: Rows = {}): Promise<string[]> {
  const { rows: written } = await db.query<{ position: string }>(
    `insert into outbox (workspace_id, type, name, subject, data, occurred_at, recorded_at)
     select $1, 'event.recorded', 'test', subject, '{}', now(), coalesce($3, now())
     from unnest($2::text[]) with ordinality as s(subject, n) order by n returning position`,
    [rows.workspaceId ?? '1', subjects, rows.recordedAt ?? null],
  )
  return written.map(({ position }) => position)
}

/** `count` subjects that no other call gives. */
export function subjects(count: number): string[] {
  named += count
  return Array.from({ length: count }, (_, n) => `s${named - count + n}`)
}
let named = 0

type Failing = (range: Range, subjects: string[], tx: Transaction) => void | Promise<void>

/** A group of a test's own that writes the subjects it reads into `effects`, or fails where it is told to. */
export function effectsGroup(group: string, fail?: Failing): ConsumerGroup {
  return {
    group,
    handler: `handle_${group}`,
    async handle(tx, range) {
      const { rows } = await queryRange<{ subject: string }>(tx, range, {
        name: 'test_effects',
        text: `insert into effects (consumer_group, subject) select $6, subject from ${IN_RANGE} returning subject`,
        values: [group],
      })
      await fail?.(
        range,
        rows.map(({ subject }) => subject),
        tx,
      )
    },
  }
}

/** Registers the group behind everything that is in the log, so that it reads only what the test appends. */
export async function startAtEnd(pool: pg.Pool, ...groups: ConsumerGroup[]): Promise<void> {
  await pool.query(
    'create table if not exists effects (n bigint generated always as identity, consumer_group text, subject text)',
  )
  await registerGroups(pool, groups)
  await pool.query(
    `update outbox_cursors c set tx = last.tx, position = last.position
     from (select tx, position from outbox order by tx desc, position desc limit 1) last where consumer_group = any ($1)`,
    [groups.map(({ group }) => group)],
  )
}

/** The subjects whose effects a group has left, in the order in which it handled them. */
export async function effectsOf(pool: pg.Pool, group: string): Promise<string[]> {
  const { rows } = await pool.query<{ subject: string }>(
    'select subject from effects where consumer_group = $1 order by n',
    [group],
  )
  return rows.map(({ subject }) => subject)
}

export type Watched = ConsumerDeps & {
  handled: { handler: string; rows: number; error?: unknown }[]
  parked: { group: string; position: string; error: unknown }[]
}

/** Dependencies of a consumer, with everything it reports. */
export function watched(pool: pg.Pool): Watched {
  const handled: Watched['handled'] = []
  const parked: Watched['parked'] = []
  return {
    pool,
    handled,
    parked,
    onHandled: ({ handler, rows, error }) => handled.push({ handler, rows, ...(error === undefined ? {} : { error }) }),
    onParked: (row) => parked.push(row),
  }
}

/** Steps until there is nothing left to read; open transactions of other test files may hold the log back meanwhile. */
export async function readAll(
  deps: ConsumerDeps,
  group: ConsumerGroup,
  progress: Progress,
): Promise<Step['outcome'][]> {
  const outcomes: Step['outcome'][] = []
  const deadlineMs = performance.now() + 120_000
  while (outcomes.at(-1) !== 'idle') {
    const { outcome } = await step(deps, group, progress)
    if (outcome !== 'held' && outcome !== 'busy') outcomes.push(outcome)
    if (performance.now() > deadlineMs) throw new Error(`not read to the end: ${outcomes.slice(-20)}, ${outcome}`)
  }
  return outcomes
}
