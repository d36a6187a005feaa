import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { type Call, send } from '../support/http-client.ts'
import { startInstance, until } from '../support/instance.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type Exposition, parseExposition, type Series, seriesOf } from './exposition.ts'
import { HISTOGRAM_SUFFIXES, SCOPE_LABELS, SPECIFIED } from './specified-metrics.ts'

const GROUPS = ['automations', 'persist', 'suppression', 'webhooks']
const HANDLERS = ['dispatch_webhooks', 'enroll_automations', 'persist_event', 'update_suppression']
const SETTLED_WITHIN_MS = 60_000

let instance: TestedInstance
let receiver: Receiver
const key = randomBytes(32).toString('base64')

before(async () => {
  instance = await startTestedInstance({ ENCRYPTION_KEY: key })
  receiver = await startReceiver({
    behave: (request) => ({ kind: 'answer', status: request.path === '/fails' ? 500 : 200 }),
  })
  const call = (method: string, path: string, given: Call = {}) =>
    send(method, instance.baseUrl + path, { token: instance.token, ...given })
  for (const path of ['/works', '/fails']) await call('POST', '/api/webhooks', { json: { url: receiver.url + path } })
  await call('POST', '/events', { json: { events: [{ action: 'a', email: 'tenant@example.com' }] } })
  await call('POST', '/api/contacts', { json: { email: 'tenant@example.com' } })
  await call('GET', '/api/contacts/900000000')
  await call('GET', '/api/contacts')
  await send('POST', `${instance.baseUrl}/site/auth/login`, {
    json: { email: instance.email, password: instance.password },
  })
  await send('GET', `${instance.baseUrl}/site/workspaces`)
  await receiver.waitFor((requests) => requests.length >= 4, SETTLED_WITHIN_MS)
})
after(async () => {
  await instance.close()
  await receiver.close()
})

const scrape = async () => parseExposition(await instance.metrics())

/** The exposition once the work of the traffic above is counted. */
async function settled(): Promise<Exposition> {
  const isSettled = async () => {
    const exposition = await scrape()
    const attempts = (status: string) =>
      seriesOf(exposition, 'river_work_count_total', { kind: 'deliver_webhook', status, attempt: '1' })
    return (
      attempts('ok')?.value === 2 &&
      attempts('error')?.value === 2 &&
      handled(exposition).every(({ value }) => value >= 2)
    )
  }
  await until('the work to be counted', isSettled, SETTLED_WITHIN_MS)
  return scrape()
}

function handled({ series }: Exposition): Series[] {
  const found = series.filter(
    ({ name, labels }) => name === 'watermill_messages_processed_total' && labels.error === 'false',
  )
  return HANDLERS.map(
    (handler) => found.find(({ labels }) => labels.handler === handler) ?? { name: '', labels: {}, value: 0 },
  )
}

test('every specified family is exposed by a running service, with exactly its labels', async () => {
  const { types, series } = await settled()
  for (const [name, type, labels] of SPECIFIED) {
    if (name.startsWith('river_queue_')) continue
    const exposed = type === 'histogram' ? HISTOGRAM_SUFFIXES.map((suffix) => name + suffix) : [name]
    for (const one of exposed) {
      const found = series.filter((candidate) => candidate.name === one)
      assert.equal(types.get(name), type, name)
      assert.notEqual(found.length, 0, `${one} has no series`)
      const own = one.endsWith('_bucket') ? [...labels.split(' '), 'le'] : labels.split(' ')
      for (const { labels: given } of found) {
        assert.deepEqual(Object.keys(given).sort(), [...own, ...SCOPE_LABELS].sort(), one)
      }
    }
  }
})

test('every series carries its scope, and none names a tenant or a recipient', async () => {
  const exposition = await settled()
  const ids = new Set(['1', 'default', 'tenant@example.com'])
  for (const { name, labels } of exposition.series) {
    if (name === 'target_info') continue
    for (const label of SCOPE_LABELS) assert.ok(labels[label], name)
    for (const [label, value] of Object.entries(labels)) {
      assert.doesNotMatch(label, /workspace|tenant|contact|email|recipient|user|host|address/, name)
      assert.ok(!value.includes('@') && !value.includes('127.0.0.1'), `${name} ${label}=${value}`)
      if (!['attempt', 'le', 'queue'].includes(label)) assert.ok(!ids.has(value), `${name} ${label}=${value}`)
    }
  }
})

test('the service tells its name, version and commit', async () => {
  const { labels, value } = seriesOf(await scrape(), 'target_info') ?? assert.fail('no target_info')
  assert.equal(value, 1)
  assert.equal(labels.service_name, 'postroom')
  assert.equal(labels.service_version, manifest.version)
  assert.match(labels.commit ?? '', /^([0-9a-f]{12}|unknown)$/)
})

