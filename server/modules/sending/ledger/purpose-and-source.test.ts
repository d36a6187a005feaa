import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseBefore } from '../../../../test/support/migrated-before.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { migrate } from '../../../platform/db/migrate.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { openStream } from '../streams.ts'
import { planMessages } from './plan-messages.ts'
import { totalsOf } from './read-totals.ts'

const database = await databaseBefore('purpose_and_source')
const pool = createPool({ name: 'pgx', url: database.url, max: 2 })
after(async () => {
  await pool.end()
  await database.drop()
})
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** Each kind there was, sent and waiting, in two months: a broadcast of twenty, two single mails of each other kind. */
async function fill(): Promise<string> {
  const [{ id } = { id: '' }] = await rows<{ id: string }>(
    `insert into workspaces (slug, name) values ('old', 'Old') returning id`,
  )
  for (const [suffix, from, to] of [
    ['old', '2026-01-01', '2026-02-01'],
    ['new', '2026-02-01', '2026-03-01'],
  ]) {
    await rows(`create table messages_${suffix} partition of messages for values from ('${from}') to ('${to}')`)
    await rows(`create table emails_${suffix} partition of emails for values from ('${from}') to ('${to}')`)
  }
  await rows(
    `insert into contacts (workspace_id, email) select $1, 'p' || n || '@example.com' from generate_series(1, 20) n`,
    [id],
  )
  await rows(
    `insert into messages (workspace_id, created_at, surface, broadcast_id, contact_id, destination)
     select workspace_id, '2026-01-15', 'broadcast', 7, id, email from contacts where workspace_id = $1`,
    [id],
  )
  for (const at of ['2026-01-20', '2026-02-20']) {
    await rows(
      `with made as (
         insert into messages (workspace_id, created_at, surface, destination, state, settled_at)
         select $1, $2, surface, 'x@example.com', 'accepted', $2
         from unnest(array['transactional', 'confirmation', 'test']) surface returning *)
       insert into emails (workspace_id, message_id, created_at, surface)
       select workspace_id, id, created_at, surface from made where surface <> 'confirmation'`,
      [id, at],
    )
  }
  await rows(
    `insert into send_streams (workspace_id, surface, source_id) values ($1, 'broadcast', 7), ($1, 'transactional', null)`,
    [id],
  )
  return id
}

test('what was sent before it knew a purpose has one, each person is in its broadcast, and the totals are as they were', async () => {
  const workspaceId = await fill()
  const before = await rows('select * from message_totals order by kind, shard')
  await migrate({ url: database.url })
  assert.deepEqual(
    await rows(`select purpose, source_kind, source_id, count(*)::int from messages group by 1, 2, 3 order by 4, 2`),
    [
      { purpose: 'system', source_kind: 'confirmation', source_id: null, count: 2 },
      { purpose: 'transactional', source_kind: 'email', source_id: null, count: 2 },
      { purpose: 'system', source_kind: 'test', source_id: null, count: 2 },
      { purpose: 'marketing', source_kind: 'broadcast', source_id: '7', count: 20 },
    ],
  )
  assert.deepEqual(await rows('select source_kind, source_id from send_streams order by 1'), [
    { source_kind: 'broadcast', source_id: '7' },
    { source_kind: 'email', source_id: null },
  ])
  assert.equal((await rows('select from emails')).length, 4)
  assert.deepEqual(await rows('select * from message_totals order by kind, shard'), before)
  await ensureAllPartitions(pool)

  const people = await rows<{ id: string }>('select id from contacts order by id')
  const recipients = people.map(({ id }) => ({ contactId: id, dueAt: null }))
  const inTx = <T>(work: Parameters<typeof inTransaction<T>>[2]) => inTransaction(pool, workspaceId, work)
  await inTx(async (tx) => {
    const source = { kind: 'broadcast', id: '7' } as const
    const stream = await openStream(tx, workspaceId, source)
    await planMessages(tx, { ...stream, source, purpose: 'marketing', createdAt: '2026-01-15T00:00:00Z' }, recipients)
  })
  const now = (await inTx((tx) => totalsOf(tx, workspaceId, ['7']))).get('7')!
  // A recipient that it has already becomes a message of nobody.
  assert.deepEqual(
    [now.recipients, now.states.pending, now.states.skipped],
    [40, 20, 20],
    'planned again, nobody is mailed twice',
  )
})
