import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneBench } from '../../../test/support/lanes.ts'
import { callerOf, createWorkspace } from '../../../test/support/workspace.ts'
import { createEndpoint, deleteEndpoint } from './manage-endpoints.ts'
import { readEndpoints } from './read-endpoints.ts'

const ENDPOINTS_MAX = 5
const bench = await laneBench()
const deps = { ...bench.deps, endpointsMax: ENDPOINTS_MAX }

test('a workspace has at most so many endpoints, however many are made at once; each one deleted makes room', async () => {
  const workspaceId = await createWorkspace(bench.pool)
  const create = () => createEndpoint(deps, callerOf(workspaceId), { url: 'https://receiver.example/' })
  const made = await Promise.allSettled(Array.from({ length: 8 }, create))
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  assert.equal(refused.length, 3)
  for (const { code, statusCode } of refused) assert.deepEqual([code, statusCode], ['limit-reached', 409])
  const { total, items } = await readEndpoints(bench.pool, workspaceId, { page: 1, pageSize: 100 })
  assert.equal(total, ENDPOINTS_MAX)
  await deleteEndpoint(deps, callerOf(workspaceId), { id: items[0]!.id })
  await create()
  await assert.rejects(create(), /5 webhook endpoints/)
  const other = await createWorkspace(bench.pool)
  await createEndpoint(deps, callerOf(other), { url: 'https://receiver.example/' })
})
