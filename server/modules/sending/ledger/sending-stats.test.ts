import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeIntegration } from '../../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { pacingStats } from '../../pacing/pacing-stats.ts'
import { noteHold } from '../holds.ts'
import { openStream } from '../streams.ts'
import { createMessages, SINGLE } from './create-messages.ts'
import { sendingStats } from './sending-stats.ts'

const { pool, workspaceId } = await testWorkspace()
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)

test('what is due shows by its kind of stream and age, what is not due and what has no lane at work does not', async () => {
  assert.deepEqual(await sendingStats(pool), { waiting: [], held: [] })
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await inTx((tx) =>
    createMessages(tx, {
      workspaceId,
      origin: SINGLE.email,
      items: [
        { contactId: null, destination: 'a@example.com' },
        { contactId: null, destination: 'b@example.com', dueAt: later },
      ],
    } as never),
  )
  await inTx((tx) => tx.query(`update message_queue set due_at = now() - interval '1 hour' where due_at < now()`))
  const { waiting } = await sendingStats(pool)
  assert.deepEqual(
    waiting.map(({ sourceKind }) => sourceKind),
    ['email'],
  )
  assert.ok(Math.abs(waiting[0]!.oldestSeconds - 3_600) < 60, String(waiting[0]!.oldestSeconds))
  await inTx((tx) => tx.query(`update send_lanes set state = 'idle', job_id = null`))
  assert.deepEqual((await sendingStats(pool)).waiting, [])
})

test('held streams are counted by why they wait', async () => {
  const stream = await inTx((tx) => openStream(tx, workspaceId, { kind: 'broadcast', id: '7' }))
  await inTx((tx) => noteHold(tx, stream, { reason: 'no_integration' }))
  assert.deepEqual((await sendingStats(pool)).held, [{ reason: 'no_integration', streams: 1 }])
  await inTx((tx) => tx.query(`update send_streams set state = 'paused'`))
  assert.deepEqual((await sendingStats(pool)).held, [])
})

test('slow-downs count for a minute, domains as long as they are backed off from', async () => {
  const integrationId = await storeIntegration(pool, workspaceId, { port: 1 })
  const insert = (text: string) => inTx((tx) => tx.query(text, [workspaceId, integrationId]))
  await insert(
    `insert into send_paces (workspace_id, integration_id, slowed_at, slowdown) values ($1, $2, now(), '{}')`,
  )
  await insert(
    `insert into domain_backoffs (workspace_id, integration_id, domain, until, times) values
      ($1, $2, 'a.example', now() + interval '1 hour', 1), ($1, $2, 'b.example', now() - interval '1 second', 1)`,
  )
  assert.deepEqual(await pacingStats(pool), { slowedIntegrations: 1, backedOffDomains: 1 })
  await insert(
    `update send_paces set slowed_at = now() - interval '61 seconds' where workspace_id = $1 and integration_id = $2`,
  )
  assert.deepEqual(await pacingStats(pool), { slowedIntegrations: 0, backedOffDomains: 1 })
})
