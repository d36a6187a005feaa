import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import {
  appendRows,
  effectsGroup,
  effectsOf,
  startAtEnd,
  subjects,
  watched,
} from '../../../test/support/outbox-rows.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { RANGE_ROWS_MAX } from './consumer.ts'
import type { ConsumerGroup } from './consumer-group.ts'
import { outboxLag } from './lag.ts'
import { GATHER_MS, type RunningGroups, runGroups } from './run-groups.ts'

const { database, pool } = await testWorkspace()

type Report = { held: { group: string; heldMs: number }[]; errors: unknown[] }

function start(groups: readonly ConsumerGroup[], process = pool): RunningGroups & Report & ReturnType<typeof watched> {
  const deps = watched(process)
  const report: Report = { held: [], errors: [] }
  const running = runGroups(
    {
      ...deps,
      // An open transaction holds the other test files' groups back too: not for longer than it takes.
      heldReportMs: 300,
      onHeld: (held) => report.held.push(held),
      onLoopError: ({ error }) => report.errors.push(error),
    },
    groups,
  )
  return { ...running, ...report, ...deps }
}

const handled = (group: string, names: readonly string[]) =>
  eventually(`${group} has handled ${names.length}`, async () => (await effectsOf(pool, group)).length >= names.length)

async function lagOf(group: string): Promise<number> {
  return (await outboxLag(pool)).find((lag) => lag.group === group)!.seconds
}

async function superuser(): Promise<pg.Client> {
  const client = new pg.Client(database.superuserUrl)
  await client.connect()
  return client
}

test('groups read what is committed, woken or not, until they are stopped', async () => {
  const groups = [effectsGroup('woken'), effectsGroup('polling')]
  await startAtEnd(pool, ...groups)
  const running = start(groups)
  const first = subjects(10)
  await appendRows(pool, first)
  running.wake()
  await handled('woken', first)
  const second = subjects(10)
  // Nobody wakes them for these: polling finds them.
  await appendRows(pool, second)
  for (const { group } of groups) {
    await handled(group, [...first, ...second])
    assert.deepEqual(await effectsOf(pool, group), [...first, ...second])
  }
  await running.stop()
  await appendRows(pool, subjects(1))
  running.wake()
  assert.equal((await effectsOf(pool, 'woken')).length, 20)
})

test('a group that gathers begins at once, rests between stretches while rows keep coming, and not for a backlog', async () => {
  const begunMs: number[] = []
  const inner = effectsGroup('gathering')
  const group: ConsumerGroup = {
    ...inner,
    gathers: true,
    handle(tx, range) {
      begunMs.push(performance.now())
      return inner.handle(tx, range)
    },
  }
  await startAtEnd(pool, group)
  const backlog = subjects(RANGE_ROWS_MAX + 1)
  await appendRows(pool, backlog)
  const running = start([group])
  await handled('gathering', backlog)
  assert.equal(begunMs.length, 2)
  // By now it waits for its bell.
  await new Promise((resolve) => setTimeout(resolve, GATHER_MS))
  const names: string[] = []
  const flowingFrom = performance.now()
  while (performance.now() - flowingFrom < 5 * GATHER_MS) {
    const more = subjects(1)
    await appendRows(pool, more)
    names.push(...more)
    running.wake()
  }
  await handled('gathering', [...backlog, ...names])
  const flowedMs = performance.now() - flowingFrom
  const stretches = begunMs.slice(2)
  assert.ok(stretches.length <= flowedMs / GATHER_MS + 2, `${stretches.length} stretches for ${names.length} rows`)
  assert.deepEqual((await effectsOf(pool, 'gathering')).slice(backlog.length), names)
  await running.stop()
})

test('stopping lets a running stretch end', async () => {
  const entered = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const inner = effectsGroup('stopping')
  const group: ConsumerGroup = {
    ...inner,
    async handle(tx, range) {
      entered.resolve()
      await go.promise
      return await inner.handle(tx, range)
    },
  }
  await startAtEnd(pool, group)
  const names = subjects(2)
  await appendRows(pool, names)
  const running = start([group])
  await entered.promise
  const stopped = running.stop()
  go.resolve()
  await stopped
  assert.deepEqual(await effectsOf(pool, 'stopping'), names)
})

test('a foreign open transaction holds the log back: reported once, lag told truthfully, all read after it', async () => {
  const group = effectsGroup('held')
  await startAtEnd(pool, group)
  const running = start([group])
  const foreign = await superuser()
  await foreign.query('begin; select pg_current_xact_id()')
  const begunMs = performance.now()
  const names = subjects(30)
  await appendRows(pool, names)
  const appendedMs = performance.now()
  running.wake()
  await eventually('the hold is reported', () => running.held.length > 0)
  assert.deepEqual(await effectsOf(pool, 'held'), [])
  const askedMs = performance.now()
  const lag = await lagOf('held')
  const [least, most] = [(askedMs - appendedMs) / 1_000, (performance.now() - begunMs) / 1_000]
  assert.ok(lag >= least && lag <= most, `lag ${lag} s, in truth between ${least} and ${most} s`)
  await foreign.query('rollback')
  await foreign.end()
  await handled('held', names)
  assert.deepEqual(await effectsOf(pool, 'held'), names)
  assert.equal(await lagOf('held'), 0)
  assert.equal(running.held.length, 1)
  assert.equal(running.held[0]!.group, 'held')
  assert.ok(running.held[0]!.heldMs >= 300)
  await running.stop()
})

test('groups outlive the loss of every connection', async () => {
  const groups = [effectsGroup('outlives-a'), effectsGroup('outlives-b')]
  await startAtEnd(pool, ...groups)
  const other = secondProcess(database)
  const running = [start(groups), start(groups, other)]
  const operator = await superuser()
  const names: string[] = []
  for (let round = 0; round < 5; round++) {
    const more = subjects(20)
    await eventually('the rows are in', () => appendRows(pool, more).then(Boolean, () => false))
    names.push(...more)
    for (const process of running) process.wake()
    await operator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [database.name],
    )
  }
  for (const { group } of groups) {
    await eventually(`${group} has read all`, () =>
      effectsOf(pool, group).then(
        (effects) => effects.length >= names.length,
        () => false,
      ),
    )
    assert.deepEqual(await effectsOf(pool, group), names)
  }
  await operator.end()
  for (const process of running) {
    assert.deepEqual(process.parked, [])
    await process.stop()
  }
})
