import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { unprocessable } from '../../catalogue/problems.ts'
import { QUEUES } from '../../catalogue/queues.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createBroadcast } from '../broadcasts/manage-broadcasts.ts'
import { readBroadcast } from '../broadcasts/read-broadcasts.ts'
import { scheduleBroadcast, unscheduleBroadcast } from '../broadcasts/run/start-broadcast.ts'
import { insertApproval } from './approval-queries.ts'
import { judgeAtStart } from './judge-at-start.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)

const requireReady = async (key: { workspaceId: string; id: string }) => readBroadcast(pool, key)
const scheduledAt = '2036-12-01T08:00:00Z'

/** A broadcast that is scheduled by an approval. */
async function approved() {
  const { id } = await createBroadcast({ sql: pool }, caller, { name: 'News', subject: 'Hello', body: '<p>Hello</p>' })
  const key = { workspaceId, id }
  const approval = await inTransaction(pool, workspaceId, (tx) =>
    insertApproval(tx, workspaceId, {
      ...{ scheduledAt, contentHash: Buffer.alloc(32), recipientsCount: 20, note: '' },
      target: { act: 'broadcast', broadcastId: id, automationId: null, templateId: null, contactId: null },
      plan: {} as never,
      askedBy: { tokenId: null } as never,
    }),
  )
  await scheduleBroadcast({ sql: pool, requireReady }, caller, { id, body: { scheduledAt }, approvalId: approval.id })
  return key
}

test('one that a person schedules anew while it is judged stays as they have said', async () => {
  const key = await approved()
  const { updatedAt: seen } = await readBroadcast(pool, key)
  const later = '2036-12-02T08:00:00Z'
  const planOf = async () => {
    await unscheduleBroadcast({ sql: pool }, caller, key.id)
    await scheduleBroadcast({ sql: pool, requireReady }, caller, { id: key.id, body: { scheduledAt: later } })
    return { plan: {} as never, contentHash: Buffer.alloc(32, 1), recipientsCount: 20 }
  }
  assert.equal(await judgeAtStart({ pool, planOf }, key, { attempt: 1, seen }), false)
  const { status, scheduledAt: at } = await readBroadcast(pool, key)
  assert.deepEqual([status, at && Date.parse(at)], ['scheduled', Date.parse(later)])
})

test('an approved broadcast whose audience is never counted in time fails after so many attempts, and says so', async () => {
  const key = await approved()
  const planOf = () =>
    Promise.reject(
      unprocessable([{ pointer: '/broadcastId', detail: 'has an audience that could not be counted in time' }]),
    )
  const { updatedAt: seen } = await readBroadcast(pool, key)
  const judge = (attempt: number) => judgeAtStart({ pool, planOf, countsMax: 2 }, key, { attempt, seen })
  await assert.rejects(judge(1), { code: 'unprocessable' })
  assert.equal((await readBroadcast(pool, key)).status, 'scheduled')
  assert.equal(await judge(2), false)
  const { status, failure } = await readBroadcast(pool, key)
  assert.equal(status, 'failed')
  assert.match(String(failure), /could not be counted in time/)
})
