import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { dropExpiredPartitions, type PartitionNeed } from './expire-partitions.ts'
import { ensurePartitions, NO_PARTITION, type PartitionedTable, partitionAt, partitionsBefore } from './partitions.ts'

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
    await assert.rejects(insert('daily', at), { code: NO_PARTITION })
  }
  await assert.rejects(insert('daily', '2026-12-30T00:00:00Z', 0), { code: NO_PARTITION })
  await assert.rejects(insert('daily', '2026-12-30T00:00:00Z'), { code: '23505' })
  await ensurePartitions(pool, DAYS, now)
  assert.equal((await partitionsOf('daily')).length, 3)
})

test('of months that of a day ago is made as well, and no earlier one', async () => {
  await ensurePartitions(pool, { ...MONTHS, ahead: 0 }, new Date('2026-12-01T23:59:59Z'))
  assert.deepEqual(await partitionsOf('monthly'), ['monthly_p202611', 'monthly_p202612'])
  await insert('monthly', '2026-11-30T23:00:00Z')
  await pool.query('drop table monthly_p202611, monthly_p202612')
  await ensurePartitions(pool, { ...MONTHS, ahead: 0 }, new Date('2026-12-02T00:00:00Z'))
  assert.deepEqual(await partitionsOf('monthly'), ['monthly_p202612'])
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
  const before = async (spec: PartitionedTable, at: string) =>
    (await partitionsBefore(pool, spec, new Date(at))).map(({ name }) => name)
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
  const dropped = await dropExpiredPartitions(pool, { ...DAYS, keepDays: 1 }, { needs: [], now })
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
  assert.deepEqual(await dropExpiredPartitions(pool, { ...DAYS, keepDays: 14 }, { needs: [], now }), [
    'daily_p20261201',
    'daily_p20261215',
  ])
  const { rows } = await pool.query('select at from daily')
  assert.deepEqual(rows, [{ at: '2026-12-29T12:00:00Z' }])
})

/** Rows of `daily` that `wanted` names are needed. */
const WANTED: PartitionNeed = {
  table: 'daily',
  async isNeeded(tx, { from, to }) {
    const { rows } = await tx.query<{ yes: boolean }>(
      'select exists (select from wanted where at >= $1 and at < $2) as yes',
      [from, to],
    )
    return rows[0]!.yes
  },
}
const dropDays = () => dropExpiredPartitions(pool, { ...DAYS, keepDays: 1 }, { needs: [WANTED], now })

async function threeDays(): Promise<void> {
  await pool.query('drop table if exists wanted; create table wanted (at timestamptz)')
  for (const day of ['2026-12-01', '2026-12-02', '2026-12-03']) {
    await ensurePartitions(pool, { ...DAYS, ahead: 0 }, new Date(`${day}T00:00:00Z`))
    await insert('daily', `${day}T12:00:00Z`)
  }
}

test('what is needed stays, and only that', async () => {
  await threeDays()
  await pool.query(`insert into wanted values ('2026-12-02T12:00:00Z')`)
  assert.deepEqual(await dropDays(), ['daily_p20261201', 'daily_p20261203'])
  const { rows } = await pool.query('select at from daily')
  assert.deepEqual(rows, [{ at: '2026-12-02T12:00:00Z' }])
  await pool.query('delete from wanted')
  assert.deepEqual(await dropDays(), ['daily_p20261202'])
})

test('whoever comes to need a row while its partition is being taken out finds it again', async () => {
  await threeDays()
  const late = await secondProcess(database).connect()
  await late.query('begin')
  await late.query(`insert into wanted select at from daily where at = '2026-12-01T12:00:00Z'`)
  const dropping = dropDays()
  await eventually('the detaching waits for the one who has read the row', async () => {
    const { rows } = await pool.query<{ pending: boolean }>(
      'select bool_or(inhdetachpending) as pending from pg_inherits',
    )
    return rows[0]!.pending
  })
  await late.query('commit')
  late.release()
  assert.deepEqual(await dropping, ['daily_p20261202', 'daily_p20261203'])
  assert.deepEqual((await pool.query('select at from daily')).rows, [{ at: '2026-12-01T12:00:00Z' }])
  await pool.query('delete from wanted')
  assert.deepEqual(await dropDays(), ['daily_p20261201'])
})

test('what a run left detached and is needed again is put back', async () => {
  await threeDays()
  await pool.query(`insert into wanted values ('2026-12-01T12:00:00Z')`)
  await pool.query('alter table daily detach partition daily_p20261201 concurrently')
  assert.deepEqual(await dropDays(), ['daily_p20261202', 'daily_p20261203'])
  assert.deepEqual((await pool.query('select at from daily')).rows, [{ at: '2026-12-01T12:00:00Z' }])
  assert.deepEqual(await dropDays(), [])
})

test('a partition that somebody has read for long stays as it is until they are done', async () => {
  await threeDays()
  const dump = await secondProcess(database).connect()
  await dump.query('begin isolation level repeatable read')
  await dump.query('select from daily')
  const drop = () => dropExpiredPartitions(pool, { ...DAYS, keepDays: 1 }, { needs: [], now, longReaderSeconds: 0 })
  assert.deepEqual(await drop(), [])
  assert.equal((await pool.query('select from daily')).rowCount, 3, 'rows are hidden')
  // Nor does it keep other partitions from being made.
  await ensurePartitions(pool, DAYS, now)
  await dump.query('commit')
  dump.release()
  assert.equal((await drop()).length, 3)
})

test('a detaching that was left half done under a reader is finished after them, and keeps nobody waiting', async () => {
  await threeDays()
  const dump = await secondProcess(database).connect()
  await dump.query('begin isolation level repeatable read')
  await dump.query('select from daily')
  const cutOff = pool.query({
    text: 'alter table daily detach partition daily_p20261201 concurrently',
    query_timeout: 500,
  } as pg.QueryConfig)
  await assert.rejects(cutOff)
  const drop = () => dropExpiredPartitions(pool, { ...DAYS, keepDays: 1 }, { needs: [], now, longReaderSeconds: 0 })
  assert.deepEqual(await drop(), [])
  await ensurePartitions(pool, DAYS, now)
  await dump.query('commit')
  dump.release()
  assert.equal((await drop()).length, 3)
})

test('a process that finds another one at it leaves it to that one', async () => {
  await threeDays()
  const open = await secondProcess(database).connect()
  await open.query('begin')
  await open.query('select from daily')
  const first = dropDays()
  await eventually('the first one waits', async () => {
    const { rows } = await pool.query<{ pending: boolean }>(
      'select bool_or(inhdetachpending) as pending from pg_inherits',
    )
    return rows[0]!.pending
  })
  assert.deepEqual(await dropDays(), [])
  await open.query('commit')
  open.release()
  assert.equal((await first).length, 3)
})
