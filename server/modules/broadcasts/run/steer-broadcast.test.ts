import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broadcastDeps } from '../../../../test/support/broadcast-deps.ts'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { createBroadcast } from '../manage-broadcasts.ts'
import { advanceBroadcast } from './advance-broadcast.ts'
import { finishWhenDone } from './end-broadcast.ts'
import { sendBroadcast } from './start-broadcast.ts'
import { cancelBroadcast, pauseBroadcast, retryFailedMessages } from './steer-broadcast.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)
const deps = broadcastDeps(pool)
await createContact(deps, caller, { email: 'reader@reader.example' })

const draft = async () => (await createBroadcast(deps, caller, { name: 'News', subject: 'a', body: 'b' })).id
const sent = async () => (await sendBroadcast(deps, caller, { id: await draft() })).id
const streamOf = async (id: string) => {
  const text = `select s.state from send_streams s join broadcasts b on b.stream_id = s.id where b.id = $1`
  return (await queryInScope<{ state: string }>(pool, workspaceId, { text, values: [id] }))[0]?.state
}

/** Has somebody act on a broadcast while a transaction that the act does not see yet has moved it on. */
async function amid<T>(moves: (tx: Transaction) => Promise<unknown>, act: () => Promise<T>): Promise<T> {
  const moving = await openTransaction(pool, moves, workspaceId)
  const acted = act()
  acted.catch(() => {})
  await somebodyWaits(pool)
  await moving.commit()
  return acted
}

test('failed messages are sent again also where the broadcast ends at the same moment', async () => {
  const id = await sent()
  await advanceBroadcast(deps, { workspaceId, id })
  await pauseBroadcast(deps, caller, id)
  const ends = async (tx: Transaction) => {
    await tx.query('delete from message_queue')
    const values = [workspaceId, id]
    await tx.query({
      text: `update messages set state = 'failed', reason = 'policy_refused', settled_at = now()
        where workspace_id = $1 and source_kind = 'broadcast' and source_id = $2`,
      values,
    })
    assert.equal(await finishWhenDone(tx, { workspaceId, id }), true)
  }
  const { status } = await amid(ends, () => retryFailedMessages(deps, caller, id))
  assert.deepEqual([status, await streamOf(id)], ['sending', 'open'])
})

test('a broadcast that starts at the same moment is canceled with its stream', async () => {
  const id = await draft()
  const schedule = `update broadcasts set status = 'scheduled', scheduled_at = now() where workspace_id = $1 and id = $2`
  await queryInScope(pool, workspaceId, { text: schedule, values: [workspaceId, id] })
  const other = await sent()
  const starts = (tx: Transaction) =>
    tx.query({
      text: `update broadcasts b set status = 'sending', started_at = now(), stream_id = o.stream_id
        from broadcasts o where b.workspace_id = $1 and b.id = $2 and o.workspace_id = $1 and o.id = $3`,
      values: [workspaceId, id, other],
    })
  const { status } = await amid(starts, () => cancelBroadcast(deps, caller, id))
  assert.deepEqual([status, await streamOf(id)], ['canceled', 'canceled'])
})
