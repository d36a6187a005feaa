import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneBench } from '../../../test/support/lanes.ts'
import { callerOf, createWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { HEALTH_DELIVERIES, readHealth, WAITING_COUNTED_MAX } from './endpoint-health.ts'
import { createEndpoint } from './manage-endpoints.ts'

const bench = await laneBench()
const deps = { ...bench.deps, endpointsMax: 5 }
const page = { page: 1, pageSize: 100 }

test('an endpoint’s health is told by what waits and by its newest deliveries, each endpoint for itself', async () => {
  const workspaceId = await createWorkspace(bench.pool)
  const [busy, idle] = [await made(workspaceId), await made(workspaceId)]
  await deliver(workspaceId, busy, [
    { state: 'discarded', count: 5 },
    { state: 'delivered', count: HEALTH_DELIVERIES - 1 },
    { state: 'discarded', count: 1 },
  ])
  await write(
    workspaceId,
    'update webhook_lanes set failing_since = now() where workspace_id = $1 and endpoint_id = $2',
    [workspaceId, busy],
  )
  const { items, total } = await readHealth(bench.pool, workspaceId, page)
  assert.equal(total, 2)
  const [first, second] = items
  assert.deepEqual([first!.delivered, first!.discarded, first!.pending], [HEALTH_DELIVERIES - 1, 1, 0])
  assert.notEqual(first!.failingSince, null)
  assert.deepEqual([second!.endpointId, second!.delivered, second!.waiting, second!.failingSince], [idle, 0, 0, null])
})

test('what waits is counted to a bound, and more is said to be more', async () => {
  const workspaceId = await createWorkspace(bench.pool)
  const id = await made(workspaceId)
  await write(
    workspaceId,
    `insert into delivery_queue (workspace_id, endpoint_id, delivery_id, delivery_created_at)
      select $1, $2, n, now() from generate_series(1, $3) n`,
    [workspaceId, id, WAITING_COUNTED_MAX],
  )
  const at = async () => (await readHealth(bench.pool, workspaceId, page)).items[0]!
  assert.deepEqual([(await at()).waiting, (await at()).waitingIsMore], [WAITING_COUNTED_MAX, false])
  await write(
    workspaceId,
    `insert into delivery_queue (workspace_id, endpoint_id, delivery_id, delivery_created_at) values ($1, $2, 0, now())`,
    [workspaceId, id],
  )
  assert.deepEqual([(await at()).waiting, (await at()).waitingIsMore], [WAITING_COUNTED_MAX, true])
})

async function made(workspaceId: string): Promise<string> {
  return (await createEndpoint(deps, callerOf(workspaceId), { url: 'https://receiver.example/' })).id
}

/** Deliveries that have ended, oldest first. */
async function deliver(workspaceId: string, endpointId: string, runs: { state: string; count: number }[]) {
  let position = 0
  for (const { state, count } of runs) {
    await write(
      workspaceId,
      `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body, state, finished_at)
        select $1, $2, $3::int + n, 'order.paid', '{}', $4, now() from generate_series(1, $5::int) n`,
      [workspaceId, endpointId, position, state, count],
    )
    position += count
  }
}

const write = (workspaceId: string, text: string, values: unknown[]) =>
  inTransaction(bench.pool, workspaceId, (tx) => tx.query(text, values))
