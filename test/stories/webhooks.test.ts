import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createContact } from '../../server/modules/contacts/create-contact.ts'
import { judgeEndpoints } from '../../server/modules/webhooks/judge-endpoints.ts'
import type { Lane } from '../../server/modules/webhooks/lanes.ts'
import { listDeliveries } from '../../server/modules/webhooks/manage-deliveries.ts'
import {
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../../server/modules/webhooks/manage-endpoints.ts'
import { readEndpoint } from '../../server/modules/webhooks/read-endpoints.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { type Service, startService } from '../support/background-service.ts'
import { type DnsAuthority, startDnsAuthority } from '../support/dns-authority.ts'
import { eventually } from '../support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import {
  attemptsLogged,
  auditedActions,
  deliveryIdOf,
  deliveryOf,
  drained,
  endpointIn,
  signingSecrets,
  travelToRetries,
  verified,
} from '../support/webhook-stories.ts'
import { callerOf, createWorkspace } from '../support/workspace.ts'

const DEADLINE_MS = 60_000
/** Beyond 2^53 a double has no odd numbers: a digit lost anywhere shows. */
const FIRST_ID = 2n ** 53n + 1n
const SEQUENCES = ['workspaces_id_seq', 'contacts_id_seq', 'webhook_endpoints_id_seq', 'outbox_position', 'delivery_id']

let database: TestDatabase
let service: Service
let authority: DnsAuthority
const receivers: Receiver[] = []

before(async () => {
  database = await createTestDatabase()
  authority = await startDnsAuthority()
  service = await startService(database, { env: { DNS_SERVERS: authority.server } })
  for (const sequence of SEQUENCES) await service.pools.sql.query('select setval($1, $2, false)', [sequence, FIRST_ID])
})

after(async () => {
  await service?.stop()
  await Promise.all(receivers.map((receiver) => receiver.close()))
  await authority?.close()
  await database?.drop()
})

async function receiverThat(...[options]: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(options)
  receivers.push(receiver)
  return receiver
}

const arrived = (receiver: Receiver, count: number) =>
  receiver.waitFor((requests) => requests.length >= count, DEADLINE_MS)

/** Gives one of them an id that no double can hold. */
async function untilOdd<T extends { id: string }>(make: () => Promise<T>): Promise<T> {
  const made = await make()
  return BigInt(made.id) % 2n === 1n ? made : make()
}

