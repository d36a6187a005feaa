import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
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
import { listenToCommits } from '../db/after-commit.ts'
import { databaseOutcome } from '../db/errors.ts'
import { QUERY_TIMEOUT_MS } from '../db/pool.ts'
import { ATTEMPTS_MAX, type Progress, RANGE_ROWS_MAX, registerGroups, step } from './consumer.ts'
import type { ConsumerGroup } from './consumer-group.ts'
import { parkedRows, replayParked } from './parked.ts'

const { database, pool } = await testWorkspace({ patient: false })
const fresh = (rowsMax = RANGE_ROWS_MAX): Progress => ({ rowsMax, attempts: 0 })

async function cursorOf(group: string): Promise<string> {
  const { rows } = await pool.query('select position from outbox_cursors where consumer_group = $1', [group])
  return rows[0]?.position
}

const parkedOf = async (group: string) => (await parkedRows(pool, 1_000)).filter((row) => row.consumerGroup === group)

test('a group handles rows in order, moves its cursor, and then has nothing to do', async () => {
  const group = effectsGroup('in-order')
  await startAtEnd(pool, group)
  const names = subjects(25)
  const positions = await appendRows(pool, names)
  const deps = watched(pool)
  const progress = fresh(10)
  assert.deepEqual(await readAll(deps, group, progress), ['moved', 'moved', 'idle'])
  assert.deepEqual(await effectsOf(pool, 'in-order'), names)
  assert.equal(await cursorOf('in-order'), positions.at(-1))
  // Ranges that go well are read in larger stretches.
  assert.deepEqual(
    deps.handled,
    [10, 15].map((rows) => ({ handler: 'handle_in-order', rows })),
  )
  assert.equal(progress.rowsMax, 40)
})

test('nothing is left of a range whose handler fails after it has written', async () => {
  let fail = true
  const group = effectsGroup('fails-late', () => {
    if (fail) throw new Error('after the write')
  })
  await startAtEnd(pool, group)
  const names = subjects(3)
  const [first] = await appendRows(pool, names)
  const before = await cursorOf('fails-late')
  const deps = watched(pool)
  const progress = fresh()
  await eventually('the group has failed', async () => (await step(deps, group, progress)).outcome === 'failed')
  assert.deepEqual(await effectsOf(pool, 'fails-late'), [])
  assert.equal(await cursorOf('fails-late'), before)
  assert.ok(BigInt(before) < BigInt(first!))
  fail = false
  await readAll(deps, group, progress)
  assert.deepEqual(await effectsOf(pool, 'fails-late'), names)
})

test('a failing range is halved down to the poison row, which is parked after five tries; the rest is handled', async () => {
  const names = subjects(100)
  const poison = new Set([names[0], names[37], names[38], names[99]])
  const tries = new Map<string, number>()
  const group = effectsGroup('poisoned', (range, read) => {
    const found = read.filter((name) => poison.has(name))
    if (range.rows === 1) for (const name of found) tries.set(name, (tries.get(name) ?? 0) + 1)
    if (found.length > 0) throw new Error(`cannot handle ${found[0]}`)
  })
  await startAtEnd(pool, group)
  const positions = await appendRows(pool, names)
  const deps = watched(pool)
  await readAll(deps, group, fresh())
  assert.deepEqual(
    await effectsOf(pool, 'poisoned'),
    names.filter((name) => !poison.has(name)),
  )
  const expected = [0, 37, 38, 99].map((at) => ({ position: positions[at], error: `cannot handle ${names[at]}` }))
  const parked = await parkedOf('poisoned')
  assert.deepEqual(
    parked.map(({ position, error }) => ({ position, error })),
    expected,
  )
  assert.deepEqual([...tries.values()], [ATTEMPTS_MAX, ATTEMPTS_MAX, ATTEMPTS_MAX, ATTEMPTS_MAX])
  assert.deepEqual(
    parked.map(({ attempts, workspaceId }) => ({ attempts, workspaceId })),
    Array(4).fill({ attempts: ATTEMPTS_MAX, workspaceId: '1' }),
  )
  assert.deepEqual(
    deps.parked.map(({ group: name, position }) => ({ name, position })),
    expected.map(({ position }) => ({ name: 'poisoned', position })),
  )
  const failures = deps.handled.filter((handled) => handled.error !== undefined)
  assert.ok(failures.length >= 4 * ATTEMPTS_MAX, 'every failed try is reported')
})

