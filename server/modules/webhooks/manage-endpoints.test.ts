import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneBench } from '../../../test/support/lanes.ts'
import { callerOf, createWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { secretsOf } from './endpoint-secrets.ts'
import { createEndpoint, deleteEndpoint, rotateSecret, updateEndpoint } from './manage-endpoints.ts'
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

test('a secret of the caller’s own making signs, and a name that no event has is refused with the right one', async () => {
  const caller = callerOf(await createWorkspace(bench.pool))
  const body = { url: 'https://receiver.example/' }
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  const read = async (id: string) => {
    const key = { workspaceId: caller.workspaceId, id }
    return (await inTransaction(bench.pool, ALL_WORKSPACES, (tx) => secretsOf(tx, deps.secrets, key)))?.secrets
  }
  const { id } = await createEndpoint(deps, caller, { ...body, secret: secretOf(24) })
  assert.deepEqual(await read(id), [secretOf(24)])
  for (let times = 0; times < 2; times++) {
    await rotateSecret(deps, caller, { id, given: secretOf(64) })
    assert.deepEqual(await read(id), [secretOf(64), secretOf(24)], 'said again, it takes the old one from nobody')
  }
  for (const secret of [secretOf(23), secretOf(65), 'whsec_', `${secretOf(32)} `, Buffer.alloc(32).toString('base64')])
    await assert.rejects(createEndpoint(deps, caller, { ...body, secret }), { statusCode: 400, detail: /^\/secret / })
  const names = (...eventTypes: string[]) => createEndpoint(deps, caller, { ...body, eventTypes })
  await assert.rejects(names('order.paid', 'email.open'), {
    statusCode: 422,
    detail: '/eventTypes/1 is no event of the system; did you mean email.opened?',
  })
  await assert.rejects(names('order.paid', 'Broadcast.finish'), {
    statusCode: 422,
    detail: '/eventTypes/1 is no event that there was; did you mean broadcast.finished?',
  })
  await names('order.paid', 'email.opened', 'webhook.test', 'contract.created')
  await queryInScope(bench.pool, caller.workspaceId, {
    text: "insert into event_actions (workspace_id, name, last_seen_at, event_id) values ($1, 'segment.update', now(), 1)",
    values: [caller.workspaceId],
  })
  const made = await names('segment.update')
  const change = { eventTypes: ['segment.update', 'segment.create'] }
  await assert.rejects(updateEndpoint(deps, caller, { id: made.id, change }), /eventTypes\/1 .*segment\.created/)
})
