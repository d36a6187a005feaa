import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DnsAuthority, startDnsAuthority } from '../support/dns-authority.ts'
import { until } from '../support/instance.ts'
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Webhook endpoint: these fields and no other. */
const FIELDS = ['id', 'url', 'eventTypes', 'enabled', 'createdAt', 'updatedAt']
const DELIVERY_FIELDS = [
  'id',
  'webhookId',
  'endpointId',
  'eventId',
  'eventType',
  'state',
  'attempts',
  'nextAttemptAt',
  'lastStatus',
  'lastError',
  'createdAt',
  'finishedAt',
]
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const DELIVERED_WITHIN_MS = 60_000

let instance: TestedInstance
let api: DescribedApi
let dns: DnsAuthority
let receiver: Receiver
/** Everything the API has answered, to look for secrets in it. */
const answered: string[] = []

before(async () => {
  dns = await startDnsAuthority()
  receiver = await startReceiver()
  instance = await startTestedInstance({ DNS_SERVERS: dns.server, WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32' })
  api = await describedApi(instance)
})
after(async () => {
  await instance.close()
  await Promise.all([receiver.close(), dns.close()])
})

async function call(method: string, path: string, json?: object) {
  const answer = await api.call(method, path, json === undefined ? {} : { json })
  answered.push(answer.text)
  return answer
}

async function endpointAt(path: string, more: object = {}) {
  const { status, json } = await call('POST', '/api/webhooks', { url: receiver.url + path, ...more })
  assert.equal(status, 201)
  return json
}

const record = async (...events: object[]) => {
  assert.equal((await call('POST', '/api/events', { events })).status, 204)
}

/** Requests that have arrived at a path of the receiver, once there are that many. */
async function received(path: string, count = 1): Promise<ReceivedRequest[]> {
  const at = () => receiver.requests.filter((request) => request.path === path)
  await receiver.waitFor(() => at().length >= count, DELIVERED_WITHIN_MS)
  return at()
}

async function deliveryIn(endpointId: string, state: string, attempts = 1) {
  const log = async () => (await call('GET', `/api/webhooks/${endpointId}/deliveries`)).json.items[0]
  await until(
    `a delivery ${state}`,
    async () => {
      const found = await log()
      return found?.state === state && found.attempts >= attempts
    },
    DELIVERED_WITHIN_MS,
  )
  return log()
}

test('an endpoint has exactly the specified fields, and takes defaults for what is not given', async () => {
  const endpoint = await endpointAt('/fields', { enabled: false })
  assert.deepEqual(Object.keys(endpoint), FIELDS)
  assert.match(endpoint.id, /^[0-9]+$/)
  assert.match(endpoint.createdAt, UTC)
  assert.deepEqual([endpoint.url, endpoint.eventTypes, endpoint.enabled], [`${receiver.url}/fields`, [], false])
  const path = `/api/webhooks/${endpoint.id}`
  assert.deepEqual((await call('GET', path)).json, endpoint)
  const changed = await call('PATCH', path, { eventTypes: ['a', 'b', 'a'], enabled: true })
  assert.deepEqual(Object.keys(changed.json), FIELDS)
  assert.deepEqual([changed.json.eventTypes, changed.json.enabled, changed.json.url], [['a', 'b'], true, endpoint.url])
  assert.ok(changed.json.updatedAt > endpoint.updatedAt)
  assert.deepEqual((await call('PATCH', path, {})).json, changed.json)
  const { json: list } = await call('GET', '/api/webhooks')
  assert.deepEqual(list.items.at(-1), changed.json)
  assert.equal((await call('DELETE', path)).text, '')
  for (const [method, at] of [
    ['GET', path],
    ['DELETE', path],
    ['GET', `${path}/deliveries`],
  ] as const) {
    assert.equal((await call(method, at)).status, 404, at)
  }
  assert.equal((await call('GET', '/api/webhooks')).json.totalItems, list.totalItems - 1)
})

test('a body that does not fit is a 400 that names the field', async () => {
  const url = `${receiver.url}/x`
  const wrong: [body: object, pointer: string][] = [
    [{}, '/url'],
    [{ url: '' }, '/url'],
    [{ url: 7 }, '/url'],
    [{ url: null }, '/url'],
    [{ url: `${url}${'x'.repeat(2_048)}` }, '/url'],
    [{ url, eventTypes: 'all' }, '/eventTypes'],
    [{ url, eventTypes: [''] }, '/eventTypes/0'],
    [{ url, eventTypes: [7] }, '/eventTypes/0'],
    [{ url, eventTypes: ['x'.repeat(201)] }, '/eventTypes/0'],
    [{ url, eventTypes: Array.from({ length: 201 }, (_, index) => `e${index}`) }, '/eventTypes'],
    [{ url, enabled: 'yes' }, '/enabled'],
    [{ url, secret: 'whsec_mine' }, '/secret'],
  ]
  for (const [body, pointer] of wrong) {
    const { status, json } = await call('POST', '/api/webhooks', body)
    assert.equal(status, 400, pointer)
    assert.equal(json.errors[0].pointer, pointer)
  }
})

test('an address that deliveries would refuse is a 422, on creation and on change, whatever its form', async () => {
  dns.set('private.example.com', { a: ['10.1.2.3'] })
  dns.set('mixed.example.com', { a: ['93.184.215.14', '192.168.0.1'] })
  dns.set('six.example.com', { aaaa: ['fd00::1'] })
  dns.set('alias.example.com', { cname: 'private.example.com' })
  dns.set('metadata.example.com', { a: ['169.254.169.254'] })
  const endpoint = await endpointAt('/refused', { enabled: false })
  const refused = [
    'no address',
    'hooks.example.com/path',
    '//hooks.example.com/path',
    'ftp://hooks.example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://user:password@hooks.example.com/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://127.0.0.2/',
    'http://2130706434/',
    'http://0x7f.0.0.2/',
    'http://0.0.0.0/',
    'http://100.64.0.1/',
    'http://169.254.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://192.0.2.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[2002:a00:1::]/',
    'http://[2001:db8::1]/',
    'http://intranet/',
    'http://printer.local/',
    'http://db.internal/',
    'http://hooks.example.com:22/',
    'http://private.example.com/',
    'http://mixed.example.com/',
    'http://six.example.com/',
    'http://alias.example.com/',
    'http://metadata.example.com/',
  ]
  const count = (await call('GET', '/api/webhooks')).json.totalItems
  for (const url of refused) {
    for (const answer of [
      await call('POST', '/api/webhooks', { url }),
      await call('PATCH', `/api/webhooks/${endpoint.id}`, { url }),
    ]) {
      assert.equal(answer.status, 422, `${answer.method} ${url}`)
      assert.equal(answer.json.code, 'unprocessable')
      assert.equal(answer.json.errors[0].pointer, '/url')
      assert.doesNotMatch(answer.json.detail, /10\.1\.2\.3|192\.168\.0\.1|fd00::1/, 'tells no address of a name')
    }
  }
  assert.equal((await call('GET', '/api/webhooks')).json.totalItems, count)
  assert.deepEqual((await call('GET', `/api/webhooks/${endpoint.id}`)).json, endpoint)
})

test('an address is kept as it will be asked for, however it was written', async () => {
  const json = { url: 'HTTPS://Hooks.Example.COM:443/a/../b?q=ü#part' }
  const { json: endpoint } = await call('POST', '/api/webhooks', { ...json, enabled: false })
  assert.equal(endpoint.url, 'https://hooks.example.com/b?q=%C3%BC')
})

test('a name that does not resolve yet is taken', async () => {
  dns.set('broken.example.com', { failure: 'SERVFAIL' })
  dns.set('mute.example.com', { silent: true })
  for (const host of ['soon.example.com', 'broken.example.com', 'mute.example.com']) {
    const url = `https://${host}/hook`
    assert.equal((await call('POST', '/api/webhooks', { url, enabled: false })).status, 201, url)
  }
})

test('a recorded event arrives with the specified headers and body', async () => {
  const { json: contact } = await call('POST', '/api/contacts', { subjectId: 'ada', email: 'ada@example.com' })
  await endpointAt('/body', { eventTypes: ['order.placed', 'bestellt – ä'] })
  const given = { action: 'order.placed', properties: { total: 12.5 }, occurredAt: '2026-03-01T12:00:00+02:00' }
  await record(
    { ...given, subjectId: 'ada' },
    { ...given, email: 'nobody@example.com' },
    { ...given, action: 'other', subjectId: 'ada' },
  )
  const requests = await received('/body', 2)
  const bodies = requests.map((request) => JSON.parse(request.body.toString()))
  const known = bodies.find((body) => body.subject === 'ada')
  assert.match(known.id, /^[0-9]+$/)
  assert.deepEqual(known, {
    id: known.id,
    type: 'order.placed',
    occurredAt: '2026-03-01T10:00:00.000000Z',
    workspaceId: 1,
    subject: 'ada',
    contactId: Number(contact.id),
    data: {
      workspaceId: 1,
      contactId: Number(contact.id),
      subjectId: 'ada',
      action: 'order.placed',
      properties: { total: 12.5 },
      occurredAt: '2026-03-01T10:00:00.000000Z',
    },
  })
  const anonymous = bodies.find((body) => body.subject === 'nobody@example.com')
  assert.ok(anonymous && !('contactId' in anonymous))
  assert.equal(new Set(requests.map((request) => request.headers['webhook-id'])).size, 2)
  for (const { method, headers, headerNames } of requests) {
    assert.equal(method, 'POST')
    const specified = headerNames.filter((name) => /^(webhook-|x-)/i.test(name)).sort()
    assert.deepEqual(specified, ['X-service-Event', 'webhook-id', 'webhook-signature', 'webhook-timestamp'])
    assert.match(String(headers['content-type']), /^application\/json/)
    assert.match(String(headers['webhook-id']), /^[\w-]+$/)
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now()) < 60_000)
    assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/)
    assert.equal(headers['x-service-event'], 'order.placed')
  }
  await record({ action: 'bestellt – ä', subjectId: 'ada' })
  const third = (await received('/body', 3))[2]!
  assert.equal(third.headers['x-service-event'], 'bestellt%20%E2%80%93%20%C3%A4')
  assert.equal(decodeURIComponent(String(third.headers['x-service-event'])), JSON.parse(third.body.toString()).type)
})

