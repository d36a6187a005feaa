import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { listenToCommits } from './after-commit.ts'
import { databaseOutcome } from './errors.ts'
import { createPool } from './pool.ts'
import { withQueryTimeout } from './query-timeout.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from './transaction.ts'

const { database, pool, workspaceId } = await testWorkspace()
await pool.query('create table notes (text text not null unique)')
const add = (text: string) => ({ text: 'insert into notes (text) values ($1)', values: [text] })
const isAway = (error: unknown) => databaseOutcome(error) === 'away'
const isStored = async (text: string) => {
  const { rowCount } = await pool.query('select from notes where text = $1', [text])
  return rowCount === 1
}

/** Signals and faults that a pool's process hears. */
function heardFrom(of: pg.Pool) {
  const heard = { signals: [] as string[], faults: [] as unknown[] }
  listenToCommits(of, { signal: (name) => heard.signals.push(name), onError: (error) => heard.faults.push(error) })
  return heard
}

test('what waits for the commit runs once, behind it, in the order it was given', async () => {
  const seen: string[] = []
  const stored: Promise<boolean>[] = []
  const result = await inTransaction(pool, workspaceId, async (tx) => {
    tx.afterCommit(() => {
      seen.push('first')
      stored.push(isStored('one'))
    })
    await tx.query(add('one'))
    tx.afterCommit(() => seen.push('second'))
    await Promise.all([tx.query('select 1'), tx.afterCommit(() => seen.push('third'))])
    assert.deepEqual(seen, [])
    return 'result'
  })
  assert.equal(result, 'result')
  assert.deepEqual(seen, ['first', 'second', 'third'])
  assert.deepEqual(await Promise.all(stored), [true], 'others see it by then')
})

test('after a rollback nothing runs, whether the work threw or a statement that it overlooked failed', async () => {
  const { signals } = heardFrom(pool)
  const wait = (tx: Transaction) => {
    tx.afterCommit(() => assert.fail('it was not committed'))
    tx.signal('outbox')
  }
  const fault = new Error('mine')
  const throwing = inTransaction(pool, workspaceId, async (tx) => {
    wait(tx)
    await tx.query(add('two'))
    throw fault
  })
  await assert.rejects(throwing, (error) => error === fault)
  const overlooking = inTransaction(pool, workspaceId, async (tx) => {
    wait(tx)
    await tx.query('select broken').catch(() => undefined)
  })
  await assert.rejects(overlooking, /rolled back/)
  const failing = inTransaction(pool, workspaceId, async (tx) => {
    wait(tx)
    await tx.query(add('three'))
    await tx.query(add('three'))
  })
  await assert.rejects(failing, { code: '23505' })
  assert.deepEqual(signals, [])
  assert.equal(await isStored('three'), false)
})

test('a statement that failed and was undone to its savepoint does not keep the rest from its commit', async () => {
  const seen: string[] = []
  await inTransaction(pool, workspaceId, async (tx) => {
    tx.afterCommit(() => seen.push('committed'))
    await tx.query('savepoint before')
    await tx.query('select broken').catch(() => tx.query('rollback to before'))
    await tx.query(add('four'))
  })
  assert.deepEqual(seen, ['committed'])
  assert.equal(await isStored('four'), true)
})

test('a connection that is lost before the commit runs nothing', async () => {
  const single = secondProcess(database, { connections: 1 })
  const { signals } = heardFrom(single)
  const dying = inTransaction(single, ALL_WORKSPACES, async (tx) => {
    tx.afterCommit(() => assert.fail('it was not committed'))
    tx.signal('outbox')
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await tx.query(add('five'))
    await withClient(database.superuserUrl, (client) => client.query('select pg_terminate_backend($1)', [rows[0]!.pid]))
  })
  await assert.rejects(dying, isAway)
  assert.deepEqual(signals, [])
  assert.equal(await isStored('five'), false)
})

test('when the answer to the commit is lost nobody knows of it, and nothing runs', async (t) => {
  const url = new URL(database.url)
  const proxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const through = createPool({ name: 'sql', url: url.href, max: 1 })
  t.after(async () => {
    await through.end()
    await proxy.close()
  })
  const { signals } = heardFrom(through)
  const unanswered = inTransaction(through, workspaceId, async (tx) => {
    tx.afterCommit(() => assert.fail('nobody knows of a commit'))
    tx.signal('outbox')
    await tx.query(add('six'))
    void proxy.loseAnswer('COMMIT')
  })
  await assert.rejects(unanswered, isAway)
  assert.equal(await isStored('six'), true)
  assert.deepEqual(signals, [])
  void proxy.loseAnswer('COMMIT')
  await assert.rejects(queryInScope(through, workspaceId, { ...add('seven'), signal: 'outbox' }), isAway)
  assert.deepEqual(signals, [])
  await inTransaction(through, workspaceId, async (tx) => tx.signal('later'))
  assert.deepEqual(signals, ['later'])
})

