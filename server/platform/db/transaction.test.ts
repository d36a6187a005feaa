import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { type HandTimers, handTimers } from '../../../test/support/hand-timers.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { brokenConstraint, databaseOutcome, errorCode } from './errors.ts'
import { CONNECT_TIMEOUT_MS, createPool, QUERY_TIMEOUT_MS } from './pool.ts'
import { retrying } from './retry.ts'
import { ALL_WORKSPACES, inTransaction, planOnce, queryInScope } from './transaction.ts'

const { database, pool, workspaceId } = await testWorkspace()
await pool.query('create table notes (id bigint generated always as identity, text text not null unique)')

const notes = async () =>
  (await pool.query<{ text: string }>('select text from notes order by id')).rows.map(({ text }) => text)
const add = (text: string) => ({ text: 'insert into notes (text) values ($1)', values: [text] })

test('a transaction commits what its work wrote and gives its answer', async () => {
  const answer = await inTransaction(pool, workspaceId, async (tx) => {
    assert.equal(tx.scope, workspaceId)
    await tx.query(add('one'))
    assert.ok(!(await notes()).includes('one'), 'nobody else sees it before the commit')
    return 'answer'
  })
  assert.equal(answer, 'answer')
  assert.ok((await notes()).includes('one'))
})

test('a transaction whose work throws leaves nothing and throws the same', async () => {
  const fault = new Error('mine')
  const failing = inTransaction(pool, workspaceId, async (tx) => {
    await tx.query(add('two'))
    throw fault
  })
  await assert.rejects(failing, (error) => error === fault)
  assert.ok(!(await notes()).includes('two'))
})

test('a transaction that nobody waits for any more ends with what it was doing, wherever it stands', async () => {
  const reason = new Error('nobody waits')
  const isReason = (error: unknown) => error === reason
  const early = new AbortController()
  early.abort(reason)
  await assert.rejects(
    inTransaction(pool, workspaceId, (tx) => tx.query('select 1'), early.signal),
    isReason,
  )
  const between = new AbortController()
  const aborted = inTransaction(
    pool,
    workspaceId,
    async (tx) => {
      await tx.query(add('nobody’s'))
      between.abort(reason)
      await tx.query('select 1')
    },
    between.signal,
  )
  await assert.rejects(aborted, isReason)
  const amid = new AbortController()
  const cut = inTransaction(
    pool,
    workspaceId,
    async (tx) => {
      await tx.query('select 1')
      setImmediate().then(() => amid.abort(reason))
      await tx.query('select pg_sleep(3600)')
    },
    amid.signal,
  )
  await assert.rejects(cut, isReason)
  assert.ok(!(await notes()).includes('nobody’s'))
  await eventually('the server has nothing more to do for it', async () => {
    const asleep = `select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep(3600)%'`
    return (await pool.query(`${asleep} and state = 'active'`)).rowCount === 0
  })
})

test('a failed statement that the work overlooks does not pass for a commit', async () => {
  const overlooked = inTransaction(pool, workspaceId, async (tx) => {
    await tx.query(add('three'))
    await tx.query('select broken').catch(() => undefined)
  })
  await assert.rejects(overlooked, /rolled back/)
  assert.ok(!(await notes()).includes('three'))
})

test('statements that are not awaited one by one run in order, in the same transaction', async () => {
  await inTransaction(pool, workspaceId, async (tx) => {
    await Promise.all(['p1', 'p2', 'p3'].map((text) => tx.query(add(text))))
  })
  assert.deepEqual((await notes()).slice(-3), ['p1', 'p2', 'p3'])
  const failing = inTransaction(pool, workspaceId, async (tx) => {
    await Promise.all([tx.query(add('p4')), tx.query(add('p1')), tx.query(add('p5'))])
  })
  await assert.rejects(failing, { code: '23505' })
  assert.deepEqual((await notes()).slice(-3), ['p1', 'p2', 'p3'])
})