test('a row is parked with an error that the database could not store as it is', async () => {
  const group = effectsGroup('odd-error', () => {
    throw new Error(`a NUL \0 and half a pair \ud800 and ${'long '.repeat(1_000)}`)
  })
  await startAtEnd(pool, group)
  await appendRows(pool, subjects(1))
  const deps = watched(pool)
  await readAll(deps, group, fresh())
  const [row] = await parkedOf('odd-error')
  assert.match(row!.error, /^a NUL {2}and half a pair/)
  assert.ok(row!.error.length <= 2_000)
})

test('a statement that fails in the database parks its row too', async () => {
  const group: ConsumerGroup = {
    group: 'bad-sql',
    handler: 'bad_sql',
    async handle(tx) {
      await tx.query(`select 'x'::int`)
    },
  }
  await startAtEnd(pool, group)
  await appendRows(pool, subjects(1))
  await readAll(watched(pool), group, fresh())
  assert.match((await parkedOf('bad-sql'))[0]!.error, /invalid input syntax/)
})

test('losing the database is no fault of the rows: nothing is ever parked for it', async () => {
  let away = 0
  const group = effectsGroup('away', () => {
    if (away++ < 3 * ATTEMPTS_MAX) throw Object.assign(new Error('terminating connection'), { code: '57P01' })
  })
  await startAtEnd(pool, group)
  const names = subjects(1)
  await appendRows(pool, names)
  const deps = watched(pool)
  const progress = fresh()
  let thrown = 0
  await eventually('the group has handled the row', async () => {
    const outcome = await step(deps, group, progress).catch((error) => {
      assert.equal(databaseOutcome(error), 'away')
      thrown++
      return { outcome: 'thrown' }
    })
    return outcome.outcome === 'moved'
  })
  assert.equal(thrown, 3 * ATTEMPTS_MAX)
  assert.deepEqual(await parkedOf('away'), [])
  assert.deepEqual(await effectsOf(pool, 'away'), names)
})

test('a range that takes too long for a time limit is tried in halves', async () => {
  const group = effectsGroup('slow', (range) => {
    if (range.rows > 3) throw new Error('Query read timeout')
  })
  await startAtEnd(pool, group)
  const names = subjects(20)
  await appendRows(pool, names)
  const deps = watched(pool)
  const progress = fresh()
  await eventually('the group has handled all rows', async () => {
    await step(deps, group, progress).catch((error) => assert.equal(databaseOutcome(error), 'timed_out'))
    return (await effectsOf(pool, 'slow')).length === names.length
  })
  assert.deepEqual(await effectsOf(pool, 'slow'), names)
  assert.deepEqual(await parkedOf('slow'), [])
})

test('a single row that takes longer than a statement may is parked, and the group goes on behind it', async () => {
  const group = effectsGroup('endless', async (_range, read, tx) => {
    if (!read.includes(endless!)) return
    await tx.query(`set local statement_timeout = '20ms'`)
    await tx.query('select pg_sleep(10)')
  })
  await startAtEnd(pool, group)
  const names = subjects(5)
  const endless = names[2]
  const positions = await appendRows(pool, names)
  const deps = watched(pool)
  const progress = fresh()
  await eventually('the group has got past it', async () => {
    await step(deps, group, progress).catch((error) => assert.equal(databaseOutcome(error), 'timed_out'))
    return (await effectsOf(pool, 'endless')).length === names.length - 1
  })
  const [parked] = await parkedOf('endless')
  assert.deepEqual([parked!.position, parked!.attempts], [positions[2], ATTEMPTS_MAX])
  assert.match(parked!.error, /statement timeout/)
})

