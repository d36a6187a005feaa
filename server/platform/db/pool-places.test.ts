import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { toProblem } from '../http/to-problem.ts'
import { createPool } from './pool.ts'
import { asReader, ShareTaken, sharePlaces } from './pool-places.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Scope } from './transaction.ts'

const PLACES = 5
/** Longer than any machine takes. */
const LONG = 40
/** Of five places one is for readers only, and of the four others a fifth is left to other workspaces. */
const READS_OF_ONE = 4
const WRITES_OF_ONE = 3

let database: TestDatabase
const pools: pg.Pool[] = []

before(async () => {
  database = await createTestDatabase({ migrated: false })
})
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

/** Patient in all but the wait for a place, which `patience` is for. */
function sharedPool(patience: number): pg.Pool {
  const pool = createPool({ name: 'sql', url: database.url, max: PLACES, patience: LONG })
  sharePlaces(pool, patience)
  pools.push(pool)
  return pool
}

/** Transactions that are open until they are told to end. */
function holding(pool: pg.Pool) {
  const open: { scope: Scope; end: () => void }[] = []
  const hold = (scope: Scope) =>
    inTransaction(pool, scope, async (tx) => {
      await tx.query('select 1')
      await new Promise<void>((end) => open.push({ scope, end }))
    })
  return { open, hold, endFirst: () => open.shift()!.end() }
}

const works = async (pool: pg.Pool, scope: Scope) =>
  (await queryInScope(pool, scope, { text: 'select 1' })).length === 1

test('a workspace that asks for more connections than its share waits for its own, and nobody else does', async () => {
  const pool = sharedPool(1)
  for (const [kind, most] of [
    [asReader, READS_OF_ONE],
    [<T>(work: () => T) => work(), WRITES_OF_ONE],
  ] as const) {
    const { open, hold } = holding(pool)
    const asked = kind(() => Array.from({ length: PLACES + 3 }, () => hold('1')))
    const late = Promise.all(asked.slice(most).map((one) => assert.rejects(one, ShareTaken)))
    await eventually('it has its share', () => open.length === most)
    assert.ok(await kind(() => works(pool, '2')), 'another workspace is answered beside it')
    assert.ok(await kind(() => works(pool, ALL_WORKSPACES)), 'and so is the system itself')
    await late
    assert.equal(open.length, most, 'never more than its share')
    for (const { end } of open) end()
    await Promise.all(asked.slice(0, most))
    assert.ok(await works(pool, '1'), 'it has its share again')
  }
})

test('a free place goes to the system first, then to the workspace that has fewest, then to the one that waits longest', async () => {
  const pool = sharedPool(LONG)
  const { open, hold, endFirst } = holding(pool)
  await asReader(async () => {
    const first = ['1', '1', '1', '2', '2'].map(hold)
    await eventually('all places are taken', () => open.length === PLACES)
    const taken = open.splice(0)
    const then = ['1', '2', '3', '3', ALL_WORKSPACES].map(hold)
    for (const { end } of taken.filter(({ scope }) => scope === '1')) {
      end()
      const sofar = open.length
      await eventually('the next has it', () => open.length > sofar)
    }
    for (const { end } of taken.filter(({ scope }) => scope === '2')) {
      end()
      const sofar = open.length
      await eventually('the next has it', () => open.length > sofar)
    }
    assert.deepEqual(
      open.map(({ scope }) => scope),
      [ALL_WORKSPACES, '3', '1', '2', '3'],
    )
    while (open.length > 0) endFirst()
    await Promise.all([...first, ...then])
  })
})

test('a request for which its workspace has no connection left is told so, with when to come again', () => {
  const { statusCode, code, headers } = toProblem(new ShareTaken('timeout exceeded when trying to connect'))
  assert.deepEqual(
    { statusCode, code, headers },
    { statusCode: 503, code: 'overloaded', headers: { 'retry-after': '1' } },
  )
})