test('requests count under their operation, the surface shows in its name, 4xx count as errors', async () => {
  const exposition = await settled()
  const count = (name: string, operation: string, status: string) =>
    seriesOf(exposition, name, { operation_id: operation, http_response_status_code: status })?.value
  const requests = 'ogen_server_request_count_total'
  assert.equal(count(requests, 'Webhooks_create', '201'), 2)
  assert.equal(count(requests, 'Events_create', '204'), 1)
  assert.equal(count(requests, 'Contacts_get', '404'), 1)
  assert.equal(count(requests, 'SiteAuth_login', '200'), 1)
  assert.equal(count(requests, 'SiteWorkspaces_list', '401'), 1)
  assert.equal(count('ogen_server_errors_count_total', 'Contacts_get', '404'), 1)
  assert.equal(count('ogen_server_errors_count_total', 'Contacts_create', '201'), undefined)
  const events = { operation_id: 'Events_create' }
  assert.equal(seriesOf(exposition, requests, events)?.labels.http_route, '/api/events')
  assert.equal(seriesOf(exposition, 'ogen_server_duration_milliseconds_count', events)?.value, 1)
  for (const { name, labels } of exposition.series.filter((one) => one.name === requests)) {
    const surface = { Site: '/site/', Collect: '/collect/' }[
      /^(Site|Collect)?/.exec(labels.operation_id ?? '')?.[1] ?? ''
    ]
    assert.ok(labels.http_route?.startsWith(surface ?? '/api/'), `${name} ${labels.operation_id}`)
  }
})

test('each consumer group and handler has its series, caught up and without errors', async () => {
  const exposition = await settled()
  const lags = exposition.series.filter(({ name }) => name === 'outbox_lag_seconds')
  assert.deepEqual(lags.map(({ labels }) => labels.consumer_group).sort(), GROUPS)
  const isCaughtUp = async () =>
    (await scrape()).series.filter(({ name }) => name === 'outbox_lag_seconds').every(({ value }) => value === 0)
  await until('the groups to catch up', isCaughtUp, SETTLED_WITHIN_MS)
  for (const { labels, value } of handled(exposition)) assert.equal(value, 2, labels.handler)
  const runs = exposition.series.filter(({ name }) => name === 'watermill_handler_duration_seconds_count')
  assert.deepEqual(runs.map(({ labels }) => labels.handler).sort(), HANDLERS)
  assert.ok(runs.every(({ labels }) => labels.error === 'false'))
})

test('a delivered attempt counts as ok, a failed one as error, under queue, kind and number', async () => {
  const exposition = await settled()
  for (const status of ['ok', 'error']) {
    const labels = { queue: 'webhooks', kind: 'deliver_webhook', status, attempt: '1' }
    assert.equal(seriesOf(exposition, 'river_work_count_total', labels)?.value, 2, status)
    assert.equal(seriesOf(exposition, 'river_work_duration_histogram_seconds_count', labels)?.value, 2, status)
  }
})

test('both pools tell what they hold', async () => {
  const exposition = await scrape()
  for (const [pool, max] of [
    ['sql', 15],
    ['pgx', 25],
  ] as const) {
    const of = (what: string) => seriesOf(exposition, `db_pool_${what}`, { pool })?.value ?? Number.NaN
    assert.equal(of('max'), max)
    assert.ok(of('open') >= 1 && of('open') <= max, `${pool} open ${of('open')}`)
    assert.equal(of('in_use') + of('idle'), of('open'))
  }
  const pools = (name: string) => exposition.series.filter((one) => one.name === name).map(({ labels }) => labels.pool)
  assert.deepEqual(pools('db_pool_wait_count'), ['sql'])
  assert.deepEqual(pools('db_pool_empty_acquire_count'), ['pgx'])
})

test('the runtime tells of its own state', async () => {
  const { types } = await scrape()
  for (const family of [/^nodejs_eventloop_/, /^v8js_/, /^process_/]) {
    assert.ok(
      [...types.keys()].some((name) => family.test(name)),
      String(family),
    )
  }
})

test('a queue with nothing ready has no sample; without a worker, jobs and lag show', async () => {
  const queued = ({ series }: Exposition) => series.filter(({ name }) => name.startsWith('river_queue_'))
  await until('the queues to be empty', async () => queued(await scrape()).length === 0, SETTLED_WITHIN_MS)
  await instance.stop()
  const web = await startInstance({
    env: {
      DATABASE_URL: instance.database.url,
      ENCRYPTION_KEY: key,
      BOOTSTRAP_TOKEN: instance.token,
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      ROLE: 'web',
    },
  })
  try {
    const call = (method: string, path: string, given: Call = {}) =>
      send(method, web.baseUrl + path, { token: instance.token, ...given })
    assert.equal((await call('POST', '/events', { json: { events: [{ action: 'late', phone: '+1' }] } })).status, 204)
    const { json } = await call('POST', '/api/webhooks', { json: { url: receiver.url } })
    assert.equal((await call('POST', `/api/webhooks/${json.id}/test`)).status, 202)
    const look = async () => parseExposition(await web.metrics())
    const labels = { queue: 'webhooks' }
    const isWaiting = async () =>
      (seriesOf(await look(), 'river_queue_oldest_available_age_seconds', labels)?.value ?? 0) > 0
    await until('the waiting job to show', isWaiting, SETTLED_WITHIN_MS)
    const exposition = await look()
    // A schedule of the queue may have come due beside it.
    const depth = seriesOf(exposition, 'river_queue_depth', labels)?.value ?? 0
    assert.ok(depth >= 1 && depth <= 3, String(depth))
    const lags = exposition.series.filter(({ name }) => name === 'outbox_lag_seconds')
    assert.deepEqual(lags.map((one) => one.labels.consumer_group).sort(), GROUPS)
    for (const { value } of lags) assert.ok(value > 0 && value < 60, String(value))
  } finally {
    await web.stop()
  }
})