test('a fault of one is reported, keeps no other from running and fails no transaction', async () => {
  const { faults, signals } = heardFrom(pool)
  const seen: string[] = []
  const fault = new Error('mine')
  const result = await inTransaction(pool, workspaceId, async (tx) => {
    tx.afterCommit(() => seen.push('before'))
    tx.afterCommit(() => {
      throw fault
    })
    tx.signal('outbox')
    tx.afterCommit(() => seen.push('behind'))
    await tx.query(add('eight'))
    return 'result'
  })
  assert.equal(result, 'result')
  assert.deepEqual(seen, ['before', 'behind'])
  assert.deepEqual(faults, [fault])
  assert.deepEqual(signals, ['outbox'])
})

test('what is added while others run comes last', async () => {
  const seen: string[] = []
  await inTransaction(pool, workspaceId, async (tx) => {
    tx.afterCommit(() => {
      seen.push('first')
      tx.afterCommit(() => {
        seen.push('nested')
        tx.afterCommit(() => seen.push('nested twice'))
      })
    })
    tx.afterCommit(() => seen.push('second'))
  })
  assert.deepEqual(seen, ['first', 'second', 'nested', 'nested twice'])
})

test('a signal is given once however often it was asked for, each transaction its own', async () => {
  const { signals } = heardFrom(pool)
  for (let n = 0; n < 2; n++) {
    await inTransaction(pool, workspaceId, async (tx) => {
      const patient = withQueryTimeout(tx, 5_000)
      for (const name of ['outbox', 'default', 'outbox', 'broadcasts', 'default']) patient.signal(name)
      tx.signal('outbox')
      patient.afterCommit(() => signals.push('behind them'))
    })
  }
  const once = ['outbox', 'default', 'broadcasts', 'behind them']
  assert.deepEqual(signals, [...once, ...once])
})

test('a statement that commits alone signals behind its commit, and not when it failed', async () => {
  const { signals } = heardFrom(pool)
  await queryInScope(pool, workspaceId, { ...add('nine'), signal: 'outbox' })
  assert.deepEqual(signals, ['outbox'])
  await assert.rejects(queryInScope(pool, workspaceId, { ...add('nine'), signal: 'outbox' }), { code: '23505' })
  assert.deepEqual(signals, ['outbox'])
})

test('without anybody who listens signals are dropped', async () => {
  await inTransaction(secondProcess(database), workspaceId, async (tx) => tx.signal('outbox'))
  await queryInScope(secondProcess(database), workspaceId, { text: 'select 1', signal: 'outbox' })
})

test('what is left of a transaction that is over touches nothing', async () => {
  const single = secondProcess(database, { connections: 1 })
  let left: Transaction | undefined
  await inTransaction(single, workspaceId, async (tx) => {
    left = tx
  })
  const next = inTransaction(single, workspaceId, async (tx) => {
    await tx.query(add('ten'))
    await assert.rejects(left!.query(add('eleven')), /the transaction is over/)
    assert.throws(() => left!.afterCommit(() => undefined), /the transaction is over/)
    assert.throws(() => left!.signal('outbox'), /the transaction is over/)
    throw new Error('rolled back')
  })
  await assert.rejects(next, /rolled back/)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let straggler: Promise<unknown> | undefined
  const branching = inTransaction(single, workspaceId, async (tx) => {
    straggler = held.then(() => tx.query(add('twelve')))
    throw new Error('given up')
  })
  await assert.rejects(branching, /given up/)
  release()
  await assert.rejects(straggler!, /the transaction is over/)
  for (const text of ['ten', 'eleven', 'twelve']) assert.equal(await isStored(text), false)
})

test('a connection runs no more statements for a transaction than before', async () => {
  const single = secondProcess(database, { connections: 1 })
  const client = await single.connect()
  const sent: string[] = []
  const { query } = client
  client.query = ((...given: Parameters<typeof query>) => {
    const [statement] = given as unknown as [string | pg.QueryConfig]
    sent.push(typeof statement === 'string' ? statement : statement.text)
    return query.apply(client, given)
  }) as typeof query
  client.release()
  heardFrom(single)
  await inTransaction(single, workspaceId, async (tx) => {
    tx.signal('outbox')
    tx.afterCommit(() => undefined)
    await tx.query('select 1')
  })
  assert.deepEqual(sent, [`begin; set local postroom.workspace = '${workspaceId}'`, 'select 1', 'commit'])
})
