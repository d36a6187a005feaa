import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { appendRows, effectsGroup, readAll, startAtEnd, subjects, watched } from '../../../test/support/outbox-rows.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { dropExpiredPartitions } from '../db/expire-partitions.ts'
import { ensurePartitions, type PartitionedTable, partitionAt } from '../db/partitions.ts'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { RANGE_ROWS_MAX } from './consumer.ts'
import { outboxLag } from './lag.ts'
import { replayParked } from './parked.ts'
import { endOfLog, haveAllPassed } from './progress.ts'
import { noteGroups } from './readers.ts'
import { isUnreadBy, NEEDS_OF_GROUPS } from './unread.ts'

const { database, pool } = await testWorkspace()
const SPEC: PartitionedTable = { table: 'outbox', span: 'day', ahead: 0 }
const DAY_MS = 86_400_000
const now = new Date()
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
const partitionOf = (days: number) => partitionAt(SPEC, daysAgo(days), 0).name

const broken = new Set<string>()
const groups = ['first', 'second'].map((name) =>
  effectsGroup(name, (_, read) => {
    for (const subject of read) if (broken.has(`${name} ${subject}`)) throw new Error(`no ${subject}`)
  }),
)
const readByAll = async () => {
  for (const group of groups) await readAll(watched(pool), group, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
}
const pruneFrom = (process: pg.Pool) =>
  dropExpiredPartitions(process, { ...SPEC, keepDays: 7 }, { needs: [NEEDS_OF_GROUPS], now })
const prune = () => pruneFrom(pool)

async function partitions(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'outbox'::regclass order by 1`,
  )
  return rows.map(({ name }) => name)
}

beforeEach(async () => {
  await startAtEnd(pool, ...groups)
  await readByAll()
  for (const days of [10, 9, 8, 7, 1]) await ensurePartitions(pool, SPEC, daysAgo(days))
})

test('only partitions whose every row is older than the retention leave', async () => {
  const kept = (await partitions()).filter((name) => ![8, 9, 10].map(partitionOf).includes(name))
  assert.deepEqual(await prune(), [10, 9, 8].map(partitionOf))
  assert.deepEqual(await partitions(), kept)
  assert.ok(kept.includes(partitionOf(7)), 'a row of seven days ago may be younger than seven days')
  assert.deepEqual(await prune(), [])
})

test('a partition stays until every group has read it', async () => {
  await appendRows(pool, subjects(3), { recordedAt: daysAgo(9) })
  assert.deepEqual(await prune(), [10, 8].map(partitionOf))
  await readAll(watched(pool), groups[0]!, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.deepEqual(await prune(), [])
  await readByAll()
  assert.deepEqual(await prune(), [partitionOf(9)])
})

test('a partition stays as long as one row of it is parked', async () => {
  const names = subjects(3)
  broken.add(`second ${names[1]}`)
  await appendRows(pool, names, { recordedAt: daysAgo(9) })
  await appendRows(pool, subjects(2), { recordedAt: daysAgo(8) })
  await readByAll()
  assert.deepEqual(await prune(), [10, 8].map(partitionOf))
  broken.clear()
  assert.equal((await replayParked(pool, groups, {}))[0]?.outcome, 'done')
  assert.deepEqual(await prune(), [partitionOf(9)])
})

test('a group that a release has dropped keeps nothing, and holds nobody up', async () => {
  const dropped = effectsGroup('dropped')
  await startAtEnd(pool, dropped)
  await appendRows(pool, subjects(3), { recordedAt: daysAgo(9) })
  await readByAll()
  assert.deepEqual(await prune(), [10, 8].map(partitionOf), 'a release may be taken back within days')
  await pool.query(`update outbox_cursors set seen_at = now() - interval '8 days' where consumer_group = 'dropped'`)
  const { end } = await endOfLog(pool)
  assert.equal(await haveAllPassed(pool, end), true)
  assert.ok((await outboxLag(pool)).every(({ group }) => group !== 'dropped'))
  assert.deepEqual(await prune(), [partitionOf(9)])
  await pool.query(`update outbox_cursors set seen_at = now() - interval '8 days'`)
  await noteGroups(
    pool,
    [...groups, dropped].map(({ group }) => group),
  )
  assert.equal((await outboxLag(pool)).length, 3)
  await pool.query(`delete from outbox_cursors where consumer_group = 'dropped'`)
})

test('nothing is dropped before any group is registered: all of it is still to be read', async () => {
  await pool.query('create table moved as table outbox_cursors')
  await pool.query('delete from outbox_cursors')
  assert.deepEqual(await prune(), [])
  await pool.query('insert into outbox_cursors table moved')
  await pool.query('drop table moved')
  assert.deepEqual(await prune(), [10, 9, 8].map(partitionOf))
})

test('a group is asked for what it has not read of a time, parked rows included', async () => {
  const [from, to] = [daysAgo(9), daysAgo(8)]
  const recordedAt = new Date(from.getTime() + DAY_MS / 2)
  const unread = (group: string, range = { from, to }) =>
    inTransaction(pool, ALL_WORKSPACES, (tx) => isUnreadBy(tx, group, range))
  assert.equal(await unread('first'), false)
  const names = subjects(2)
  broken.add(`second ${names[0]}`)
  await appendRows(pool, names, { recordedAt })
  assert.deepEqual([await unread('first'), await unread('second')], [true, true])
  assert.equal(await unread('first', { from: daysAgo(8), to: daysAgo(7) }), false)
  await readByAll()
  assert.deepEqual([await unread('first'), await unread('second')], [false, true])
  broken.clear()
  await replayParked(pool, groups, {})
  assert.equal(await unread('second'), false)
})

test('readers and writers are not held up while partitions leave', async () => {
  await appendRows(pool, subjects(100), { recordedAt: daysAgo(9) })
  await readByAll()
  // An open transaction that has written keeps the detaching process waiting for it.
  const open = await secondProcess(database).connect()
  await open.query('begin')
  await appendRows(open, subjects(1))
  const pruned = prune()
  await eventually('the detaching process waits', async () => (await waiting(pool)) === 1)
  const writer = secondProcess(database)
  for (let n = 0; n < 20; n++) {
    await appendRows(writer, subjects(5))
    const { rows } = await writer.query('select 1 from outbox order by tx, position limit 1')
    assert.equal(rows.length, 1)
  }
  assert.equal(await waiting(pool), 1, 'it still waits, and nobody else does')
  await open.query('commit')
  open.release()
  assert.deepEqual(await pruned, [10, 9, 8].map(partitionOf))
  await readByAll()
})

test('processes that prune at once drop everything once and leave nothing half done', async () => {
  const other = secondProcess(database)
  const results = await Promise.all([pool, other, pool, other].map(pruneFrom))
  assert.deepEqual(results.flat().sort(), [10, 9, 8].map(partitionOf))
  assert.deepEqual(await tablesOf(10, 9, 8), [])
})

test('what a run left that was cut off before the drop, or within the detaching, is finished by the next', async () => {
  await pool.query(`alter table outbox detach partition ${partitionOf(10)} concurrently`)
  const open = await secondProcess(database).connect()
  await open.query('begin')
  await appendRows(open, subjects(1))
  const detaching = pool.query(`alter table outbox detach partition ${partitionOf(9)} concurrently`)
  detaching.catch(() => undefined)
  await eventually('the detaching process waits', async () => (await waiting(pool)) === 1)
  await pool.query(`select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  await assert.rejects(detaching, { code: '57014' })
  await open.query('commit')
  open.release()
  await readByAll()
  assert.deepEqual(await prune(), [10, 9, 8].map(partitionOf))
  assert.deepEqual(await tablesOf(10, 9, 8), [])
})

async function tablesOf(...days: number[]): Promise<unknown[]> {
  const { rows } = await pool.query('select relname from pg_class where relname = any ($1)', [days.map(partitionOf)])
  return rows
}

/** Sessions that wait for a lock or for another transaction's end. */
async function waiting(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return Number(rows[0]!.count)
}
