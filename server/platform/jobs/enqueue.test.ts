import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type pg from 'pg'
import { listenToCommits } from '../db/after-commit.ts'
import { ALL_WORKSPACES, inTransaction, type Queryable, type Transaction } from '../db/transaction.ts'
import { enqueue, enqueueAll } from './enqueue.ts'
import { handlerOf, jobKind } from './job-kind.ts'
import { eventually, jobRows, jobsDatabase, QUEUE, workersOf } from './testing.ts'

type Person = { workspaceId: string; personId: string }

const { pool } = await jobsDatabase()
beforeEach(() => pool.query('delete from jobs.job'))
const committed = (work: (tx: Transaction) => Promise<void>) => inTransaction(pool, ALL_WORKSPACES, work)

const GREET = jobKind<Person>({ kind: 'greet', queue: QUEUE, groupKey: ({ workspaceId }) => workspaceId })
const REMIND = jobKind<Person>({
  kind: 'remind',
  queue: QUEUE,
  singletonKey: ({ workspaceId, personId }) => `${workspaceId}/${personId}`,
  priority: 3,
  delayMs: 3_600_000,
})
const ada = { workspaceId: '9223372036854775807', personId: '1' }
const grace = { workspaceId: '2', personId: '2' }

test('a handler gets the payload that was enqueued under its kind, and the group that the kind says', async (t) => {
  const seen: [Person, string | null][] = []
  const greeting = handlerOf(GREET, {
    attemptsMax: 2,
    async run({ payload, groupKey }) {
      seen.push([payload, groupKey])
      return { outcome: 'ok' }
    },
  })
  assert.deepEqual([greeting.kind, greeting.queue, greeting.attemptsMax], ['greet', QUEUE, 2])
  workersOf(t, { pool, kinds: [greeting] })
  await committed((tx) => enqueue(tx, GREET, ada))
  await eventually('it ran', () => seen.length === 1)
  assert.deepEqual(seen, [[ada, ada.workspaceId]])
})

test("a kind's own delay, priority and key hold, and a job's own go before them", async () => {
  await committed(async (tx) => {
    await enqueue(tx, REMIND, ada)
    await enqueue(tx, REMIND, ada)
    await enqueueAll(tx, REMIND, [{ payload: grace, delayMs: 7_200_000, priority: 9 }])
  })
  const jobs = await jobRows(pool)
  assert.deepEqual(
    jobs.map(({ dueInMs }) => Math.round(dueInMs / 3_600_000)),
    [1, 2],
  )
  const { rows } = await pool.query('select priority, singleton_key as key from jobs.job order by created_on')
  assert.deepEqual(rows, [
    { priority: 3, key: `remind/${ada.workspaceId}/1` },
    { priority: 9, key: 'remind/2/2' },
  ])
  const runAt = new Date(Date.now() - 1_000).toISOString()
  await committed((tx) => enqueueAll(tx, REMIND, [{ payload: ada, runAt }]))
  assert.ok(
    (await jobRows(pool))[0]!.dueInMs <= 0,
    'a moment that is stated goes before the delay, and pulls it forward',
  )
})

test('a key is of its kind alone: jobs of two kinds about the same thing never take the place of each other', async () => {
  const singletonKey = ({ workspaceId, personId }: Person) => `${workspaceId}/${personId}`
  const kinds = ['count', 'weigh'].map((kind) => jobKind<Person>({ kind, queue: QUEUE, singletonKey }))
  await committed(async (tx) => {
    for (const kind of [...kinds, ...kinds]) await enqueue(tx, kind, ada)
  })
  const { rows } = await pool.query(`select data ->> 'kind' as kind from jobs.job order by 1`)
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['count', 'weigh'],
  )
})

test('a thousand jobs of a kind are one statement', async () => {
  const sent: string[] = []
  await committed(async (tx) => {
    const query = (statement: pg.QueryConfig) => {
      sent.push(statement.name!)
      return tx.query(statement)
    }
    const counting = { scope: tx.scope, query: query as Queryable['query'], afterCommit() {}, signal() {} }
    const people = Array.from({ length: 1_000 }, (_, n) => ({ payload: { workspaceId: '1', personId: String(n) } }))
    await enqueueAll(counting, GREET, people)
    await enqueueAll(counting, GREET, [])
  })
  assert.deepEqual(sent, ['enqueue_jobs'])
  assert.equal((await jobRows(pool)).length, 1_000)
})

test('a queue is signalled once for jobs that are due, and not for those that are not', async () => {
  const signals: string[] = []
  listenToCommits(pool, { signal: (name) => signals.push(name), onError: (error) => assert.fail(String(error)) })
  const later = { ...ada, personId: '3' }
  await committed((tx) => enqueue(tx, REMIND, later))
  await committed((tx) => enqueueAll(tx, GREET, [{ payload: ada, runAt: new Date(Date.now() + 60_000).toISOString() }]))
  assert.deepEqual(signals, [])
  await committed(async (tx) => {
    await enqueue(tx, GREET, ada)
    await enqueueAll(tx, GREET, [{ payload: grace }, { payload: ada, delayMs: 60_000 }])
    assert.deepEqual(signals, [])
  })
  assert.deepEqual(signals, [QUEUE])
})

test('an unknown queue fails the transaction', async () => {
  const lost = jobKind<Person>({ kind: 'greet', queue: 'nowhere' })
  await assert.rejects(
    committed((tx) => enqueue(tx, lost, ada)),
    { code: '23503' },
  )
})

test('what does not fit a kind does not compile', () => {
  const wrong = {
    payload: (tx: Transaction) =>
      // @ts-expect-error: not the payload of this kind
      enqueue(tx, GREET, { workspaceId: '1' }),
    payloads: (tx: Transaction) =>
      // @ts-expect-error: not the payload of this kind
      enqueueAll(tx, GREET, [{ payload: { personId: '1' } }]),
    pool: () =>
      // @ts-expect-error: no transaction
      enqueue(pool, GREET, ada),
    handler: () =>
      handlerOf(GREET, {
        async run({ payload }) {
          // @ts-expect-error: the payload has no such field
          return payload.nobody
        },
      }),
    // @ts-expect-error: a kind of another payload
    kind: (): typeof GREET => jobKind<{ mailId: string }>({ kind: 'greet', queue: QUEUE }),
  }
  assert.equal(Object.keys(wrong).length, 5)
})
