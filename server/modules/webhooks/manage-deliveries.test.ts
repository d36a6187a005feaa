import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../../test/support/background-service.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import {
  attemptsLogged,
  auditedActions,
  deliveryIdOf,
  deliveryOf,
  drained,
  type EndpointStory,
  endpointIn,
  travelToRetries,
  verified,
} from '../../../test/support/webhook-stories.ts'
import { callerOf, createWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { listDeliveries, recoverDeliveries, resendDelivery, testEndpoint } from './manage-deliveries.ts'
import { deleteEndpoint, rotateSecret, updateEndpoint } from './manage-endpoints.ts'
import { ATTEMPTS_MAX } from './retry-schedule.ts'

const DEADLINE_MS = 60_000
const LONG_AGO = '2020-01-01T00:00:00Z'

let database: TestDatabase
let service: Service
let receiver: Receiver

before(async () => {
  database = await createTestDatabase()
  service = await startService(database)
})

after(async () => {
  await service?.stop()
  await database?.drop()
})

test.beforeEach(async () => {
  receiver = await startReceiver()
})
test.afterEach(() => receiver.close())

const arrived = (count: number) => receiver.waitFor((requests) => requests.length >= count, DEADLINE_MS)
const views = (count: number) => Array.from({ length: count }, (_, n) => ({ action: 'page.view', subjectId: `u${n}` }))
const webhookIds = () => receiver.requests.map((request) => String(request.headers['webhook-id']))
const switchTo = (story: EndpointStory, enabled: boolean) =>
  updateEndpoint(service.endpoints, callerOf(story.workspaceId), { id: story.endpointId, change: { enabled } })
const recover = ({ workspaceId, endpointId }: EndpointStory, since = LONG_AGO) =>
  recoverDeliveries(service.endpoints, callerOf(workspaceId), { endpointId, since })

test('a delivery is sent again under its old webhook-id, the same bytes, counting its attempts from one', async () => {
  const story = await endpointIn(service, { url: receiver.url })
  await service.record(story.workspaceId, views(1))
  await arrived(1)
  const id = deliveryIdOf(receiver.requests[0]!)
  await attemptsLogged(service, story, { id, attempts: 1 })
  receiver.behave({ kind: 'answer', status: 500 })
  const key = { endpointId: story.endpointId, id }
  const resent = await resendDelivery(service.endpoints, callerOf(story.workspaceId), key)
  assert.equal(resent.state, 'pending')
  await arrived(2)
  await attemptsLogged(service, story, { id, attempts: 2 })
  receiver.behave({ kind: 'answer' })
  await resendDelivery(service.endpoints, callerOf(story.workspaceId), key)
  await arrived(3)
  const { state, attemptLog } = await attemptsLogged(service, story, { id, attempts: 3 })
  assert.equal(state, 'delivered')
  assert.deepEqual(
    attemptLog.map(({ attempt, outcome }) => [attempt, outcome]),
    [
      [1, 'delivered'],
      [1, 'failed'],
      [1, 'delivered'],
    ],
  )
  assert.equal(new Set(webhookIds()).size, 1)
  for (const { body } of receiver.requests) assert.ok(body.equals(receiver.requests[0]!.body))
  const audited = await auditedActions(service, story.workspaceId, { type: 'webhook_delivery', id })
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['webhook_delivery.resend', 'webhook_delivery.resend'],
  )
})

test('a delivery whose endpoint was deleted is not sent again', async () => {
  const story = await endpointIn(service, { url: receiver.url })
  await service.record(story.workspaceId, views(1))
  await arrived(1)
  const id = deliveryIdOf(receiver.requests[0]!)
  await attemptsLogged(service, story, { id, attempts: 1 })
  const caller = callerOf(story.workspaceId)
  await deleteEndpoint(service.endpoints, caller, { id: story.endpointId })
  const resent = resendDelivery(service.endpoints, caller, { endpointId: story.endpointId, id })
  await assert.rejects(resent, { code: 'not-found' })
})

test('a test ping reaches this endpoint only, whatever its filter, and is in its log', async () => {
  const story = await endpointIn(service, { url: `${receiver.url}/pinged`, eventTypes: ['order.placed'] })
  await endpointIn(service, { url: `${receiver.url}/other`, workspaceId: story.workspaceId })
  const ping = await testEndpoint(service.endpoints, callerOf(story.workspaceId), story.endpointId)
  await arrived(1)
  const { state } = await attemptsLogged(service, story, { id: ping.id, attempts: 1 })
  assert.equal(state, 'delivered')
  await drained(service, story.workspaceId)
  const [request, ...others] = receiver.requests
  assert.equal(others.length, 0)
  assert.equal(request!.path, '/pinged')
  assert.equal(request!.headers['x-service-event'], 'webhook.test')
  const body = verified(request!, story.secret)
  assert.equal(body.type, 'webhook.test')
  assert.equal(String(body.workspaceId), story.workspaceId)
})