test('an endpoint without a filter receives everything, also what the system emits', async () => {
  const endpoint = await endpointAt('/everything')
  const { json } = await call('POST', '/api/contacts', { subjectId: 'new', email: 'new@example.com' })
  await record({ action: 'any.thing', phone: '+1' })
  const bodies = (await received('/everything', 2)).map((request) => JSON.parse(request.body.toString()))
  const created = bodies.find((body) => body.type === 'contact.created')
  assert.deepEqual([created.subject, created.contactId], ['new', Number(json.id)])
  assert.equal(created.data.email, 'new@example.com')
  assert.ok(bodies.some((body) => body.type === 'any.thing' && body.subject === '+1'))
  await call('DELETE', `/api/webhooks/${endpoint.id}`)
})

test('the log shows each delivery with its attempts, and one can be sent again under its own id', async () => {
  receiver.behave((request) =>
    request.path === '/log'
      ? { kind: 'answer', status: 500, body: 'not now', headers: { 'content-type': 'text/plain' } }
      : { kind: 'answer' },
  )
  const endpoint = await endpointAt('/log', { eventTypes: ['log.event'] })
  await record({ action: 'log.event', subjectId: 'a' })
  const [first] = await received('/log')
  const failed = await deliveryIn(endpoint.id, 'pending')
  assert.deepEqual(Object.keys(failed), DELIVERY_FIELDS)
  assert.equal(failed.webhookId, first?.headers['webhook-id'])
  assert.equal(failed.eventId, JSON.parse(String(first?.body)).id)
  assert.deepEqual(
    [failed.endpointId, failed.eventType, failed.lastStatus, failed.lastError, failed.finishedAt],
    [endpoint.id, 'log.event', 500, 'status_not_2xx', null],
  )
  const path = `/api/webhooks/${endpoint.id}/deliveries/${failed.id}`
  const { json: detail } = await call('GET', path)
  assert.equal(detail.body, String(first?.body))
  const [attempt] = detail.attemptLog
  assert.deepEqual([attempt.attempt, attempt.outcome, attempt.status, attempt.response], [1, 'failed', 500, 'not now'])
  const waitMs = Date.parse(failed.nextAttemptAt) - Date.parse(attempt.startedAt)
  const leftMs = Date.parse(failed.nextAttemptAt) - Date.now()
  assert.ok(waitMs >= 5_000 && leftMs <= 6_000, `the second attempt comes after ${waitMs} ms, ${leftMs} from now`)

  receiver.behave({ kind: 'answer', status: 202 })
  const again = await call('POST', `${path}/resend`)
  assert.equal(again.status, 202)
  assert.equal(again.json.webhookId, failed.webhookId)
  const [, second] = await received('/log', 2)
  assert.equal(second?.headers['webhook-id'], failed.webhookId)
  assert.deepEqual(second?.body, first?.body)
  const done = await deliveryIn(endpoint.id, 'delivered', 2)
  assert.match(done.finishedAt, UTC)
  assert.deepEqual([done.nextAttemptAt, done.lastStatus, done.lastError], [null, 202, null])
  const states = async (query: string) => {
    const { json } = await call('GET', `/api/webhooks/${endpoint.id}/deliveries?${query}`)
    return json.items.map((item: { id: string }) => item.id)
  }
  assert.deepEqual(await states('state=delivered'), [done.id])
  assert.deepEqual(await states('state=pending'), [])
  assert.deepEqual(await states('eventType=log.event'), [done.id])
  assert.deepEqual(await states('eventType=other'), [])
})

