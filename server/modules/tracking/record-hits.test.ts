import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createHandClock } from '../../../test/support/hand-clock.ts'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { createPool } from '../../platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { type Hit, insertHits } from './hit-queries.ts'
import { judgeDueHits } from './judge-hits.ts'
import { ANSWER_WITHIN_MS, createHitRecorder, type LostHits, STOP_WITHIN_MS } from './record-hits.ts'

const { pool, workspaceId, database } = await testWorkspace()
await migrateJobs(pool, ['default'])
const url = new URL(database.url)
const proxy = await startTcpProxy(Number(url.port))
const proxied = createPool({ name: 'sql', url: Object.assign(url, { port: String(proxy.port) }).href, max: 4 })
after(async () => {
  await proxied.end()
  await proxy.close()
})

const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const [message] = await query<{ id: string }>(
  `insert into messages (workspace_id, purpose, source_kind, destination, state, settled_at)
    values ($1, 'transactional', 'email', 'ada@example.com', 'accepted', now() - interval '1 hour') returning id`,
)
const click = (link: number): Hit => ({
  ...{ workspaceId, messageId: message!.id, kind: 'click', link, url: `https://example.com/${link}` },
  ...{ ip: '192.0.2.1', userAgent: 'Firefox', signals: [] },
})
/** A recorder for one test. Its clock stands still, so that nobody's patience ends but where the test lets it. */
function recorder(t: TestContext, sql = pool) {
  const errors: unknown[] = []
  const lost: LostHits[] = []
  const clock = createHandClock()
  const onError = (error: unknown) => errors.push(error)
  const made = createHitRecorder({ sql, onLost: (hits) => lost.push(hits), onError, clock })
  const stop = (afterMs = 0) => {
    const stopped = made.stop()
    clock.advance(afterMs)
    return stopped
  }
  t.after(() => stop(STOP_WITHIN_MS))
  return { record: made.record, stop, errors, lost, clock }
}
async function links(): Promise<number[]> {
  const rows = await query<{ link: number }>('select link from message_hits where workspace_id = $1 order by id')
  return rows.map(({ link }) => link)
}
const clear = () => query('delete from message_hits where workspace_id = $1')

test('a hit is durable when its visitor is led on, and many share a commit', async (t) => {
  const hits = recorder(t)
  await hits.record(click(0))
  assert.deepEqual(await links(), [0])
  await Promise.all(Array.from({ length: 15 }, (_, link) => hits.record(click(link + 1))))
  assert.equal((await links()).length, 16)
  const [row] = await query<{ batches: number }>('select max(last_batch)::int as batches from hit_writers where $1 > 0')
  assert.equal(row!.batches, 3, 'one alone, the first of fifteen, the others together')
  await hits.stop()
  assert.deepEqual(hits.lost, [])
  await clear()
})

test('when the answer to a commit is lost, its hits are counted and told once', async (t) => {
  const hits = recorder(t, proxied)
  await hits.record(click(0))
  const losing = proxy.loseAnswer('COMMIT')
  const recorded = hits.record(click(1))
  await losing
  await Promise.all([recorded, hits.record(click(2)), hits.record(click(3))])
  await hits.stop()
  assert.equal(hits.errors.length, 1)
  assert.deepEqual(await links(), [0, 1, 2, 3])
  await query(`update message_hits set at = at - interval '1 minute' * (10 - link) where workspace_id = $1`)
  await judgeDueHits({ pool }, workspaceId)
  const told = await query<{ name: string; data: string }>('select name, data from outbox where workspace_id = $1')
  assert.deepEqual(
    told.map(({ name, data }) => [name, JSON.parse(data).link]),
    [0, 1, 2, 3].map((link) => ['email.clicked', link]),
  )
  await clear()
})

test('a batch that comes again while it is still being committed waits, and is stored once', async () => {
  const batch = { writer: randomUUID(), number: 1 }
  const store = (number = 1) =>
    inTransaction(pool, ALL_WORKSPACES, (tx) => insertHits(tx, { ...batch, number }, [{ ...click(5), ageMs: 0 }]))
  const stored = await Promise.all([store(), store(), store()])
  assert.deepEqual(stored.flat(), [workspaceId])
  assert.deepEqual(await store(), [])
  assert.deepEqual(await store(2), [workspaceId])
  assert.deepEqual(await links(), [5, 5])
  await clear()
})

test('while the database does not answer, visitors wait a moment and then not at all', async (t) => {
  const hits = recorder(t, proxied)
  await hits.record(click(0))
  await proxy.become('swallow')
  t.after(() => proxy.become('pass'))
  let isLedOn = false
  const waited = hits.record(click(1)).then(() => {
    isLedOn = true
  })
  hits.clock.advance(ANSWER_WITHIN_MS - 1)
  await setImmediate()
  assert.ok(!isLedOn)
  hits.clock.advance(1)
  await waited
  hits.clock.advance(1)
  for (let link = 2; link < 12; link++) await hits.record(click(link))
  await proxy.become('pass')
  await hits.stop()
  assert.deepEqual(hits.lost, [])
  assert.equal((await links()).length, 12)
  await clear()
})

test('what cannot be written is told: refused alone, beyond the limit, or when the process ends', async (t) => {
  const hits = recorder(t)
  await hits.record(click(0))
  await Promise.all([hits.record(click(1)), hits.record({ ...click(2), ip: 'nowhere' }), hits.record(click(3))])
  assert.deepEqual(hits.lost, [{ hits: 1, reason: 'refused' }])
  assert.deepEqual((await links()).sort(), [0, 1, 3])
  await hits.stop()

  await proxy.become('refuse')
  t.after(() => proxy.become('pass'))
  const away = recorder(t, proxied)
  const first = away.record(click(0))
  away.clock.advance(ANSWER_WITHIN_MS)
  await first
  for (let n = 1; n < 20_002; n++) void away.record(click(0))
  assert.deepEqual(away.lost, [
    { hits: 1, reason: 'full' },
    { hits: 1, reason: 'full' },
  ])
  await away.stop(STOP_WITHIN_MS)
  assert.deepEqual(away.lost.at(-1), { hits: 20_000, reason: 'ended' })
})
