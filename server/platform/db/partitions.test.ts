import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { dropExpiredPartitions } from './expire-partitions.ts'
import {
  CHECK_VIOLATION,
  ensurePartitions,
  type PartitionedTable,
  partitionAt,
  partitionsBefore,
} from './partitions.ts'

const { database, pool } = await testWorkspace()
const DAYS: PartitionedTable = { table: 'daily', span: 'day', ahead: 2 }
const MONTHS: PartitionedTable = { table: 'monthly', span: 'month', ahead: 2 }
const now = new Date('2026-12-30T23:59:59.999Z')

beforeEach(async () => {
  for (const { table } of [DAYS, MONTHS]) {
    await pool.query(`drop table if exists ${table} cascade`)
    await pool.query(
      `create table ${table} (at timestamptz not null default now(), n int not null check (n > 0)) partition by range (at)`,
    )
    await pool.query(`create unique index on ${table} (n, at)`)
  }
})

const insert = (table: string, at: string, n = 1) => pool.query(`insert into ${table} (at, n) values ($1, $2)`, [at, n])

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
    [table],
  )
  return rows.map(({ name }) => name)
}

test('a partition holds a day or a month of UTC, over the ends of months and years', () => {
  const at = (spec: PartitionedTable, step: number) => {
    const { name, from, to } = partitionAt(spec, now, step)
    return [name, from.toISOString(), to.toISOString()]
  }
  assert.deepEqual(at(DAYS, 0), ['daily_p20261230', '2026-12-30T00:00:00.000Z', '2026-12-31T00:00:00.000Z'])
  assert.deepEqual(at(DAYS, 2), ['daily_p20270101', '2027-01-01T00:00:00.000Z', '2027-01-02T00:00:00.000Z'])
  assert.deepEqual(at(MONTHS, 0), ['monthly_p202612', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'])
  assert.deepEqual(at(MONTHS, 2), ['monthly_p202702', '2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'])
  const last = partitionAt(MONTHS, new Date('2027-01-31T12:00:00Z'), 1)
  assert.equal(last.name, 'monthly_p202702', 'the month after 31 January is February')
})

test('rows find a place from the present day on, up to the edge', async () => {
  await ensurePartitions(pool, DAYS, now)
  assert.deepEqual(await partitionsOf('daily'), ['daily_p20261230', 'daily_p20261231', 'daily_p20270101'])
  for (const at of ['2026-12-30T00:00:00Z', '2026-12-31T00:00:00Z', '2027-01-01T23:59:59.999999Z'])
    await insert('daily', at)
  for (const at of ['2026-12-29T23:59:59.999999Z', '2027-01-02T00:00:00Z']) {
    await assert.rejects(insert('daily', at), { code: CHECK_VIOLATION })
  }
  await assert.rejects(insert('daily', '2026-12-30T00:00:00Z', 0), { code: CHECK_VIOLATION })
  await assert.rejects(insert('daily', '2026-12-30T00:00:00Z'), { code: '23505' })
  await ensurePartitions(pool, DAYS, now)
  assert.equal((await partitionsOf('daily')).length, 3)
})

test('processes that make the same partitions at once do not disturb each other', async () => {
  const processes = [pool, secondProcess(database), secondProcess(database)]
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => ensurePartitions(processes[n % 3]!, { ...DAYS, ahead: 10 }, now)),
  )
  assert.equal((await partitionsOf('daily')).length, 11)
})

test('what was made but not attached by a process that died is attached by the next', async () => {
  await pool.query('create table daily_p20261231 (like daily including defaults including constraints)')
  await ensurePartitions(pool, DAYS, now)
  assert.equal((await partitionsOf('daily')).length, 3)
  await insert('daily', '2026-12-31T12:00:00Z')
})

test('writers and readers go on while partitions are made', async () => {
  await ensurePartitions(pool, { ...DAYS, ahead: 0 }, now)
  const open = await secondProcess(database).connect()
  await open.query('begin')
  await open.query(`insert into daily (at, n) values ('2026-12-30T12:00:00Z', 7)`)
  await open.query('select * from daily')
  await ensurePartitions(pool, DAYS, now)
  assert.equal((await partitionsOf('daily')).length, 3)
  await open.query('commit')
  open.release()
})

test('a partition has ended when the last moment of it has', async () => {
  await ensurePartitions(pool, DAYS, new Date('2026-12-28T00:00:00Z'))
  await ensurePartitions(pool, MONTHS, new Date('2026-10-15T00:00:00Z'))
  const before = (spec: PartitionedTable, at: string) => partitionsBefore(pool, spec, new Date(at))
  assert.deepEqual(await before(DAYS, '2026-12-29T23:59:59.999Z'), ['daily_p20261228'])
  assert.deepEqual(await before(DAYS, '2026-12-30T00:00:00Z'), ['daily_p20261228', 'daily_p20261229'])
  assert.deepEqual(await before(MONTHS, '2026-11-30T23:59:59Z'), ['monthly_p202610'])
  assert.deepEqual(await before(MONTHS, '2026-12-01T00:00:00Z'), ['monthly_p202610', 'monthly_p202611'])
})

test('tables that are no partitions of ours are left alone', async () => {
  await ensurePartitions(pool, DAYS, new Date('2020-01-01T00:00:00Z'))
  for (const name of ['daily_p2020', 'daily_pold', 'daily_p20200101_copy', 'other_daily_p20200101']) {
    await pool.query(`create table ${name} (at timestamptz)`)
  }
  await pool.query(`create table daily_odd partition of daily for values from ('2019-01-01') to ('2019-01-02')`)
  const dropped = await dropExpiredPartitions(pool, DAYS, { retentionDays: 1, now })
  assert.deepEqual(dropped, ['daily_p20200101', 'daily_p20200102', 'daily_p20200103'])
  assert.deepEqual(await partitionsOf('daily'), ['daily_odd'])
  for (const name of ['daily_p2020', 'daily_pold', 'daily_p20200101_copy', 'other_daily_p20200101']) {
    await pool.query(`drop table ${name}`)
  }
})

test('expired partitions leave with their rows, the others keep theirs', async () => {
  for (const day of ['2026-12-01', '2026-12-15', '2026-12-29']) {
    await ensurePartitions(pool, { ...DAYS, ahead: 0 }, new Date(`${day}T00:00:00Z`))
    await insert('daily', `${day}T12:00:00Z`)
  }
  assert.deepEqual(await dropExpiredPartitions(pool, DAYS, { retentionDays: 14, now }), [
    'daily_p20261201',
    'daily_p20261215',
  ])
  const { rows } = await pool.query('select at from daily')
  assert.deepEqual(rows, [{ at: '2026-12-29T12:00:00Z' }])
})
