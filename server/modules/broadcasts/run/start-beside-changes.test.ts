import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broadcastDeps } from '../../../../test/support/broadcast-deps.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { createBroadcast, updateBroadcast } from '../manage-broadcasts.ts'
import { readBroadcast } from '../read-broadcasts.ts'
import { type AdvanceDeps, advanceBroadcast } from './advance-broadcast.ts'
import { scheduleBroadcast, unscheduleBroadcast } from './start-broadcast.ts'

/* A broadcast whose time has come is judged, and somebody mends it and schedules it for another day while that goes on. */

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)
const deps = broadcastDeps(pool)
const LATER = '2036-12-01T08:00:00Z'

/** One whose time has come. */
async function due(): Promise<string> {
  const { id } = await createBroadcast(deps, caller, { name: 'News', subject: '{{ broken', body: '<p>Hello</p>' })
  await scheduleBroadcast(deps, caller, { id, body: { scheduledAt: LATER } })
  await queryInScope(pool, workspaceId, {
    text: `update broadcasts set scheduled_at = now() - interval '1 second' where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  })
  return id
}

async function mend(id: string): Promise<void> {
  await unscheduleBroadcast(deps, caller, id)
  await updateBroadcast(deps, caller, { id, change: { subject: 'Mended' } })
  await scheduleBroadcast(deps, caller, { id, body: { scheduledAt: LATER } })
}

async function standing(id: string) {
  const { status, subject, failure } = await readBroadcast(pool, { workspaceId, id })
  return { status, subject, failure }
}
const AS_MENDED = { status: 'scheduled', subject: 'Mended', failure: null }

test('one that is mended while its fault is found is scheduled as was said, and does not fail', async () => {
  const id = await due()
  let looks = 0
  const contentFault: AdvanceDeps['contentFault'] = async () => {
    if (++looks > 1) return null
    await mend(id)
    return 'subject is not a template'
  }
  await advanceBroadcast({ ...deps, contentFault }, { workspaceId, id })
  assert.deepEqual(await standing(id), AS_MENDED)
})

test('one that is changed while it is found to be well is looked at again before it starts', async () => {
  const id = await due()
  let looks = 0
  const contentFault: AdvanceDeps['contentFault'] = async () => {
    if (++looks === 1) {
      await mend(id)
      await queryInScope(pool, workspaceId, {
        text: 'update broadcasts set scheduled_at = now() where workspace_id = $1 and id = $2',
        values: [workspaceId, id],
      })
    }
    return null
  }
  await advanceBroadcast({ ...deps, contentFault }, { workspaceId, id })
  assert.deepEqual([looks, (await standing(id)).status], [2, 'sent'])
})