test('the log is newest first and goes from page to page without gap or repeat', async () => {
  const endpoint = await endpointAt('/pages', { eventTypes: ['page.event'], enabled: false })
  await record(...Array.from({ length: 7 }, (_, index) => ({ action: 'page.event', subjectId: `s${index}` })))
  const log = (query: string) => call('GET', `/api/webhooks/${endpoint.id}/deliveries?${query}`)
  await until('seven deliveries', async () => (await log('limit=100')).json.items.length === 7, DELIVERED_WITHIN_MS)
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const { json } = await log(`limit=3${cursor ? `&cursor=${cursor}` : ''}`)
    ids.push(...json.items.map((item: { eventId: string }) => item.eventId))
    cursor = json.nextCursor
  } while (cursor)
  assert.deepEqual(
    ids,
    (await log('limit=100')).json.items.map((item: { eventId: string }) => item.eventId),
  )
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => Number(BigInt(b) - BigInt(a))),
  )
  assert.equal(receiver.requests.filter((request) => request.path === '/pages').length, 0, 'it is paused')
  await call('PATCH', `/api/webhooks/${endpoint.id}`, { enabled: true })
  await received('/pages', 7)
})

test('a test event reaches the endpoint whatever its filter', async () => {
  const endpoint = await endpointAt('/test', { eventTypes: ['nothing.else'] })
  const { status, json } = await call('POST', `/api/webhooks/${endpoint.id}/test`)
  assert.equal(status, 202)
  assert.deepEqual([json.eventType, json.endpointId], ['webhook.test', endpoint.id])
  const [request] = await received('/test')
  assert.equal(request?.headers['webhook-id'], json.webhookId)
  assert.equal(request?.headers['x-service-event'], 'webhook.test')
  const body = JSON.parse(String(request?.body))
  assert.deepEqual([body.type, body.workspaceId], ['webhook.test', 1])
})

