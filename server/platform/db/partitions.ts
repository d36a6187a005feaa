import { DAY_MS } from '../durations.ts'
import { errorCode } from './errors.ts'
import { SQLSTATE } from './sqlstates.ts'
import type { Queryable } from './transaction.ts'

/** A table partitioned by range over a timestamptz column, one partition a day or a month (UTC). */
export type PartitionedTable = { table: string; span: 'day' | 'month'; ahead: number }

/** A partition of it may leave when every row of it is older than `keepDays`. */
export type ExpiringTable = PartitionedTable & { keepDays: number }

/** An insert for which no partition exists is said to break a check. */
export const NO_PARTITION = SQLSTATE.checkViolation

/** Answers to whoever makes a partition that another process has made, or is making. */
const MADE_MEANWHILE: readonly string[] = [
  SQLSTATE.duplicateTable,
  SQLSTATE.duplicateObject,
  SQLSTATE.uniqueViolation,
  SQLSTATE.wrongObjectType,
  SQLSTATE.invalidTableDefinition,
  SQLSTATE.invalidObjectDefinition,
]

export type Partition = { name: string; from: Date; to: Date }

/**
 * Makes the partition of `now` and the next `ahead` ones; of months that of a day ago as well, for rows of a moment that is past already:
 * of an hour ago by a clock that is slow, of a hit that is judged later. Attaching takes a lock that neither readers nor writers wait
 * for, which `create table … partition of` would not. Harmless to repeat and to run from several processes at once.
 */
export async function ensurePartitions(db: Queryable, spec: PartitionedTable, now = new Date()): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass',
    [spec.table],
  )
  const existing = new Set(rows.map((row) => row.name))
  const ahead = Array.from({ length: spec.ahead + 1 }, (_, step) => partitionAt(spec, now, step))
  const aDayAgo = partitionAt(spec, new Date(now.getTime() - DAY_MS), 0)
  const wanted = spec.span === 'month' && aDayAgo.name !== ahead[0]!.name ? [aDayAgo, ...ahead] : ahead
  for (const partition of wanted) if (!existing.has(partition.name)) await createPartition(db, spec.table, partition)
}

async function createPartition(db: Queryable, table: string, partition: Partition): Promise<void> {
  const { name } = partition
  try {
    await db.query(`create table if not exists ${name} (like ${table} including defaults including constraints)`)
    await guardLike(db, table, name)
    await attachPartition(db, table, partition)
  } catch (error) {
    if (!MADE_MEANWHILE.includes(errorCode(error) ?? '')) throw error
  }
}

/** Makes a table that has the columns of `table` a partition of it. */
export async function attachPartition(db: Queryable, table: string, { name, from, to }: Partition): Promise<void> {
  await db.query(
    `alter table ${table} attach partition ${name} for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
  )
}

/** Row-level security is that of the table a statement names: a partition named by itself needs its own. */
async function guardLike(db: Queryable, table: string, partition: string): Promise<void> {
  const { rows } = await db.query<{ open: boolean }>(
    `select t.relrowsecurity and not p.relrowsecurity as open from pg_class t, pg_class p
     where t.oid = $1::regclass and p.oid = $2::regclass`,
    [table, partition],
  )
  if (rows[0]?.open) await db.query('select postroom_guard($1::regclass)', [partition])
}

/** The partition `step` spans after the one that holds `now`. */
export function partitionAt(spec: PartitionedTable, now: Date, step: number): Partition {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const at = (n: number) =>
    new Date(spec.span === 'day' ? Date.UTC(year, month, day + n) : Date.UTC(year, month + n, 1))
  const from = at(step)
  const stamp = from
    .toISOString()
    .slice(0, spec.span === 'day' ? 10 : 7)
    .replaceAll('-', '')
  return { name: `${spec.table}_p${stamp}`, from, to: at(step + 1) }
}

/** Every partition that ended before `before`, oldest first, with those that were detached but not dropped. */
export async function partitionsBefore(db: Queryable, spec: PartitionedTable, before: Date): Promise<Partition[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_class t on t.relnamespace = c.relnamespace
     where t.oid = $1::regclass and c.relkind = 'r' and c.relname ~ ('^' || t.relname || '_p[0-9]{6,8}$') order by 1`,
    [spec.table],
  )
  return rows.flatMap(({ name }) => {
    const partition = partitionNamed(name, spec)
    return partition && partition.to <= before ? [partition] : []
  })
}

function partitionNamed(name: string, spec: PartitionedTable): Partition | undefined {
  const stamp = /_p(\d{4})(\d{2})(\d{2})?$/.exec(name)
  if (!stamp) return undefined
  const [, year, month, day] = stamp.map(Number) as [number, number, number, number]
  return { ...partitionAt(spec, new Date(Date.UTC(year, month - 1, Number(day) || 1)), 0), name }
}