test('of statements sent together the first that failed is the fault, whichever is heard of first', async () => {
  const deadlock = `do $$ begin raise exception 'ended' using errcode = 'deadlock_detected'; end $$`
  let attempts = 0
  const heardLate = async (ended: Promise<unknown>) => {
    const [end] = await Promise.allSettled([ended])
    await setImmediate()
    if (end.status === 'rejected') throw end.reason
  }
  await retrying(() =>
    inTransaction(pool, workspaceId, async (tx) => {
      const first = attempts++ === 0 ? deadlock : 'select 1'
      await Promise.all([heardLate(tx.query(first)), tx.query(add('behind a deadlock'))])
    }),
  )
  assert.equal(attempts, 2)
  assert.equal((await notes()).at(-1), 'behind a deadlock')
  const undone = inTransaction(pool, workspaceId, async (tx) => {
    await tx.query('savepoint before')
    await assert.rejects(tx.query('select broken'), { code: '42703' })
    await tx.query('rollback to savepoint before')
    await Promise.all([heardLate(tx.query(deadlock)), tx.query('select 1')])
  })
  await assert.rejects(undone, { code: '40P01' })
})

test('one statement commits or fails by itself, and the connection stays usable', async () => {
  const single = secondProcess(database, { connections: 1 })
  for (let n = 0; n < 5; n++) {
    await queryInScope(single, workspaceId, add(`alone ${n}`))
    await assert.rejects(queryInScope(single, workspaceId, add(`alone ${n}`)), { code: '23505' })
    await assert.rejects(queryInScope(single, workspaceId, { text: 'select broken' }), { code: '42703' })
    const [row] = await queryInScope<{ scope: string }>(single, workspaceId, {
      text: `select current_setting('postroom.workspace') as scope`,
    })
    assert.equal(row?.scope, workspaceId)
  }
  assert.equal((await notes()).filter((text) => text.startsWith('alone')).length, 5)
  assert.equal(single.totalCount, 1)
})

test('a connection that dies under a transaction is reported as the database being away, and replaced', async () => {
  const single = secondProcess(database, { connections: 1 })
  const dying = inTransaction(single, ALL_WORKSPACES, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await tx.query(add('dying'))
    await withClient(database.superuserUrl, (client) => client.query('select pg_terminate_backend($1)', [rows[0]!.pid]))
    await tx.query('select 1')
  })
  await assert.rejects(dying, (error) => databaseOutcome(error) === 'away')
  assert.ok(!(await notes()).includes('dying'))
  await queryInScope(single, ALL_WORKSPACES, add('replaced'))
  assert.equal(single.totalCount, 1)
})

/** Holds a promise to a moment of the clock: not one millisecond before it. */
async function comesAfter(time: HandTimers, ms: number, promise: Promise<unknown>): Promise<void> {
  time.advance(ms - 1)
  assert.equal(await Promise.race([promise, setImmediate('not yet')]), 'not yet')
  time.advance(1)
  await promise
}

test('a statement over its time is given up, its connection thrown away, and the next caller served', async (t) => {
  const time = handTimers(t)
  const single = secondProcess(database, { connections: 1, patient: false })
  const slow = queryInScope(single, ALL_WORKSPACES, { text: 'select pg_sleep(600)' })
  const givenUp = assert.rejects(slow, (error) => databaseOutcome(error) === 'timed_out')
  const sleepers = async () => {
    const sleeping = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
    return withClient(database.superuserUrl, async (client) => (await client.query(sleeping)).rowCount)
  }
  while ((await sleepers()) === 0);
  await comesAfter(time, QUERY_TIMEOUT_MS, givenUp)
  assert.ok(QUERY_TIMEOUT_MS < 2_000)
  time.release()
  // The place is free when the server has ended the statement, by its own limit and its own clock.
  await eventually('the server has ended it', async () => (await sleepers()) === 0)
  await queryInScope(single, ALL_WORKSPACES, add('next'))
  assert.ok((await notes()).includes('next'))
})

