import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseBefore } from '../../../../test/support/migrated-before.ts'
import { seededRandom, seedFrom } from '../../../../test/support/seeded-random.ts'
import { migrate } from '../../../platform/db/migrate.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { readCounts } from './counts.ts'
import { foldSums } from './fold-sums.ts'

const database = await databaseBefore('node_hours')
const pool = createPool({ name: 'pgx', url: database.url, max: 2 })
after(async () => {
  await pool.end()
  await database.drop()
})
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** Adds to sums as turns do, at a moment of the clock. */
const count = (at: string, sums: readonly object[]) =>
  inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query(`select set_config('postroom.clock', $1, true)`, [at])
    await tx.query(
      `insert into node_totals as t (workspace_id, automation_id, version, node, kind, shard, total)
       select 1, 1, version, node, kind, shard, total
       from json_to_recordset($1) as g(version int, node text, kind text, shard int, total bigint) order by 3, 4, 5, 6
       on conflict (workspace_id, automation_id, version, node, kind, shard) do update set total = t.total + excluded.total`,
      [JSON.stringify(sums)],
    )
  })

const totals = () =>
  rows(`select version, node, kind, sum(total)::int as total from node_totals group by 1, 2, 3 order by 1, 2, 3`)
const hours = () =>
  rows(`select version, node, kind, sum(total)::int as total from node_hours group by 1, 2, 3 order by 1, 2, 3`)
const assertKept = async () => assert.deepEqual(await hours(), await totals())

const [{ now }] = (await rows<{ now: string }>('select now()')) as [{ now: string }]
const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.parse(now) - hours * HOUR_MS).toISOString()
const key = { workspaceId: '1', id: '1' }
const enters = (total: number) => [
  { version: 0, node: '', kind: 'refused:filter', shard: 0, total },
  { version: 1, node: '', kind: 'left:entered', shard: 0, total },
  { version: 1, node: 'd1', kind: 'entered', shard: 0, total },
]
const leaves = (total: number) => [{ version: 1, node: 'd1', kind: 'ended:to', shard: 3, total }]

test('what was counted before is of no day, and what is counted since has its hour', async () => {
  await rows(`insert into workspaces (slug, name) values ('w', 'W')`)
  await rows(`insert into automations (workspace_id, name, draft) overriding system value values (1, 'Carts', '{}')`)
  await count(now, enters(1_000))
  await migrate({ url: database.url })
  await assertKept()
  for (const [hours, total] of [
    [24 * 40, 100],
    [24 * 29, 20],
    [24 * 6, 5],
    [24 * 3, 2],
    [1, 1],
  ] as const) {
    await count(ago(hours), [...enters(total), ...leaves(total)])
  }
  await assertKept()
})

/** Came in, were refused, came to the node, ended there, are there now. */
async function shown(last?: '24h' | '7d' | '30d') {
  const { entered, refused, nodes, since } = await readCounts(pool, key, last)
  const [d1] = nodes
  return { since, counted: [entered, refused[0]!.count, d1!.entered, d1!.ended, d1!.ways[0]!.count, d1!.here] }
}

async function assertShown(): Promise<void> {
  const spans = { all: await shown(), month: await shown('30d'), week: await shown('7d'), day: await shown('24h') }
  assert.deepEqual(
    Object.values(spans).map(({ counted }) => counted),
    [
      [1_128, 1_128, 1_128, 128, 128, 1_000],
      [28, 28, 28, 28, 28, 1_000],
      [8, 8, 8, 8, 8, 1_000],
      [1, 1, 1, 1, 1, 1_000],
    ],
  )
  assert.equal(spans.all.since, null)
  assert.match(spans.week.since!, /T00:00:00Z$/)
  assert.match(spans.day.since!, /:00:00Z$/)
}

test('counts are of the last day, week or month, or of all time; who is here is as of now', async () => {
  await assertShown()
  await assert.rejects(readCounts(pool, { ...key, id: '9' }, '7d'), { code: 'not-found' })
})

test('folding the hours of past days, and days that are too old, changes no sum', async () => {
  await foldSums(pool, () => false)
  await assertKept()
  await assertShown()
  const kept = await rows<{ days: string; shards: string; oldest: string }>(
    `select count(distinct hour) filter (where shard = 0 and hour > '-infinity') as days,
       count(*) filter (where shard > 0 and hour < now() - interval '49 hours') as shards,
       sum(total) filter (where hour = '-infinity' and node = '' and version = 1) as oldest
     from node_hours`,
  )
  assert.deepEqual(kept, [{ days: '3', shards: '0', oldest: '1100' }])
})

test('whatever is added to sums, at whichever time, and folded between, is in their hours', async () => {
  const seed = seedFrom('NODE_HOURS_SEED')
  const random = seededRandom(seed)
  const below = (most: number) => Math.floor(random() * most)
  try {
    for (let n = 0; n < 60; n++) {
      const sums = Array.from({ length: 1 + below(6) }, (_, at) => ({
        ...{ version: 1 + below(2), node: `n${at}`, kind: ['entered', 'left:to', 'ended:late'][below(3)] },
        ...{ shard: below(8), total: below(3) },
      }))
      await count(ago(below(24 * 45)), sums)
      if (n % 20 === 0) await foldSums(pool, () => false)
    }
    await assertKept()
    await foldSums(pool, () => false)
    await assertKept()
  } catch (error) {
    throw new Error(`NODE_HOURS_SEED=${seed}`, { cause: error })
  }
})
