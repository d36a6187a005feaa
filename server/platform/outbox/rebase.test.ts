import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import {
  appendRows,
  effectsGroup,
  effectsOf,
  readAll,
  startAtEnd,
  subjects,
  watched,
} from '../../../test/support/outbox-rows.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { RANGE_ROWS_MAX, step } from './consumer.ts'
import { outboxLag } from './lag.ts'
import { parkedRows, replayParked } from './parked.ts'
import { isSameCluster, rebase } from './rebase.ts'

const { database, pool } = await testWorkspace()
const groups = ['one', 'two', 'three', 'four'].map((name) => effectsGroup(name))
const MOVED = 5_000_000_000n

/** As a dump looks after it was restored into a cluster whose transaction ids begin low: rows and cursors far above them. */
async function restoreElsewhere(): Promise<void> {
  await pool.query(`update outbox_cluster set system_identifier = system_identifier + 1`)
  await pool.query(`update outbox set tx = tx + ${MOVED}`)
  await pool.query(`update outbox_cursors set tx = tx + ${MOVED} where tx > 0`)
  await pool.query(`update outbox_parked set tx = tx + ${MOVED}`)
}

async function readEverything(process: pg.Pool = pool): Promise<void> {
  for (const group of groups) await readAll(watched(process), group, { rowsMax: 400, attempts: 0 })
}

const offset = async () => (await pool.query('select tx_offset from outbox_cluster')).rows[0].tx_offset as string

test('in the cluster it was written in there is nothing to do', async () => {
  assert.equal(await isSameCluster(pool), true)
  assert.equal(await rebase(pool), false)
  assert.equal(await offset(), '0')
})

test('after a restore into a new cluster every group reads all old unread and all new rows, once', async () => {
  await startAtEnd(pool, ...groups)
  const names: string[] = []
  const append = async (count: number) => {
    for (let left = count; left > 0; left -= 100) {
      const more = subjects(Math.min(100, left))
      names.push(...more)
      await appendRows(pool, more)
    }
  }
  await append(500)
  // The groups stand at different places, one of them in the middle of a transaction.
  for (const [index, group] of groups.entries()) {
    const target = index * 130
    await eventually('the group is there', async () => {
      const done = (await effectsOf(pool, group.group)).length
      if (done < target) await step(watched(pool), group, { rowsMax: target - done, attempts: 0 })
      return done >= target
    })
  }
  await append(500)
  await restoreElsewhere()
  assert.equal(await isSameCluster(pool), false)
  assert.equal(await rebase(pool), true)
  assert.equal(await isSameCluster(pool), true)
  assert.equal(await rebase(pool), false, 'a second time there is nothing to do')
  await append(1_000)
  await readEverything()
  for (const { group } of groups) assert.deepEqual(await effectsOf(pool, group), names, group)
  for (const { seconds } of await outboxLag(pool)) assert.equal(seconds, 0)
  const { rows } = await pool.query<{ subject: string }>('select subject from outbox order by tx, position')
  assert.deepEqual(
    rows.map(({ subject }) => subject),
    names,
    'new rows sort behind old ones',
  )
})

test('it can happen again, also while a writer still has a low id and prepared statements know the old offset', async () => {
  const before = await effectsOf(pool, 'one')
  const connected = await secondProcess(database, { connections: 1 }).connect()
  const append = (subject: string) =>
    connected.query({
      name: 'prepared_append',
      text: `insert into outbox (workspace_id, type, name, subject, data, occurred_at)
        values (1, 'event.recorded', 'test', $1, '{}', now())`,
      values: [subject],
    })
  for (let n = 0; n < 8; n++) await append(`prepared-${n}`)
  await restoreElsewhere()
  // It takes its id in the new cluster, before the others take theirs, and writes to the log only afterwards.
  await connected.query('begin')
  await connected.query('select pg_current_xact_id()')
  for (let n = 0; n < 20; n++) await pool.query('select pg_current_xact_id()')
  const low = await offset()
  assert.equal(await rebase(pool), true)
  assert.ok(BigInt(await offset()) > BigInt(low))
  await append('late')
  await appendRows(pool, ['early'])
  await connected.query('commit')
  connected.release()
  await readEverything()
  const prepared = Array.from({ length: 8 }, (_, n) => `prepared-${n}`)
  for (const { group } of groups) {
    assert.deepEqual(await effectsOf(pool, group), [...before, ...prepared, 'late', 'early'], group)
  }
})

test('a rebase waits for writers and holds new ones up only while it lasts', async () => {
  const before = await effectsOf(pool, 'one')
  const writer = await secondProcess(database).connect()
  await writer.query('begin')
  await appendRows(writer, ['before-1'])
  await pool.query(`update outbox_cluster set system_identifier = system_identifier + 1`)
  const rebased = rebase(pool)
  await eventually('the rebase waits for the writer', async () => {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query like 'lock table outbox in%'`,
    )
    return rows.length === 1
  })
  const during = appendRows(secondProcess(database), ['during'])
  await appendRows(writer, ['before-2'])
  await writer.query('commit')
  writer.release()
  assert.equal(await rebased, true)
  await during
  await readEverything()
  for (const { group } of groups) {
    assert.deepEqual(await effectsOf(pool, group), [...before, 'before-1', 'before-2', 'during'], group)
  }
})

test('processes that connect at the same time rebase once, while they read and write', async () => {
  const before = await effectsOf(pool, 'one')
  await restoreElsewhere()
  const processes = [pool, secondProcess(database), secondProcess(database)]
  const names = processes.map((_, index) => subjects(50).map((subject) => `${index}-${subject}`))
  const rebased: boolean[] = []
  await Promise.all(
    processes.map(async (process, index) => {
      // As `createPools` does: no connection is used before this.
      rebased.push((await isSameCluster(process)) ? false : await rebase(process))
      for (const subject of names[index]!) await appendRows(process, [subject])
      const deps = watched(process)
      for (const group of groups) await step(deps, group, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
    }),
  )
  assert.equal(rebased.filter(Boolean).length, 1)
  await readEverything()
  for (const { group } of groups) {
    const effects = await effectsOf(pool, group)
    assert.deepEqual(effects.slice(0, before.length), before)
    assert.deepEqual(effects.slice(before.length).sort(), names.flat().sort())
  }
})

test('a parked row is found again after a rebase', async () => {
  const failing = effectsGroup('one', () => assert.fail('not yet'))
  await appendRows(pool, ['parked'])
  await readAll(watched(pool), failing, { rowsMax: 1, attempts: 4 })
  await restoreElsewhere()
  await rebase(pool)
  assert.equal((await parkedRows(pool, 10)).length, 1)
  assert.equal((await replayParked(pool, groups, {}))[0]?.outcome, 'done')
  assert.equal((await effectsOf(pool, 'one')).at(-1), 'parked')
})