test('recovery delivers again what was discarded and for the first time what was missed, each once', async () => {
  receiver.behave({ kind: 'answer', status: 500 })
  const story = await endpointIn(service, { url: receiver.url, eventTypes: ['page.view'] })
  const { workspaceId } = story
  await service.record(workspaceId, views(1))
  await arrived(1)
  const discarded = deliveryIdOf(receiver.requests[0]!)
  for (let attempts = 1; attempts <= ATTEMPTS_MAX; attempts++) {
    await attemptsLogged(service, story, { id: discarded, attempts })
    await travelToRetries(service, story)
  }
  receiver.behave({ kind: 'answer' })
  await service.record(workspaceId, views(1))
  await arrived(ATTEMPTS_MAX + 1)
  receiver.behave({ kind: 'answer', status: 410 })
  await service.record(workspaceId, views(1))
  await eventually('it is switched off', async () => (await off(story)) === 'gone')
  const sentBefore = receiver.requests.length
  await service.record(workspaceId, [...views(40), { action: 'not.wanted', subjectId: 'u1' }])
  await drained(service, workspaceId)
  receiver.behave({ kind: 'answer' })
  assert.equal(receiver.requests.length, sentBefore)

  await switchTo(story, true)
  await travelToRetries(service, story)
  await arrived(sentBefore + 1)
  await Promise.all([recover(story), recover(story), recover(story, new Date(Date.now() - 3_600_000).toISOString())])
  await eventually('every event was delivered', async () => (await undelivered(story)) === 0)
  await noRecoveryLeft()
  await drained(service, workspaceId)
  const recovered = receiver.requests.slice(sentBefore + 1)
  assert.equal(recovered.length, 41)
  assert.equal(recovered.filter((request) => deliveryIdOf(request) === discarded).length, 1)
  for (const request of recovered) verified(request, story.secret)
  const eventIds = recovered.map(({ body }) => JSON.parse(body.toString()).id)
  assert.equal(new Set(eventIds).size, 41)

  await recover(story)
  await noRecoveryLeft()
  await drained(service, workspaceId)
  assert.equal(receiver.requests.length, sentBefore + 1 + 41)
})

test('what recovery makes says what dispatching would have said', async (t) => {
  const story = await endpointIn(service, { url: receiver.url })
  const { workspaceId } = story
  await service.record(workspaceId, [
    { action: 'Käse "1"', subjectId: 'ü', email: 'a@b.de', properties: { b: 1, a: [1.5, '\u2028', null] } },
    { action: 'page.view', phone: '+4930123', occurredAt: '2026-01-02T03:04:05.000006Z' },
  ])
  await arrived(2)
  await drained(service, workspaceId)
  const late = await startReceiver()
  t.after(() => late.close())
  const second = await endpointIn(service, { url: late.url, workspaceId })
  await recover(second)
  await late.waitFor((requests) => requests.length >= 2, DEADLINE_MS)
  const bodies = (from: Receiver) =>
    from.requests.map(({ body }) => JSON.parse(body.toString())).sort((a, b) => a.id - b.id)
  assert.deepEqual(bodies(late), bodies(receiver))
})

test('the delivery log is paged newest first, filtered by state and type, without gap or repeat', async () => {
  receiver.behave((request) => ({ kind: 'answer', status: request.headers['x-service-event'] === 'bad' ? 500 : 204 }))
  const story = await endpointIn(service, { url: receiver.url })
  const { workspaceId, endpointId } = story
  await service.record(workspaceId, [
    ...views(10),
    ...views(7).map((event) => ({ ...event, action: 'bad' })),
    ...views(6),
  ])
  await drained(service, workspaceId)
  const read = async (limit: number, filter: { state?: string; eventType?: string } = {}) => {
    const pages = []
    let cursor: string | undefined
    do {
      const search = { workspaceId, endpointId, limit, cursor, ...filter }
      const { items, nextCursor } = await listDeliveries({ sql: service.pools.sql }, search)
      assert.ok(items.length <= limit)
      pages.push(items)
      cursor = nextCursor
    } while (cursor !== undefined)
    return pages.flat()
  }
  for (const limit of [1, 4, 23, 100]) {
    const all = await read(limit)
    assert.equal(all.length, 23)
    const events = all.map(({ eventId }) => BigInt(eventId))
    assert.deepEqual(
      events,
      events.toSorted((a, b) => (a < b ? 1 : -1)),
    )
    assert.equal(new Set(all.map(({ webhookId }) => webhookId)).size, 23)
  }
  assert.deepEqual(new Set((await read(3, { state: 'pending' })).map(({ eventType }) => eventType)), new Set(['bad']))
  assert.equal((await read(3, { state: 'pending' })).length, 7)
  assert.equal((await read(3, { state: 'delivered' })).length, 16)
  assert.equal((await read(5, { eventType: 'page.view' })).length, 16)
  assert.equal((await read(5, { eventType: 'bad', state: 'delivered' })).length, 0)

  const search = { workspaceId, endpointId, limit: 1 }
  const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected
  const stranger = await createWorkspace(service.pools.sql)
  await assert.rejects(
    listDeliveries({ sql: service.pools.sql }, { ...search, cursor: 'nonsense' }),
    code('bad-cursor'),
  )
  await assert.rejects(listDeliveries({ sql: service.pools.sql }, { ...search, endpointId: '1' }), code('not-found'))
  await assert.rejects(
    listDeliveries({ sql: service.pools.sql }, { ...search, workspaceId: stranger }),
    code('not-found'),
  )
})

