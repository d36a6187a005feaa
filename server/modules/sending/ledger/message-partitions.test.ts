import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { dropExpiredPartitions } from '../../../platform/db/expire-partitions.ts'
import { ensurePartitions, partitionAt } from '../../../platform/db/partitions.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { MESSAGE_NEEDS, messagePartitions } from './message-partitions.ts'

const { pool, workspaceId } = await testWorkspace()
const now = new Date()
const TABLES = messagePartitions(400)
/** In the middle of a month, so that there is no other one a day before it. */
const longAgo = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth() - 4, 15))

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
    [table],
  )
  return rows.map(({ name }) => name)
}

async function dropExpired(): Promise<string[]> {
  const dropped: string[] = []
  for (const table of TABLES) dropped.push(...(await dropExpiredPartitions(pool, table, { needs: MESSAGE_NEEDS, now })))
  return dropped
}

async function addMessage(createdAt: Date): Promise<string> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `insert into messages (workspace_id, created_at, purpose, source_kind, source_id, contact_id, destination)
       values ($1, $2, 'marketing', 'broadcast', 1, nextval('message_id'), 'ada@example.com') returning id`,
      [workspaceId, createdAt],
    )
    return rows[0]!.id
  })
}

test('messages of this and the next two months have a place, and a repeat changes nothing', async () => {
  for (const table of TABLES) {
    const before = await partitionsOf(table.table)
    await ensurePartitions(pool, table)
    const there = await partitionsOf(table.table)
    assert.deepEqual(there, before)
    for (const step of [0, 1, 2]) assert.ok(there.includes(partitionAt(table, now, step).name), `${step} months ahead`)
  }
  await addMessage(now)
})

test('old months leave, but not one with a message still to be sent; totals stay', async () => {
  const places = await partitionsOf('messages')
  await ensurePartitions(pool, { table: 'messages', span: 'month', ahead: 0 }, longAgo)
  await ensurePartitions(pool, { table: 'message_attempts', span: 'month', ahead: 0 }, longAgo)
  const id = await addMessage(longAgo)
  const total = () =>
    inTransaction(pool, workspaceId, async (tx) => {
      const { rows } = await tx.query<{ total: number }>(
        `select sum(total)::int as total from message_totals where workspace_id = $1 and kind = 'pending'`,
        [workspaceId],
      )
      return rows[0]!.total
    })
  const before = await total()
  await inTransaction(pool, workspaceId, (tx) =>
    tx.query(
      `with stream as (
         insert into send_streams (workspace_id, source_kind, source_id) values ($1, 'broadcast', 1) returning id
       ) insert into message_queue (workspace_id, stream_id, message_id, message_created_at, expires_at)
       select $1, id, $2, $3, now() + interval '1 day' from stream`,
      [workspaceId, id, longAgo],
    ),
  )
  assert.deepEqual(await dropExpired(), [])

  await inTransaction(pool, workspaceId, (tx) =>
    tx.query('delete from message_queue where workspace_id = $1', [workspaceId]),
  )
  const dropped = await dropExpired()
  assert.deepEqual(
    dropped.map((name) => name.replace(/_p\d+$/, '')),
    ['messages', 'message_attempts'],
  )
  assert.equal(await total(), before)
  assert.deepEqual(await partitionsOf('messages'), places)
})