test('an event arrives signed, with exactly the specified headers and body, no digit lost', async () => {
  const receiver = await receiverThat()
  const { id: workspaceId } = await untilOdd(async () => ({ id: await createWorkspace(service.pools.sql) }))
  const { secret } = await endpointIn(service, { url: `${receiver.url}/hooks?from=postroom`, workspaceId })
  const deps = { sql: service.pools.sql }
  let n = 0
  const contact = await untilOdd(() => createContact(deps, callerOf(workspaceId), { subjectId: `u${++n}` }))
  await service.record(workspaceId, [
    {
      action: 'Order placed',
      subjectId: contact.subjectId,
      email: 'Ada@Example.com',
      properties: { total: 12.5, nested: { 'ключ "': ['\u0007', null] } },
      occurredAt: '2026-11-21T10:00:00.5+02:00',
    },
  ])
  await arrived(receiver, n + 1)
  const request = receiver.requests.find(({ headers }) => headers['x-service-event'] === 'Order%20placed')
  assert.ok(request)
  const { id } = verified(request, secret)
  assert.equal(
    request.body.toString(),
    `{"id":"${id}","type":"Order placed","occurredAt":"2026-11-21T08:00:00.500000Z","workspaceId":${workspaceId},` +
      `"subject":"${contact.subjectId}","contactId":${contact.id},"data":{"workspaceId":${workspaceId},` +
      `"contactId":${contact.id},"subjectId":"${contact.subjectId}","action":"Order placed",` +
      '"email":"ada@example.com","properties":{"total":12.5,"nested":{"ключ \\"":["\\u0007",null]}},' +
      '"occurredAt":"2026-11-21T08:00:00.500000Z"}}',
  )
  assert.ok(BigInt(id as string) >= FIRST_ID)
  assert.equal(request.method, 'POST')
  assert.equal(request.path, '/hooks?from=postroom')
  const { 'webhook-timestamp': timestamp, 'webhook-id': webhookId } = request.headers
  assert.match(String(webhookId), /^dlv_[0-9]+$/)
  assert.match(String(timestamp), /^[0-9]+$/)
  assert.ok(Math.abs(Number(timestamp) * 1_000 - request.receivedAtMs) < 60_000)
  assert.match(String(request.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/)
  assert.equal(request.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(request.headers['content-length'], String(request.body.length))

  const created = receiver.requests.find(({ headers }) => headers['x-service-event'] === 'contact.created')
  assert.ok(created)
  const first = BigInt(contact.id) - BigInt(n - 1)
  assert.match(
    created.body.toString(),
    new RegExp(
      `^{"id":"[0-9]+","type":"contact\\.created",.+"workspaceId":${workspaceId},"subject":"u1","contactId":${first},"data":{.*"contactId":${first}`,
    ),
  )
})

test('an event of nobody known has no contactId and takes its subject from what was given', async () => {
  const receiver = await receiverThat()
  const { workspaceId, secret } = await endpointIn(service, { url: receiver.url })
  await service.record(workspaceId, [{ action: 'page.view', email: 'visitor@example.com' }])
  await arrived(receiver, 1)
  const body = verified(receiver.requests[0]!, secret)
  assert.deepEqual(Object.keys(body), ['id', 'type', 'occurredAt', 'workspaceId', 'subject', 'data'])
  assert.equal(body.subject, 'visitor@example.com')
  assert.deepEqual(Object.keys(body.data as object), ['workspaceId', 'action', 'email', 'properties', 'occurredAt'])
})

test('each endpoint gets what its filter names, every delivery under a webhook-id of its own', async () => {
  const [all, some] = [await receiverThat(), await receiverThat()]
  const { workspaceId } = await endpointIn(service, { url: all.url })
  await endpointIn(service, { url: some.url, workspaceId, eventTypes: ['sign.up', 'Käse'] })
  const stranger = await receiverThat()
  await endpointIn(service, { url: stranger.url })
  const actions = ['page.view', 'sign.up', 'Käse', 'sign.up.late']
  await service.record(
    workspaceId,
    actions.map((action) => ({ action, subjectId: 'u1' })),
  )
  await Promise.all([arrived(all, 4), arrived(some, 2)])
  await drained(service, workspaceId)
  assert.deepEqual(typesIn(all), [...actions].sort())
  assert.deepEqual(typesIn(some), ['Käse', 'sign.up'].sort())
  assert.equal(stranger.requests.length, 0)
  const webhookIds = [...all.requests, ...some.requests].map((request) => request.headers['webhook-id'])
  assert.equal(new Set(webhookIds).size, 6)
  const eventIdOf = (receiver: Receiver) =>
    receiver.requests.map(({ body }) => JSON.parse(body.toString())).find(({ type }) => type === 'sign.up').id
  assert.equal(eventIdOf(all), eventIdOf(some))
})

function typesIn(receiver: Receiver): string[] {
  return receiver.requests.map(({ body }) => JSON.parse(body.toString()).type).sort()
}

test('a failed delivery comes again, the same bytes under the same id, signed anew', async () => {
  const receiver = await receiverThat({
    behave: (_, index) => (index < 2 ? { kind: 'answer', status: 500, body: 'oh\0no' } : { kind: 'answer' }),
  })
  const story = await endpointIn(service, { url: receiver.url })
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1', properties: { ü: 1 } }])
  await arrived(receiver, 1)
  const id = deliveryIdOf(receiver.requests[0]!)
  const waiting = await attemptsLogged(service, story, { id, attempts: 1 })
  assert.equal(waiting.state, 'pending')
  assert.equal(waiting.lastStatus, 500)
  const [attempt] = waiting.attemptLog
  assert.equal(attempt?.response, 'oh\ufffdno')
  assert.equal(attempt?.error, 'status_not_2xx')
  const waitMs = Date.parse(waiting.nextAttemptAt!) - Date.parse(attempt!.startedAt)
  const leftMs = Date.parse(waiting.nextAttemptAt!) - Date.now()
  assert.ok(waitMs >= 5_000 && leftMs <= 6_000, `${waitMs} ms, of which ${leftMs} are left`)

  const second = () => Math.floor(Date.now() / 1_000)
  const sentAt = second()
  await eventually('another second has begun', () => second() > sentAt)
  await travelToRetries(service, story)
  await arrived(receiver, 2)
  await attemptsLogged(service, story, { id, attempts: 2 })
  await travelToRetries(service, story)
  await arrived(receiver, 3)
  const delivered = await attemptsLogged(service, story, { id, attempts: 3 })

  assert.equal(delivered.state, 'delivered')
  assert.deepEqual(
    delivered.attemptLog.map(({ attempt, outcome, status }) => [attempt, outcome, status]),
    [
      [1, 'failed', 500],
      [2, 'failed', 500],
      [3, 'delivered', 200],
    ],
  )
  const [first, ...others] = receiver.requests
  for (const request of others) {
    assert.ok(request.body.equals(first!.body))
    assert.equal(request.headers['webhook-id'], first!.headers['webhook-id'])
    assert.ok(Number(request.headers['webhook-timestamp']) > Number(first!.headers['webhook-timestamp']))
    assert.notEqual(request.headers['webhook-signature'], first!.headers['webhook-signature'])
    verified(request, story.secret)
  }
  assert.equal(delivered.body, first!.body.toString())
})

test('after ten attempts a delivery is discarded; a redirect is a failure and is not followed', async () => {
  const receiver = await receiverThat()
  receiver.behave({ kind: 'redirect', location: `${receiver.url}/elsewhere` })
  const story = await endpointIn(service, { url: `${receiver.url}/hook` })
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(receiver, 1)
  const id = deliveryIdOf(receiver.requests[0]!)
  for (let attempts = 1; attempts <= 10; attempts++) {
    await arrived(receiver, attempts)
    const { state } = await attemptsLogged(service, story, { id, attempts })
    assert.equal(state, attempts < 10 ? 'pending' : 'discarded')
    await travelToRetries(service, story)
  }
  await drained(service, story.workspaceId)
  const { attemptLog, nextAttemptAt, finishedAt } = await deliveryOf(service, story, id)
  assert.deepEqual(
    attemptLog.map(({ attempt }) => attempt),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
  for (const { outcome, status, error } of attemptLog) {
    assert.deepEqual([outcome, status, error], ['failed', 302, 'redirect_not_followed'])
  }
  assert.equal(nextAttemptAt, null)
  assert.ok(finishedAt)
  assert.equal(receiver.requests.length, 10)
  assert.ok(receiver.requests.every(({ path }) => path === '/hook'))
})

test('Retry-After moves the next attempt within once to twice the planned wait', async () => {
  const receiver = await receiverThat({ behave: { kind: 'answer', status: 503, headers: { 'retry-after': '8' } } })
  const story = await endpointIn(service, { url: receiver.url })
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(receiver, 1)
  const id = deliveryIdOf(receiver.requests[0]!)
  const first = await attemptsLogged(service, story, { id, attempts: 1 })
  assert.ok(waitOf(first) >= 8_000 && waitOf(first) < 9_000, `${waitOf(first)} ms`)
  receiver.behave({ kind: 'answer', status: 429, headers: { 'retry-after': '86400' } })
  await travelToRetries(service, story)
  const second = await attemptsLogged(service, story, { id, attempts: 2 })
  assert.ok(waitOf(second) >= 600_000 && waitOf(second) < 601_000, `${waitOf(second)} ms`)
})

function waitOf(delivery: Awaited<ReturnType<typeof deliveryOf>>): number {
  const { startedAt, durationMs } = delivery.attemptLog.at(-1)!
  return Date.parse(delivery.nextAttemptAt!) - Date.parse(startedAt) - (durationMs ?? 0)
}

test('410 switches the endpoint off at once, on record; what is queued waits and new events are not collected', async () => {
  const receiver = await receiverThat({ behave: { kind: 'answer', status: 410 } })
  const story = await endpointIn(service, { url: `${receiver.url}/?key=private` })
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(receiver, 1)
  const id = deliveryIdOf(receiver.requests[0]!)
  await eventually('the endpoint is off', async () => !(await endpointOf(story)).enabled)
  assert.equal((await endpointOf(story)).disabledReason, 'gone')
  const audited = await auditedActions(service, story.workspaceId, endpointTarget(story))
  assert.deepEqual(
    audited.map(({ action, actor }) => [action, actor]),
    [
      ['webhook_endpoint.create', 'api_token'],
      ['webhook_endpoint.disable', 'system'],
    ],
  )
  assert.ok(!JSON.stringify(audited).includes('private'), 'the audit log shows the query string of the URL')

  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u2' }])
  await drained(service, story.workspaceId)
  await travelToRetries(service, story)
  assert.equal((await deliveryOf(service, story, id)).state, 'pending')
  receiver.behave({ kind: 'answer' })
  await switchEndpoint(story, true)
  await travelToRetries(service, story)
  await arrived(receiver, 2)
  await drained(service, story.workspaceId)
  assert.deepEqual(receiver.requests.map(deliveryIdOf), [id, id])
})

const endpointTarget = ({ endpointId: id }: Lane) => ({ type: 'webhook_endpoint', id })

async function endpointOf(lane: Lane) {
  return readEndpoint(service.pools.sql, lane.workspaceId, lane.endpointId)
}

function switchEndpoint(lane: Lane, enabled: boolean) {
  return updateEndpoint(service.endpoints, callerOf(lane.workspaceId), { id: lane.endpointId, change: { enabled } })
}

test('five days of nothing but failures switch an endpoint off, after warnings; one success starts anew', async () => {
  const receiver = await receiverThat({ behave: { kind: 'answer', status: 500 } })
  const story = await endpointIn(service, { url: receiver.url })
  const { workspaceId } = story
  await service.record(workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(receiver, 1)
  const id = deliveryIdOf(receiver.requests[0]!)
  await attemptsLogged(service, story, { id, attempts: 1 })
  const systemActions = async () =>
    (await auditedActions(service, workspaceId, endpointTarget(story)))
      .filter(({ actor }) => actor === 'system')
      .map(({ action, diff }) => `${action.split('.')[1]} ${JSON.parse(diff).failingDays?.to ?? ''}`.trim())
  const afterDays = async (days: number) => {
    await queryInScope(service.pools.sql, workspaceId, {
      text: `update webhook_lanes set failing_since = now() - $2 * interval '1 day'
        where endpoint_id = $1 and failing_since is not null`,
      values: [story.endpointId, days],
    })
    await judgeEndpoints(service.pools.sql)
    await judgeEndpoints(service.pools.sql)
    return systemActions()
  }
  assert.deepEqual(await afterDays(0.9), [])
  assert.deepEqual(await afterDays(1.1), ['warn 1'])
  assert.deepEqual(await afterDays(3.9), ['warn 1'])

  receiver.behave({ kind: 'answer' })
  await travelToRetries(service, story)
  await attemptsLogged(service, story, { id, attempts: 2 })
  assert.deepEqual(await afterDays(6), ['warn 1'], 'an endpoint whose last attempt succeeded was judged')

  receiver.behave({ kind: 'answer', status: 500 })
  await service.record(workspaceId, [{ action: 'page.view', subjectId: 'u2' }])
  await arrived(receiver, 3)
  await attemptsLogged(service, story, { id: deliveryIdOf(receiver.requests[2]!), attempts: 1 })
  assert.deepEqual(await afterDays(1.1), ['warn 1', 'warn 1'])
  assert.deepEqual(await afterDays(4.1), ['warn 1', 'warn 1', 'warn 4'])
  assert.equal((await endpointOf(story)).enabled, true)
  assert.deepEqual(await afterDays(5.1), ['warn 1', 'warn 1', 'warn 4', 'disable'])
  assert.equal((await endpointOf(story)).disabledReason, 'failing')

  await switchEndpoint(story, true)
  assert.deepEqual(await afterDays(6), ['warn 1', 'warn 1', 'warn 4', 'disable'])
  assert.deepEqual(await endpointOf(story).then((row) => [row.enabled, row.disabledReason]), [true, null])
})

test('a paused endpoint collects; switched on, all of it arrives', async () => {
  const receiver = await receiverThat({ behave: { kind: 'answer', status: 500 } })
  const story = await endpointIn(service, { url: receiver.url })
  await service.record(story.workspaceId, [{ action: 'before', subjectId: 'u1' }])
  await arrived(receiver, 1)
  await attemptsLogged(service, story, { id: deliveryIdOf(receiver.requests[0]!), attempts: 1 })
  await switchEndpoint(story, false)
  receiver.behave({ kind: 'answer' })
  await service.record(story.workspaceId, [{ action: 'meanwhile', subjectId: 'u1' }])
  await drained(service, story.workspaceId)
  await travelToRetries(service, story)
  assert.equal(await queued(story), 2)
  await eventually('the lane is idle', async () => (await laneState(story)) !== 'running')
  assert.equal(receiver.requests.length, 1)

  await switchEndpoint(story, true)
  await arrived(receiver, 3)
  await drained(service, story.workspaceId)
  assert.deepEqual(typesIn(receiver), ['before', 'before', 'meanwhile'])
})

async function queued(lane: Lane): Promise<number> {
  const [row] = await queryInScope<{ count: string }>(service.pools.sql, lane.workspaceId, {
    text: 'select count(*) from delivery_queue where endpoint_id = $1',
    values: [lane.endpointId],
  })
  return Number(row!.count)
}

async function laneState(lane: Lane): Promise<string | undefined> {
  const [row] = await queryInScope<{ state: string }>(service.pools.sql, lane.workspaceId, {
    text: 'select state from webhook_lanes where endpoint_id = $1',
    values: [lane.endpointId],
  })
  return row?.state
}

test('deleting an endpoint drops what waits for it, and events go on to the others', async () => {
  const [gone, staying] = [await receiverThat({ behave: { kind: 'answer', status: 500 } }), await receiverThat()]
  const story = await endpointIn(service, { url: gone.url })
  await endpointIn(service, { url: staying.url, workspaceId: story.workspaceId })
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await Promise.all([arrived(gone, 1), arrived(staying, 1)])
  await deleteEndpoint(service.endpoints, callerOf(story.workspaceId), { id: story.endpointId })
  await eventually('what waited for it is gone', async () => (await queued(story)) === 0)
  await eventually('and so is its lane', async () => (await laneState(story)) === undefined)
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u2' }])
  await arrived(staying, 2)
  await drained(service, story.workspaceId)
  assert.equal(gone.requests.length, 1)
})

test('for a day after a rotation both secrets verify, then only the new one', async () => {
  const receiver = await receiverThat()
  const story = await endpointIn(service, { url: receiver.url })
  const { workspaceId, secret: old } = story
  const { secret: fresh } = await rotateSecret(service.endpoints, callerOf(workspaceId), { id: story.endpointId })
  assert.notEqual(fresh, old)
  assert.deepEqual(await signingSecrets(service, story), [fresh, old])
  await service.record(workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(receiver, 1)
  verified(receiver.requests[0]!, old)
  verified(receiver.requests[0]!, fresh)

  await drained(service, workspaceId)
  await eventually('the turn is over', async () => (await laneState(story)) === 'idle')
  await queryInScope(service.pools.sql, workspaceId, {
    text: 'update webhook_endpoints set previous_secret_until = now() where id = $1',
    values: [story.endpointId],
  })
  await service.record(workspaceId, [{ action: 'page.view', subjectId: 'u2' }])
  await arrived(receiver, 2)
  verified(receiver.requests[1]!, fresh)
  assert.throws(() => verified(receiver.requests[1]!, old), /No matching signature/)
  const [rotation] = (await auditedActions(service, workspaceId, endpointTarget(story))).slice(-1)
  assert.equal(rotation?.action, 'webhook_endpoint.rotate_secret')
  assert.ok(!rotation.diff.includes('whsec_'))
})

test('an address that is not public is refused at creation, at a change, and at an attempt when the name moves there', async () => {
  const receiver = await receiverThat()
  authority.set('hooks.example.com', { a: ['127.0.0.1'] })
  const story = await endpointIn(service, { url: `http://hooks.example.com:${receiver.port}/` })
  const caller = callerOf(story.workspaceId)
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'ftp://example.com/',
    'http://user:pw@example.com/',
  ]) {
    await assert.rejects(createEndpoint(service.endpoints, caller, { url }), { code: 'unprocessable' }, url)
    const change = { id: story.endpointId, change: { url } }
    await assert.rejects(updateEndpoint(service.endpoints, caller, change), { code: 'unprocessable' }, url)
  }
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(receiver, 1)
  verified(receiver.requests[0]!, story.secret)

  receiver.closeIdle()
  authority.set('hooks.example.com', { a: ['127.0.0.1', '10.0.0.1'] })
  await service.record(story.workspaceId, [{ action: 'moved', subjectId: 'u2' }])
  const newest = () => listDeliveries({ sql: service.pools.sql }, { ...story, eventType: 'moved', limit: 1 })
  await eventually('the second delivery is there', async () => (await newest()).items.length === 1)
  const { id } = (await newest()).items[0]!
  const refused = await attemptsLogged(service, story, { id, attempts: 1 })
  const [attempt] = refused.attemptLog
  assert.deepEqual([attempt!.outcome, attempt!.status, refused.state], ['refused', null, 'pending'])
  assert.match(attempt!.error!, /^refused: /)
  assert.ok(!attempt!.error!.includes('10.0.0.1'), 'the log tells what the name resolves to')
  assert.equal(receiver.requests.length, 1)

  authority.set('hooks.example.com', { a: ['127.0.0.1'] })
  await travelToRetries(service, story)
  await arrived(receiver, 2)
})

test('what waits goes to the new URL when it changes', async () => {
  const [old, next] = [await receiverThat({ behave: { kind: 'answer', status: 500 } }), await receiverThat()]
  const story = await endpointIn(service, { url: old.url })
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'u1' }])
  await arrived(old, 1)
  const id = deliveryIdOf(old.requests[0]!)
  await attemptsLogged(service, story, { id, attempts: 1 })
  const change = { id: story.endpointId, change: { url: next.url } }
  await updateEndpoint(service.endpoints, callerOf(story.workspaceId), change)
  await eventually('the turn is over', async () => (await laneState(story)) === 'waiting')
  await travelToRetries(service, story)
  await arrived(next, 1)
  assert.equal(deliveryIdOf(next.requests[0]!), id)
  assert.equal(old.requests.length, 1)
})