test('who gets no connection in time is told that the database is away', async (t) => {
  const isAway = (error: unknown) => databaseOutcome(error) === 'away'
  const time = handTimers(t)
  const single = secondProcess(database, { connections: 1, patient: false })
  const held = await single.connect()
  const refused = assert.rejects(queryInScope(single, ALL_WORKSPACES, { text: 'select 1' }), isAway)
  await comesAfter(time, CONNECT_TIMEOUT_MS, refused)
  assert.ok(CONNECT_TIMEOUT_MS < 2_000)
  time.release()
  held.release()
  await queryInScope(single, ALL_WORKSPACES, { text: 'select 1' })
  const nowhere = createPool({ name: 'sql', url: 'postgres://nobody@127.0.0.1:1/none', max: 1 })
  await assert.rejects(queryInScope(nowhere, ALL_WORKSPACES, { text: 'select 1' }), isAway)
  await nowhere.end()
})

test('values come back without losing anything', async () => {
  const { rows } = await pool.query(
    `select 9223372036854775807::int8 as big, 0.1234567890123456789::numeric as exact, '{"a": 1.0}'::json as json,
       '{"b":12345678901234567890}'::jsonb as jsonb, '2026-11-21 03:10:40.123456+02'::timestamptz as at,
       '2026-11-21 03:10:40Z'::timestamptz as second, 7::int4 as small, true as yes, null as none`,
  )
  assert.deepEqual(rows, [
    {
      big: '9223372036854775807',
      exact: '0.1234567890123456789',
      json: '{"a": 1.0}',
      jsonb: '{"b": 12345678901234567890}',
      at: '2026-11-21T01:10:40.123456Z',
      second: '2026-11-21T03:10:40Z',
      small: 7,
      yes: true,
      none: null,
    },
  ])
})

test('every connection is made ready before its first use, or not used at all', async () => {
  const ready: number[] = []
  const made = createPool({
    name: 'pgx',
    url: database.url,
    max: 3,
    onConnect: async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      ready.push(rows[0]!.pid)
    },
  })
  const pids = await Promise.all(
    Array.from({ length: 3 }, () => made.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.01)')),
  )
  for (const { rows } of pids) assert.ok(ready.includes(rows[0]!.pid))
  await made.end()
  const refusing = createPool({
    name: 'pgx',
    url: database.url,
    max: 1,
    onConnect: async () => {
      throw new Error('not this one')
    },
  })
  await assert.rejects(refusing.query('select 1'), /not this one/)
  assert.equal(refusing.totalCount, 0)
  await refusing.end()
})

test('errors are told apart by what they say of the database', () => {
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  const outcomes = {
    away: ['08006', '53300', '53100', '57P01', '57P03', '58030', '25006', '25P03', 'ECONNREFUSED', 'EPIPE'],
    timed_out: ['57014'],
    conflict: ['40001', '40P01', '55P03'],
  }
  for (const [outcome, codes] of Object.entries(outcomes)) {
    for (const code of codes) assert.equal(databaseOutcome(coded(code)), outcome, code)
  }
  for (const code of ['23505', '23514', '22P02', '42601', '42501', '25P02', '21000', 'ERR_INVALID_ARG_TYPE']) {
    assert.equal(databaseOutcome(coded(code)), undefined, code)
  }
  for (const [message, outcome] of [
    ['Connection terminated unexpectedly', 'away'],
    ['timeout exceeded when trying to connect', 'away'],
    ['Query read timeout', 'timed_out'],
    ['Cannot use a pool after calling end on the pool', 'closed'],
  ] as const) {
    assert.equal(databaseOutcome(new Error(message)), outcome, message)
  }
  assert.equal(databaseOutcome(new Error('outer', { cause: coded('40P01') })), 'conflict')
  assert.equal(databaseOutcome(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])), 'away')
  assert.equal(databaseOutcome(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })), 'away')
  assert.equal(databaseOutcome(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })), undefined)
  for (const other of [new Error('Connection is fine'), 'Connection terminated', undefined, null, { code: '57P01' }]) {
    assert.equal(databaseOutcome(other), undefined)
  }
  assert.equal(errorCode(coded('23505')), '23505')
  assert.equal(errorCode({ code: 5 }), undefined)
  assert.equal(brokenConstraint({ constraint: 'notes_text_key' }), 'notes_text_key')
  assert.equal(brokenConstraint(new Error('x')), undefined)
})