test('a lock that somebody holds for long is no fault of the row that waits for it: it is never parked', async () => {
  const limits: number[] = []
  const group = effectsGroup('locked', async (_range, _read, tx) => {
    const { rows } = await tx.query<{ limit: string }>(
      `select extract(epoch from current_setting(name)::interval) as limit
       from unnest(array['lock_timeout', 'statement_timeout']) as name`,
    )
    limits.push(...rows.map(({ limit }) => Number(limit)))
    throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  })
  await startAtEnd(pool, group)
  await appendRows(pool, subjects(1))
  const progress = fresh()
  await eventually('it was tried more often than a row is', async () => {
    await step(watched(pool), group, progress).catch((error) => assert.equal(databaseOutcome(error), 'conflict'))
    return limits.length > 2 * ATTEMPTS_MAX
  })
  assert.deepEqual(await parkedOf('locked'), [])
  const [lock, statement] = limits
  assert.ok(lock! > 0 && lock! < statement!, `${lock} s for a lock, ${statement} s in all`)
})

test('a statement of a handler may take longer than one of a request, and is no reason to park its row', async () => {
  const group = effectsGroup('unhurried', async (_range, _read, tx) => {
    await tx.query('select pg_sleep($1)', [(QUERY_TIMEOUT_MS + 200) / 1_000])
  })
  await startAtEnd(pool, group)
  const names = subjects(1)
  await appendRows(pool, names)
  const outcomes = new Set<string>()
  // Transactions of other databases may hold the log back.
  await eventually('it is handled', async () => {
    outcomes.add((await step(watched(pool), group, fresh())).outcome)
    return outcomes.has('moved')
  })
  outcomes.delete('held')
  assert.deepEqual([...outcomes], ['moved'])
  assert.deepEqual(await effectsOf(pool, 'unhurried'), names)
})

test('a time limit that is reached because the database does not answer parks nothing', async () => {
  let silent = 0
  const group = effectsGroup('silent', () => {
    if (silent++ < 2 * ATTEMPTS_MAX) throw new Error('Query read timeout')
  })
  await startAtEnd(pool, group)
  await appendRows(pool, subjects(1))
  // Its probe finds no connection, as when the server hangs.
  const hanging = new Proxy(pool, {
    get: (target, key) =>
      key === 'query' ? () => Promise.reject(new Error('Query read timeout')) : Reflect.get(target, key, target),
  })
  const deps = watched(hanging)
  const progress = fresh()
  await eventually('the group has handled the row', async () => {
    const { outcome } = await step(deps, group, progress).catch(() => ({ outcome: 'thrown' }))
    return outcome === 'moved'
  })
  assert.deepEqual(await parkedOf('silent'), [])
})

test('two processes: one works for a group, the other finds it busy', async () => {
  const held = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  const inner = effectsGroup('busy')
  const group: ConsumerGroup = {
    ...inner,
    async handle(tx, range) {
      entered.resolve()
      await held.promise
      return await inner.handle(tx, range)
    },
  }
  await startAtEnd(pool, group)
  const names = subjects(5)
  await appendRows(pool, names)
  const first = readAll(watched(pool), group, fresh())
  await entered.promise
  assert.deepEqual(await step(watched(secondProcess(database)), group, fresh()), { outcome: 'busy', rows: 0 })
  held.resolve()
  await first
  assert.deepEqual(await effectsOf(pool, 'busy'), names)
})

