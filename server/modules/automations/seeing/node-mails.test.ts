import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { databaseBefore } from '../../../../test/support/migrated-before.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { migrate } from '../../../platform/db/migrate.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { markMessages } from '../../sending/ledger/mark-messages.ts'
import { foldSums } from './fold-sums.ts'
import { mailsOfNodes } from './mails-of-nodes.ts'

const database = await databaseBefore('node_mails')
const pool = createPool({ name: 'pgx', url: database.url, max: 2 })
after(async () => {
  await pool.end()
  await database.drop()
})
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** A mail of a node that has been taken, of `days` ago; its id. */
async function taken(node: string, { days = 0, opened = false, version = 1 } = {}): Promise<string> {
  const [{ id } = { id: '' }] = await rows<{ id: string }>(
    `with mail as (
       insert into messages (workspace_id, purpose, source_kind, source_id, destination, state, created_at, settled_at, opened_at)
       values (1, 'marketing', 'automation', 1, 'a@b.example', 'accepted', now(), now() - make_interval(days => $2),
         case when $3::boolean then now() - make_interval(days => $2) end) returning id, created_at
     ), noted as (
       insert into run_messages (workspace_id, message_id, created_at, run_id, visit, automation_id, version, node)
       select 1, id, created_at, 1, 1, 1, $4, $1 from mail
     ) select id from mail`,
    [node, days, opened, version],
  )
  return id
}

const marked = (id: string, kind: 'opened' | 'clicked') =>
  inTransaction(pool, '1', (tx) => markMessages(tx, '1', [{ messageId: id, kind }]))
const counted = (since: string | null = null) =>
  inTransaction(pool, '1', async (tx) =>
    Object.fromEntries(await mailsOfNodes(tx, { workspaceId: '1', id: '1' }, since)),
  )
const [{ week, hour }] = (await rows<{ week: string; hour: string }>(
  `select date_trunc('day', now() - interval '7 days', 'UTC') as week, date_trunc('hour', now(), 'UTC') as hour`,
)) as [{ week: string; hour: string }]
const NONE = { accepted: 0, opened: 0, clicked: 0, unsubscribed: 0, bounced: 0, complained: 0 }

test('mail of before is counted on its day while other mail is made, and what becomes of it since is added', async () => {
  await ensureAllPartitions(pool)
  await rows(`insert into workspaces (slug, name) values ('w', 'W')`)
  const first = await taken('hello', { days: 3 })
  await taken('hello', { days: 3, opened: true })
  await taken('hello', { days: 90, opened: true })
  await taken('again', { version: 2 })
  const { counting } = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query('lock table run_messages')
    const counting = migrate({ url: database.url })
    const isThere = `select 1 from pg_trigger where tgname = 'count_node_mails'`
    await eventually('it counts what is there', async () => (await rows(isThere)).length > 0)
    await rows(`insert into messages (workspace_id, purpose, source_kind, destination)
      values (1, 'transactional', 'email', 'meanwhile@b.example')`)
    return { counting }
  })
  await counting
  const before = { '1/hello': { ...NONE, accepted: 3, opened: 2 }, '2/again': { ...NONE, accepted: 1 } }
  assert.deepEqual(await counted(), before)

  await marked(first, 'opened')
  await marked(first, 'opened')
  await marked(first, 'clicked')
  assert.deepEqual(await counted(), { ...before, '1/hello': { ...NONE, accepted: 3, opened: 3, clicked: 1 } })
})

test('within a span there is what became of mail in that time, and folding changes no sum', async () => {
  const assertCounted = async () => {
    assert.deepEqual((await counted(week))['1/hello'], { ...NONE, accepted: 2, opened: 2, clicked: 1 })
    assert.deepEqual((await counted(hour))['1/hello'], { ...NONE, opened: 1, clicked: 1 })
    assert.deepEqual((await counted())['1/hello'], { ...NONE, accepted: 3, opened: 3, clicked: 1 })
  }
  await assertCounted()
  await foldSums(pool, () => false)
  await assertCounted()
  await rows(`update node_mails set hour = hour - interval '40 days' where hour > '-infinity'`)
  await foldSums(pool, () => false)
  const kept = await rows(`select distinct hour::text, shard from node_mails`)
  assert.deepEqual(kept, [{ hour: '-infinity', shard: 0 }])
  assert.deepEqual((await counted())['1/hello'], { ...NONE, accepted: 3, opened: 3, clicked: 1 })
})

test('mail of no automation, and what is no fate of mail, is counted nowhere', async () => {
  const before = await counted()
  const [{ id } = { id: '' }] = await rows<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, destination, state, settled_at)
     values (1, 'transactional', 'email', 'a@b.example', 'accepted', now()) returning id`,
  )
  await marked(id, 'opened')
  await rows(`update messages set destination = '' where workspace_id = 1`)
  assert.deepEqual(await counted(), before)
})
