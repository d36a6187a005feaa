import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import pg from 'pg'
import { countAcquires } from './count-acquires.ts'

/** A connection to no server, which is all a pool needs to hand out connections. */
class Connection extends EventEmitter {
  _queryable = true
  connect(done: () => void) {
    setImmediate(done)
  }
  query(_text: string, _values: unknown, done: (error: null, result: object) => void) {
    setImmediate(done, null, { rows: [] })
  }
  end(done: () => void) {
    setImmediate(done)
  }
}

function countedPool(max: number) {
  const pool = new pg.Pool({ max, Client: Connection as unknown as new () => pg.ClientBase })
  return { pool, acquires: countAcquires(pool) }
}

test('a caller for whom a connection is opened found the pool empty but did not wait', async () => {
  const { pool, acquires } = countedPool(2)
  const first = await pool.connect()
  assert.deepEqual(acquires, { waits: 0, empty: 1 })
  first.release()
  const again = await pool.connect()
  assert.deepEqual(acquires, { waits: 0, empty: 1 })
  again.release()
  await pool.end()
})

test('a caller waits when all connections are in use', async () => {
  const { pool, acquires } = countedPool(1)
  const first = await pool.connect()
  const second = pool.connect()
  assert.deepEqual(acquires, { waits: 1, empty: 2 })
  first.release()
  ;(await second).release()
  await pool.end()
})

test('of two callers in the same tick only one gets the idle connection', async () => {
  const { pool, acquires } = countedPool(1)
  ;(await pool.connect()).release()
  const [first, second] = [pool.connect(), pool.connect()]
  assert.deepEqual(acquires, { waits: 1, empty: 2 })
  ;(await first).release()
  ;(await second).release()
  await pool.end()
})

test('queries of the pool itself are counted, with and without a callback', async () => {
  const { pool, acquires } = countedPool(1)
  await Promise.all([pool.query('select 1', []), pool.query('select 1', []), pool.query('select 1', [])])
  assert.deepEqual(acquires, { waits: 2, empty: 3 })
  await new Promise<void>((resolve) => {
    pool.connect((_error, _client, done) => {
      done()
      resolve()
    })
  })
  assert.deepEqual(acquires, { waits: 2, empty: 3 })
  await pool.end()
})