test('the other process takes over when the connection of the working one dies, and no effect is doubled', async () => {
  const entered = Promise.withResolvers<number>()
  const inner = effectsGroup('takeover')
  let first = true
  const group: ConsumerGroup = {
    ...inner,
    async handle(tx, range) {
      await inner.handle(tx, range)
      if (!first) return
      first = false
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
      entered.resolve(rows[0]!.pid)
      await tx.query({ text: 'select pg_sleep(60)', query_timeout: 60_000 } as pg.QueryConfig)
    },
  }
  await startAtEnd(pool, group)
  const names = subjects(5)
  await appendRows(pool, names)
  const deps = watched(pool)
  const dying = (async () => {
    while (first) await step(deps, group, fresh())
  })()
  dying.catch(() => undefined)
  const pid = await entered.promise
  const other = secondProcess(database)
  assert.equal((await step(watched(other), group, fresh())).outcome, 'busy')
  const operator = new pg.Client(database.superuserUrl)
  await operator.connect()
  await operator.query('select pg_terminate_backend($1)', [pid])
  await operator.end()
  await assert.rejects(dying, (error) => databaseOutcome(error) === 'away')
  await readAll(watched(other), group, fresh())
  assert.deepEqual(await effectsOf(pool, 'takeover'), names)
  assert.deepEqual(await parkedOf('takeover'), [])
  await appendRows(pool, ['after'])
  await readAll(deps, group, fresh())
  assert.deepEqual(await effectsOf(pool, 'takeover'), [...names, 'after'])
})

test('a row that another process got past meanwhile is not parked', async () => {
  const other = secondProcess(database)
  const fine = effectsGroup('raced')
  const failing = effectsGroup('raced', () => {
    throw new Error('here it fails')
  })
  await startAtEnd(pool, fine)
  const names = subjects(1)
  await appendRows(pool, names)
  const deps = watched(pool)
  const progress = fresh()
  while (progress.attempts < ATTEMPTS_MAX - 1) await step(deps, failing, progress)
  // The last try connects twice, to try and to park; in between the other process handles the row.
  let connects = 0
  const connect = async () => {
    if (++connects === 2) await readAll(watched(other), fine, fresh())
    return await pool.connect()
  }
  await step({ ...deps, pool: Object.create(pool, { connect: { value: connect } }) }, failing, progress)
  assert.equal(connects, 2)
  assert.deepEqual(await parkedOf('raced'), [])
  assert.deepEqual(deps.parked, [])
  assert.deepEqual(await effectsOf(pool, 'raced'), names)
})

test('what a group has parked, those behind it park untried, and a replay takes it through them in order, once', async () => {
  const handled: string[] = []
  const poison = new Set<string>()
  const noting = (name: string, behind?: string): ConsumerGroup => ({
    ...effectsGroup(name, (_range, read) => {
      if (name === 'ahead') for (const one of read) if (poison.has(one)) throw new Error(`cannot handle ${one}`)
      handled.push(...read.map((one) => `${name} ${one}`))
    }),
    ...(behind === undefined ? {} : { behind }),
  })
  const groups = [noting('last', 'behind'), noting('behind', 'ahead'), noting('ahead')]
  const [last, behind, ahead] = groups as [ConsumerGroup, ConsumerGroup, ConsumerGroup]
  await startAtEnd(pool, ...groups)
  const names = subjects(20)
  for (const at of [0, 7, 8, 19]) poison.add(names[at]!)
  const positions = await appendRows(pool, names)
  const read = async () => {
    for (const group of [ahead, behind, last]) await readAll(watched(pool), group, fresh())
  }
  const sound = names.filter((name) => !poison.has(name))
  await read()
  for (const group of groups) assert.deepEqual(await effectsOf(pool, group.group), sound, group.group)
  const stuck = [0, 7, 8, 19].map((at) => positions[at]!)
  for (const [name, waitsFor, attempts] of [
    ['ahead', null, ATTEMPTS_MAX],
    ['behind', 'ahead', 0],
    ['last', 'behind', 0],
  ] as const) {
    assert.deepEqual(
      (await parkedOf(name)).map((row) => [row.position, row.waitsFor, row.attempts]),
      stuck.map((position) => [position, waitsFor, attempts]),
    )
  }
  handled.length = 0
  const outcomes = async (filter: Parameters<typeof replayParked>[2]) =>
    (await replayParked(pool, groups, filter)).map(({ group, position, outcome }) => `${group} ${position} ${outcome}`)
  const [one] = stuck as [string]
  assert.deepEqual(await outcomes({ group: 'last', position: one }), [`last ${one} waits`])
  assert.deepEqual(await outcomes({ group: 'ahead', position: one }), [`ahead ${one} failed`])
  assert.equal(handled.length, 0)
  poison.delete(names[0]!)
  assert.deepEqual(await outcomes({ group: 'ahead', position: one }), [
    `ahead ${one} done`,
    `behind ${one} done`,
    `last ${one} done`,
  ])
  assert.deepEqual(
    handled.splice(0),
    ['ahead', 'behind', 'last'].map((name) => `${name} ${names[0]}`),
  )
  poison.clear()
  // Two operators, while the groups read on.
  const other = secondProcess(database)
  const more = subjects(5)
  await appendRows(pool, more)
  await Promise.all([replayParked(pool, groups, {}), replayParked(other, groups, {}), read()])
  await replayParked(pool, groups, {})
  assert.ok(handled.indexOf(`ahead ${names[7]}`) < handled.indexOf(`behind ${names[7]}`))
  for (const group of groups) {
    assert.deepEqual((await effectsOf(pool, group.group)).sort(), [...names, ...more].sort(), group.group)
    assert.deepEqual(await parkedOf(group.group), [])
  }
})