test('a rare delivery is found among any number of others, over pages that each look at a bounded part of them', async () => {
  const { workspaceId, endpointId } = await endpointIn(service, { url: receiver.url })
  await queryInScope(service.pools.sql, workspaceId, {
    text: `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, state, body)
      select $1, $2, n, 'page.view', case n when 1 then 'discarded' else 'delivered' end, '{}' from generate_series(1, 20100) n`,
    values: [workspaceId, endpointId],
  })
  const search = { workspaceId, endpointId, limit: 10 }
  const read = (more: object) => listDeliveries({ sql: service.pools.sql }, { ...search, ...more })
  const [first, rare] = [await read({}), await read({ state: 'discarded' })]
  assert.deepEqual(
    first.items.map(({ eventId }) => Number(eventId)),
    Array.from({ length: 10 }, (_, n) => 20_100 - n),
  )
  assert.deepEqual(rare.items, [], 'the newest 20,000 were looked at')
  const { items, nextCursor } = await read({ state: 'discarded', cursor: rare.nextCursor })
  assert.deepEqual([items.map(({ eventId }) => eventId), nextCursor], [['1'], undefined])
})

test("nobody reads, sends, tests, recovers or changes another workspace's endpoint", async () => {
  const story = await endpointIn(service, { url: receiver.url })
  await service.record(story.workspaceId, views(1))
  await arrived(1)
  const id = deliveryIdOf(receiver.requests[0]!)
  await attemptsLogged(service, story, { id, attempts: 1 })
  const stranger = callerOf(await createWorkspace(service.pools.sql))
  const { endpoints } = service
  const { endpointId } = story
  for (const attempt of [
    () => deliveryOf(service, { ...story, workspaceId: stranger.workspaceId }, id),
    () => resendDelivery(endpoints, stranger, { endpointId, id }),
    () => testEndpoint(endpoints, stranger, endpointId),
    () => recoverDeliveries(endpoints, stranger, { endpointId, since: LONG_AGO }),
    () => updateEndpoint(endpoints, stranger, { id: endpointId, change: { enabled: false } }),
    () => rotateSecret(endpoints, stranger, { id: endpointId }),
  ]) {
    await assert.rejects(attempt, { code: 'not-found' })
  }
  await drained(service, story.workspaceId)
  assert.equal(receiver.requests.length, 1)
})

test('a recovery of a time to come is refused', async () => {
  const story = await endpointIn(service, { url: receiver.url })
  await assert.rejects(recover(story, new Date(Date.now() + 60_000).toISOString()), { code: 'unprocessable' })
})

async function off({ workspaceId, endpointId }: EndpointStory): Promise<string | null> {
  const [row] = await queryInScope<{ reason: string | null }>(service.pools.sql, workspaceId, {
    text: 'select disabled_reason as reason from webhook_endpoints where id = $1',
    values: [endpointId],
  })
  return row!.reason
}

/** Stored events that the endpoint wants and has no delivered delivery of. */
async function undelivered({ workspaceId, endpointId }: EndpointStory): Promise<number> {
  const [row] = await queryInScope<{ count: string }>(service.pools.sql, workspaceId, {
    text: `select count(*) from events v join webhook_endpoints e on e.workspace_id = v.workspace_id and e.id = $2
        and (e.event_types = '{}' or v.name = any (e.event_types))
      where v.workspace_id = $1 and not exists (select from deliveries d
        where d.workspace_id = $1 and d.endpoint_id = $2 and d.event_id = v.id and d.state = 'delivered')`,
    values: [workspaceId, endpointId],
  })
  return Number(row!.count)
}

function noRecoveryLeft(): Promise<void> {
  return eventually('no recovery waits or runs', async () => {
    const { rowCount } = await service.pools.sql.query(
      `select from jobs.job_common where data ->> 'kind' = 'recover_webhook'`,
    )
    return rowCount === 0
  })
}