test('a pool that this process has ended is told from a database that is away', async () => {
  const ended = createPool({ name: 'sql', url: database.url, max: 1 })
  await ended.query('select 1')
  await ended.end()
  await assert.rejects(ended.query('select 1'), (error) => databaseOutcome(error) === 'closed')
  const scoped = queryInScope(ended, ALL_WORKSPACES, { text: 'select 1' })
  await assert.rejects(scoped, (error) => databaseOutcome(error) === 'closed')
})

test('two transactions that wait for each other, and one over its time, are no outage', async () => {
  const other = secondProcess(database, { connections: 1 })
  await pool.query("insert into notes (text) values ('left'), ('right')")
  const lock = (text: string) => ({ text: 'select from notes where text = $1 for update', values: [text] })
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const crossed = [pool, other].map((process, index, both) =>
    inTransaction(process, ALL_WORKSPACES, async (tx) => {
      const [first, second] = index === 0 ? ['left', 'right'] : ['right', 'left']
      await tx.query(lock(first!))
      held[index]!.resolve()
      await Promise.all(both.map((_, n) => held[n]!.promise))
      await tx.query({ ...lock(second!), query_timeout: 30_000 } as pg.QueryConfig)
    }),
  )
  const ends = await Promise.allSettled(crossed)
  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [databaseOutcome(end.reason)] : []))
  assert.deepEqual(failed, ['conflict'])
  const limited = inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query("set local statement_timeout = '20ms'")
    await tx.query('select pg_sleep(1)')
  })
  await assert.rejects(limited, (error) => databaseOutcome(error) === 'timed_out')
})

test('a statement that may take longer is not given up because its commit waits behind it', async () => {
  const slow = { text: 'select pg_sleep(2)::text as slept', query_timeout: 10_000 }
  assert.deepEqual(await queryInScope(pool, workspaceId, slow), [{ slept: '' }])
})

test('what is planned once is not compiled, which servers before 18 would do each time', async () => {
  const one = secondProcess(database, { connections: 1 })
  await one.query('set jit = on')
  const jit = { text: `select current_setting('jit') as jit` }
  assert.deepEqual(await queryInScope(one, workspaceId, { ...jit, plan: 'once' }), [{ jit: 'off' }])
  const { rows } = await inTransaction(one, workspaceId, (tx) => {
    planOnce(tx)
    return tx.query(jit)
  })
  assert.deepEqual(rows, [{ jit: 'off' }])
  assert.deepEqual(await queryInScope(one, workspaceId, jit), [{ jit: 'on' }])
})

test('a statement planned once keeps its plan where PostgreSQL would plan each page anew', async () => {
  const one = secondProcess(database, { connections: 1 })
  await one.query(`insert into notes (text) select 'page ' || n from generate_series(1, 1000) n`)
  await one.query('analyze notes')
  const page = (name: string, n: number) => ({
    name,
    text: 'select text from notes order by id limit $1 offset $2',
    values: [2, n],
  })
  for (let n = 0; n < 7; n++) {
    await queryInScope(one, workspaceId, page('left_alone', n))
    const rows = await queryInScope<{ text: string }>(one, workspaceId, { ...page('planned_once', n), plan: 'once' })
    assert.equal(rows.length, 2)
  }
  const { rows } = await one.query('select name, generic_plans, custom_plans from pg_prepared_statements order by name')
  assert.deepEqual(rows, [
    { name: 'left_alone', generic_plans: '0', custom_plans: '7' },
    { name: 'planned_once', generic_plans: '7', custom_plans: '0' },
  ])
  assert.deepEqual((await one.query('show plan_cache_mode')).rows, [{ plan_cache_mode: 'auto' }])
})
