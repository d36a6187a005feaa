import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { AbandonedSessions } from './abandoned-sessions.ts'
import { databaseOutcome, errorCode } from './errors.ts'
import { createPool } from './pool.ts'
import { asReader, sharePlaces } from './pool-places.ts'
import { SQLSTATE } from './sqlstates.ts'
import type { Statement } from './statement.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from './transaction.ts'

const COMMITS_WAIT = 5
/** Long enough for a statement on a busy machine. */
const HASTE_MS = 1_500

let database: TestDatabase
const pools: pg.Pool[] = []

before(async () => {
  database = await createTestDatabase({ migrated: false })
  await sql(`create table notes (text text);
    create function wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${COMMITS_WAIT}); return null; end $$;
    create constraint trigger wait after insert on notes deferrable initially deferred
      for each row execute function wait();
    grant all on notes to public`)
})
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

const sql = <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
  withClient(database.superuserUrl, async (client) => (await client.query<R>(text, values)).rows)

function poolOf(max: number): pg.Pool {
  const pool = createPool({ name: 'sql', url: database.url, max })
  pools.push(pool)
  return pool
}

/** Sessions of the service that are doing something. */
const atWork = async () =>
  (
    await sql<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'postroom-sql' and state <> 'idle'`,
    )
  ).map(({ pid }) => pid)

/** Has commits wait, as those do that wait for a standby, until the work is done. */
async function whileCommitsWait<T>(work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.superuserUrl })
  await client.connect()
  await client.query(`select pg_advisory_lock(${COMMITS_WAIT})`)
  try {
    return await work()
  } finally {
    await client.end()
  }
}

const late = (error: unknown) => databaseOutcome(error) === 'timed_out'
const insert = (text: string) => ({ text: 'insert into notes values ($1)', values: [text], query_timeout: HASTE_MS })

test('what the role or the database has been set to does not stand for the settings of a session', async () => {
  await sql(`alter database ${database.name} set lock_timeout = '1ms';
    alter database ${database.name} set default_transaction_isolation = 'serializable'`)
  try {
    const { rows } = await poolOf(1).query(
      `select current_setting('lock_timeout') as lock, current_setting('transaction_isolation') as isolation`,
    )
    assert.deepEqual(rows, [{ lock: '0', isolation: 'read committed' }])
  } finally {
    await sql(`alter database ${database.name} reset all`)
  }
})

test('a commit that nobody waits for any more keeps its place in the pool, and is not cancelled', async () => {
  const pool = poolOf(2)
  await whileCommitsWait(async () => {
    const write = (text: string) => queryInScope(pool, ALL_WORKSPACES, insert(text))
    await Promise.all(['one', 'two'].map((text) => assert.rejects(write(text), late)))
    await assert.rejects(write('three'), /timeout exceeded when trying to connect/)
    assert.equal((await atWork()).length, 2, 'the server has no more sessions than the pool has places')
  })
  await eventually('the pool is free', () => pool.totalCount === 0)
  assert.deepEqual(await sql('select text from notes order by 1'), [{ text: 'one' }, { text: 'two' }])
  assert.deepEqual((await pool.query('select 1 as works')).rows, [{ works: 1 }])
})

test('whoever reads has a share of the places that waiting commits never take', async () => {
  const pool = poolOf(4)
  sharePlaces(pool, 1)
  await whileCommitsWait(async () => {
    const writes = Array.from({ length: 6 }, (_, n) => queryInScope(pool, ALL_WORKSPACES, insert(`w${n}`)))
    const reads = () => asReader(() => pool.query<{ works: number }>('select 1 as works'))
    const written = Promise.allSettled(writes)
    assert.deepEqual((await reads()).rows, [{ works: 1 }])
    assert.ok((await written).every(({ status }) => status === 'rejected'))
    await assert.rejects(pool.query('select 1'), /timeout exceeded when trying to connect/)
    assert.deepEqual(
      await Promise.all(Array.from({ length: 8 }, async () => (await reads()).rows.length)),
      Array(8).fill(1),
    )
  })
  await eventually('writers have their places again', () =>
    pool.query('select 1').then(
      () => true,
      () => false,
    ),
  )
  const all = await Promise.all(Array.from({ length: 12 }, () => pool.query('select 1')))
  assert.equal(all.length, 12)
})

test('a statement of an open transaction is cancelled, and its place is free again', async () => {
  const pool = poolOf(1)
  const slow = inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query('select 1')
    await tx.query({ text: 'select pg_sleep(60)', query_timeout: HASTE_MS } as pg.QueryConfig)
  })
  await assert.rejects(slow, late)
  assert.equal(pool.totalCount, 1)
  await eventually('the server has ended it', async () => (await atWork()).length === 0)
  await eventually('the pool is free', () => pool.totalCount === 0)
})

test('a transaction is cancelled before it is known to have begun', async () => {
  const pool = poolOf(1)
  await pool.query('select 1')
  const gone = new AbortController()
  const reason = new Error('nobody waits')
  const slow = inTransaction(
    pool,
    ALL_WORKSPACES,
    async (tx) => {
      const sleep = tx.query('select pg_sleep(600)')
      gone.abort(reason)
      await sleep
    },
    gone.signal,
  )
  await assert.rejects(slow, reason)
  // By itself it would end after a minute.
  await eventually('the server has ended it', async () => (await atWork()).length === 0, 30_000)
  await eventually('the pool is free', () => pool.totalCount === 0)
})

test('a statement whose commit is sent with it is ended by the server itself, and the connection stays', async () => {
  const pid = async (pool: pg.Pool) =>
    (await queryInScope<{ pid: number }>(pool, ALL_WORKSPACES, { text: 'select pg_backend_pid() as pid' }))[0]
  const slow = { text: 'select pg_sleep(60)', query_timeout: 2_000 }
  // The server is first by a tenth of a second, which a busy machine may take to tell of it.
  await eventually('the server ends it', async () => {
    const pool = poolOf(1)
    const before = await pid(pool)
    const error = await queryInScope(pool, ALL_WORKSPACES, slow).catch((thrown: unknown) => thrown)
    if (errorCode(error) !== SQLSTATE.queryCanceled) return false
    assert.deepEqual(await pid(pool), before)
    return true
  })
})

test('a statement that commits by itself has a limit of its own at the server, and what follows has the limit of the session', async () => {
  const client = await poolOf(1).connect()
  const limits = async () => (await client.query('show statement_timeout')).rows
  const given = await client.query({ text: 'show statement_timeout', query_timeout: 30_000 } as pg.QueryConfig)
  assert.deepEqual(given.rows, [{ statement_timeout: '29900ms' }])
  assert.deepEqual(await limits(), [{ statement_timeout: '1700ms' }])
  await assert.rejects(client.query('select from nowhere'))
  await client.query('begin')
  assert.deepEqual(await limits(), [{ statement_timeout: '1min' }])
  await client.query('rollback')
  client.release()
})

test('a session that the server does not have any more is cut off, one that it has is cancelled once more', async () => {
  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }>('select pg_backend_pid() as pid')
  const own = new pg.Client({ connectionString: database.url })
  await own.connect()
  const cutOff: string[] = []
  const cancelled: string[] = []
  const sessions = new AbandonedSessions({ connectionString: database.url })
  const session = (name: string, processID: number) => ({
    processID,
    cancel() {
      cancelled.push(name)
    },
    cutOff() {
      cutOff.push(name)
      sessions.delete(this)
    },
  })
  const { rows } = await own.query<{ pid: number }>('select pg_backend_pid() as pid')
  const there = session('there', rows[0]!.pid)
  sessions.add(there)
  sessions.add(session('gone', pid))
  await eventually('the one that is gone is cut off', () => cutOff.length > 0)
  assert.deepEqual(cutOff, ['gone'])
  assert.deepEqual([...new Set(cancelled)], ['there'])
  sessions.delete(there)
  await own.end()
})

test('a pool that ends waits for nobody', async () => {
  const pool = createPool({ name: 'sql', url: database.url, max: 1 })
  await whileCommitsWait(async () => {
    await assert.rejects(queryInScope(pool, ALL_WORKSPACES, insert('at the end')), late)
    await pool.end()
  })
})

test('the server ends what a frozen process has left open, and what one that is gone is still doing', async () => {
  const show = async (setting: string) => (await poolOf(1).query(`show ${setting}`)).rows[0][setting]
  assert.equal(await show('idle_in_transaction_session_timeout'), '6s')
  assert.equal(await show('client_connection_check_interval'), '2s')
})

test('statements that are sent together leave in one piece, and those that wait for an answer by themselves', async () => {
  const pool = poolOf(1)
  await pool.query('select 1')
  const client = await pool.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const pieces: string[] = []
  const sent = (...buffers: Buffer[]) => pieces.push(buffers.map((buffer) => buffer.toString('latin1')).join(''))
  const { _write, _writev } = stream
  stream._write = (chunk, encoding, done) => {
    sent(chunk)
    _write.call(stream, chunk, encoding, done)
  }
  stream._writev = (chunks, done) => {
    sent(...chunks.map(({ chunk }) => chunk))
    _writev!.call(stream, chunks, done)
  }
  client.release()
  const held = () => pieces.splice(0).map((piece) => piece.match(/begin|select \d|commit|statement_timeout/g) ?? [])

  await queryInScope(pool, ALL_WORKSPACES, { text: 'select 1' } as Statement<object>)
  assert.deepEqual(held(), [['begin', 'statement_timeout', 'select 1', 'commit']])
  await pool.query('select 2')
  assert.deepEqual(held(), [['statement_timeout', 'select 2', 'statement_timeout']])
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await Promise.all([tx.query('select 3'), tx.query('select 4')])
    await tx.query('select 5')
  })
  assert.deepEqual(held(), [['begin', 'select 3', 'select 4'], ['select 5'], ['commit']])
})