test('a row that is replayed just as a group behind comes to it is handled there once, by the one or the other', async () => {
  let isBroken = true
  const ahead = effectsGroup('raced-ahead', () => {
    if (isBroken) throw new Error('broken')
  })
  const behind: ConsumerGroup = { ...effectsGroup('raced-behind'), behind: 'raced-ahead' }
  const groups = [ahead, behind]
  await startAtEnd(pool, ...groups)
  const names = subjects(30)
  await appendRows(pool, names)
  await readAll(watched(pool), ahead, fresh())
  isBroken = false
  const other = secondProcess(database)
  const replaying = (async () => {
    for (let n = 0; n < 3; n++) await replayParked(other, groups, {})
  })()
  await Promise.all([replaying, readAll(watched(pool), behind, fresh())])
  await replayParked(pool, groups, {})
  assert.deepEqual((await effectsOf(pool, 'raced-behind')).sort(), [...names].sort())
  assert.deepEqual(await parkedOf('raced-behind'), [])
})

test('what is to be done after the commit is done after it, and its failure undoes nothing', async () => {
  const seen: string[][] = []
  const failures: unknown[] = []
  const pool = secondProcess(database)
  listenToCommits(pool, { signal: () => undefined, onError: (error) => failures.push(error) })
  const inner = effectsGroup('follow')
  const other = secondProcess(database)
  const committed: Promise<unknown>[] = []
  const group: ConsumerGroup = {
    ...inner,
    async handle(tx, range) {
      await inner.handle(tx, range)
      tx.afterCommit(() => {
        committed.push(effectsOf(other, 'follow').then((effects) => seen.push(effects)))
        throw new Error('the follow-up fails')
      })
    },
  }
  await startAtEnd(pool, group)
  const names = subjects(4)
  await appendRows(pool, names)
  const deps = watched(pool)
  assert.deepEqual(await readAll(deps, group, fresh()), ['moved', 'idle'])
  await Promise.all(committed)
  assert.match(String(failures), /the follow-up fails/)
  assert.deepEqual(seen, [names])
  assert.deepEqual(deps.handled, [{ handler: 'handle_follow', rows: 4 }])
  assert.deepEqual(await readAll(deps, group, fresh()), ['idle'])
})

test('a new group reads the log from its beginning, and registering again moves nothing', async () => {
  const group = effectsGroup('new')
  await appendRows(pool, subjects(2))
  await registerGroups(pool, [group])
  await readAll(watched(pool), group, fresh())
  const { rows } = await pool.query<{ subject: string }>('select subject from outbox order by tx, position')
  assert.deepEqual(
    await effectsOf(pool, 'new'),
    rows.map(({ subject }) => subject),
  )
  await registerGroups(pool, [group, effectsGroup('newer')])
  assert.deepEqual(await readAll(watched(pool), group, fresh()), ['idle'])
})