test('recovery delivers what the endpoint has missed since a time', async () => {
  const since = new Date(Date.now() - 60_000).toISOString()
  await record({ action: 'missed', subjectId: 'm1' }, { action: 'missed', subjectId: 'm2' })
  const stored = () => instance.sql(`select from events where name = 'missed'`)
  await until('the missed events', async () => (await stored()).length === 2, DELIVERED_WITHIN_MS)
  const endpoint = await endpointAt('/recover', { eventTypes: ['missed'] })
  const path = `/api/webhooks/${endpoint.id}/recover`
  const { status, json } = await call('POST', path, { since })
  assert.equal(status, 202)
  assert.deepEqual(json, endpoint)
  const subjects = (await received('/recover', 2)).map((request) => JSON.parse(String(request.body)).subject)
  assert.deepEqual(subjects.sort(), ['m1', 'm2'])
  assert.equal((await call('POST', path, { since: new Date(Date.now() + 60_000).toISOString() })).status, 422)
  assert.equal((await call('POST', path, {})).status, 400)
  assert.equal((await call('POST', path, { since: 'yesterday' })).status, 400)
})

test('after a rotation deliveries carry two signatures', async () => {
  const endpoint = await endpointAt('/rotate')
  const { status, json } = await call('POST', `/api/webhooks/${endpoint.id}/rotate-secret`)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json), FIELDS)
  await call('POST', `/api/webhooks/${endpoint.id}/test`)
  const [request] = await received('/rotate')
  const signatures = String(request?.headers['webhook-signature']).split(' ')
  assert.equal(new Set(signatures).size, 2)
  for (const signature of signatures) assert.match(signature, /^v1,[A-Za-z0-9+/]{43}=$/)
  await call('DELETE', `/api/webhooks/${endpoint.id}`)
})

test('an endpoint that answers 410 is switched off', async () => {
  receiver.behave({ kind: 'answer', status: 410 })
  const endpoint = await endpointAt('/gone', { eventTypes: ['gone.event'] })
  await record({ action: 'gone.event', subjectId: 'a' })
  const read = async () => (await call('GET', `/api/webhooks/${endpoint.id}`)).json
  await until('the endpoint to be off', async () => !(await read()).enabled, DELIVERED_WITHIN_MS)
  assert.deepEqual(Object.keys(await read()), FIELDS)
  receiver.behave({ kind: 'answer' })
})

test('no answer of the API has ever held a signing secret', () => {
  assert.ok(answered.length > 150)
  for (const text of answered) assert.doesNotMatch(text, /whsec_(?!mine)|"secret"|previousSecret/)
})
