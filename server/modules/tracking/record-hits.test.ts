import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { createPool } from '../../platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { insertHits } from './hit-queries.ts'
import { judgeDueHits } from './judge-hits.ts'
import { ANSWER_WITHIN_MS, createHitRecorder, type Hit, type LostHits } from './record-hits.ts'

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
  `insert into messages (workspace_id, surface, destination, state, settled_at)
    values ($1, 'transactional', 'ada@example.com', 'accepted', now() - interval '1 hour') returning id`,
)
const click = (link: number): Hit => ({
  ...{ workspaceId, messageId: message!.id, kind: 'click', link, url: `https://example.com/${link}` },
  ...{ ip: '192.0.2.1', userAgent: 'Firefox', signals: [] },
})
function recorder(sql = pool) {
  const errors: unknown[] = []
  const lost: LostHits[] = []
  const made = createHitRecorder({ sql, onLost: (hits) => lost.push(hits), onError: (error) => errors.push(error) })
  return { ...made, errors, lost }
}
async function links(): Promise<number[]> {
  const rows = await query<{ link: number }>('select link from message_hits where workspace_id = $1 order by id')
  return rows.map(({ link }) => link)
}
const clear = () => query('delete from message_hits where workspace_id = $1')

test('a hit is durable when its visitor is led on, and many share a commit', async () => {
  const hits = recorder()
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

test('when the answer to a commit is lost, its hits are counted and told once', async () => {
  const hits = recorder(proxied)
  await hits.record(click(0))
  const losing = proxy.loseAnswer('COMMIT')
  const recorded = hits.record(click(1))
  await losing
  await Promise.all([recorded, hits.record(click(2)), hits.record(click(3))])
  await hits.stop()
  assert.equal(hits.errors.length, 1)
  assert.deepEqual(await links(), [0, 1, 2, 3])
  await query(`update message_hits set at = at - interval '1 minute' * (10 - link) where workspace_id = $1`)
  await judgeDueHits({ pool, wakeOutbox: () => undefined }, workspaceId)
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

test('while the database does not answer, visitors wait a moment and then not at all', async () => {
  const hits = recorder(proxied)
  await hits.record(click(0))
  await proxy.become('swallow')
  const beganMs = performance.now()
  await hits.record(click(1))
  const firstMs = performance.now() - beganMs
  assert.ok(firstMs >= ANSWER_WITHIN_MS - 5 && firstMs < 3 * ANSWER_WITHIN_MS, `${firstMs} ms`)
  const laterMs = performance.now()
  for (let link = 2; link < 12; link++) await hits.record(click(link))
  assert.ok(performance.now() - laterMs < ANSWER_WITHIN_MS, `${performance.now() - laterMs} ms`)
  await proxy.become('pass')
  await hits.stop()
  assert.deepEqual(hits.lost, [])
  assert.equal((await links()).length, 12)
  await clear()
})

test('what cannot be written is told: refused alone, beyond the limit, or when the process ends', async () => {
  const hits = recorder()
  await hits.record(click(0))
  await Promise.all([hits.record(click(1)), hits.record({ ...click(2), ip: 'nowhere' }), hits.record(click(3))])
  assert.deepEqual(hits.lost, [{ hits: 1, reason: 'refused' }])
  assert.deepEqual((await links()).sort(), [0, 1, 3])
  await hits.stop()

  await proxy.become('refuse')
  const away = recorder(proxied)
  await away.record(click(0))
  for (let n = 1; n < 20_002; n++) void away.record(click(0))
  assert.deepEqual(away.lost, [
    { hits: 1, reason: 'full' },
    { hits: 1, reason: 'full' },
  ])
  await away.stop()
  assert.deepEqual(away.lost.at(-1), { hits: 20_000, reason: 'ended' })
  await proxy.become('pass')
})
