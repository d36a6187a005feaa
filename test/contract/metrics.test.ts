import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import pg from 'pg'
import { PROVIDERS } from '../../server/catalogue/providers.ts'
import { startMetricsListener } from '../../server/platform/metrics/listener.ts'
import { createMetrics } from '../../server/platform/metrics/metrics.ts'
import { parseListenAddress } from '../../server/platform/net/listen-address.ts'
import { parseExposition, type Series, seriesOf } from './exposition.ts'
import { HISTOGRAM_SUFFIXES, SCOPE_LABELS, SPECIFIED } from './specified-metrics.ts'

const metrics = createMetrics({ version: '1.2.3', commit: 'abc1234', providers: PROVIDERS })
const sql = new pg.Pool({ max: 15 })
const pgx = new pg.Pool({ max: 25 })
let queues = [{ queue: 'webhooks', ready: 7, oldestAgeSeconds: 3.5 }]

metrics.pool('sql', sql)
metrics.pool('pgx', pgx)
metrics.outboxLag(async () => [
  { group: 'persist', seconds: 12.5 },
  { group: 'webhooks', seconds: 0 },
])
metrics.queueStats(async () => queues)
const request = { operationId: 'Contacts_list', route: '/api/contacts' }
metrics.httpRequest({ ...request, status: 200, durationMs: 2_000 })
metrics.httpRequest({ ...request, status: 404, durationMs: 1 })
metrics.httpRequest({ ...request, status: 503, durationMs: 1_800 })
metrics.messagesProcessed({ handler: 'persist_event', rows: 1_000, durationMs: 200 })
metrics.messagesProcessed({ handler: 'persist_event', rows: 1_000, durationMs: 300, error: new Error('poison') })
const attempt = { queue: 'webhooks', kind: 'deliver_webhook', durationMs: 7_000 }
metrics.jobAttempt({ ...attempt, status: 'ok', attempt: 1 })
metrics.jobAttempt({ ...attempt, status: 'error', attempt: 2 })
metrics.jobAttempt({ ...attempt, status: 'panic', attempt: 3 })
metrics.emailOutcome({ provider: 'smtp', status: 'accepted' })
metrics.emailOutcome({ provider: 'ses', status: 'complaint' })

const listener = await startMetricsListener(metrics, parseListenAddress('127.0.0.1:0'))
after(async () => {
  await listener.close()
  await metrics.close()
})

async function scrape() {
  const response = await fetch(`http://127.0.0.1:${listener.port}/metrics`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return parseExposition(await response.text())
}

for (const [name, type, labels] of SPECIFIED) {
  test(`${name} is a ${type} labelled ${labels}`, async () => {
    const exposition = await scrape()
    assert.equal(exposition.types.get(name), type)
    const exposed = type === 'histogram' ? HISTOGRAM_SUFFIXES.map((suffix) => name + suffix) : [name]
    for (const one of exposed) {
      const series = exposition.series.filter((candidate) => candidate.name === one)
      assert.notEqual(series.length, 0, `${one} has no series`)
      const own = one.endsWith('_bucket') ? [...labels.split(' '), 'le'] : labels.split(' ')
      for (const { labels: found } of series) {
        assert.deepEqual(Object.keys(found).sort(), [...own, ...SCOPE_LABELS].sort())
      }
    }
  })
}

test('no family is exposed that is neither specified, ours, nor of the runtime', async () => {
  const { types } = await scrape()
  const allowed = new Set(SPECIFIED.map(([name]) => name))
  for (const name of types.keys()) {
    assert.ok(allowed.has(name) || /^(target_info$|postroom_|nodejs_|v8js_|process_)/.test(name), name)
  }
})

test('every series carries the scope and none names a tenant or a recipient', async () => {
  const { series } = await scrape()
  for (const { name, labels } of series) {
    if (name === 'target_info') continue
    assert.equal(labels.otel_scope_name, 'postroom', name)
    assert.equal(labels.otel_scope_version, '1.2.3', name)
    for (const label of Object.keys(labels)) assert.doesNotMatch(label, /workspace|tenant|contact|email|recipient/)
  }
})

test('target_info names service, version and commit', async () => {
  assert.deepEqual(seriesOf(await scrape(), 'target_info'), {
    name: 'target_info',
    labels: { service_name: 'postroom', service_version: '1.2.3', commit: 'abc1234' },
    value: 1,
  })
})

test('requests of every status are counted, errors from 400 on', async () => {
  const exposition = await scrape()
  const count = (name: string, status: string) =>
    seriesOf(exposition, name, { http_response_status_code: status })?.value
  for (const status of ['200', '404', '503']) assert.equal(count('ogen_server_request_count_total', status), 1)
  assert.equal(count('ogen_server_errors_count_total', '200'), undefined)
  assert.equal(count('ogen_server_errors_count_total', '404'), 1)
  assert.equal(count('ogen_server_errors_count_total', '503'), 1)
})

test('the latency histogram has a bound at 2000 ms, which the latency alert asks for', async () => {
  const exposition = await scrape()
  const labels = { http_response_status_code: '200' }
  const bucket = (le: string) => seriesOf(exposition, 'ogen_server_duration_milliseconds_bucket', { ...labels, le })
  assert.equal(bucket('1000')?.value, 0)
  assert.equal(bucket('2000')?.value, 1)
  assert.equal(bucket('+Inf')?.value, 1)
  assert.equal(seriesOf(exposition, 'ogen_server_duration_milliseconds_sum', labels)?.value, 2_000)
})

test('histograms in seconds have coarse buckets that begin with 5 and 10', async () => {
  const { series } = await scrape()
  for (const [name, type] of SPECIFIED) {
    if (type !== 'histogram' || !name.endsWith('_seconds')) continue
    const bounds = [...new Set(series.filter((one) => one.name === `${name}_bucket`).map(({ labels }) => labels.le))]
    assert.deepEqual(bounds.slice(0, 2), ['5', '10'], name)
    assert.equal(bounds.at(-1), '+Inf', name)
  }
})

test('a handled batch counts its messages, a failed one counts one, and each is one run', async () => {
  const exposition = await scrape()
  const value = (name: string, error: string) => seriesOf(exposition, name, { handler: 'persist_event', error })?.value
  assert.equal(value('watermill_messages_processed_total', 'false'), 1_000)
  assert.equal(value('watermill_messages_processed_total', 'true'), 1)
  assert.equal(value('watermill_handler_duration_seconds_count', 'false'), 1)
  assert.equal(value('watermill_handler_duration_seconds_count', 'true'), 1)
})

test('a job attempt is labelled ok, error or panic and by its number', async () => {
  const exposition = await scrape()
  const attempts = exposition.series.filter(({ name }) => name === 'river_work_count_total')
  assert.deepEqual(
    attempts.map(({ labels }) => [labels.queue, labels.kind, labels.status, labels.attempt]),
    [
      ['webhooks', 'deliver_webhook', 'ok', '1'],
      ['webhooks', 'deliver_webhook', 'error', '2'],
      ['webhooks', 'deliver_webhook', 'panic', '3'],
    ],
  )
})

test('durations in seconds are seconds', async () => {
  const exposition = await scrape()
  const handler = seriesOf(exposition, 'watermill_handler_duration_seconds_sum', { error: 'false' })
  const job = seriesOf(exposition, 'river_work_duration_histogram_seconds_sum', { status: 'ok' })
  assert.deepEqual([handler?.value, job?.value], [0.2, 7])
})

test('a group that has caught up shows a lag of 0', async () => {
  const exposition = await scrape()
  assert.equal(seriesOf(exposition, 'outbox_lag_seconds', { consumer_group: 'webhooks' })?.value, 0)
  assert.equal(seriesOf(exposition, 'outbox_lag_seconds', { consumer_group: 'persist' })?.value, 12.5)
})

test('a queue that has run empty has no sample any more', async () => {
  const depths = async () =>
    (await scrape()).series.filter(isQueueGauge).map(({ labels, value }) => [labels.queue, value])
  assert.deepEqual(await depths(), [
    ['webhooks', 7],
    ['webhooks', 3.5],
  ])
  queues = [
    { queue: 'webhooks', ready: 0, oldestAgeSeconds: 0 },
    { queue: 'default', ready: 1, oldestAgeSeconds: 0.5 },
  ]
  assert.deepEqual(await depths(), [
    ['default', 1],
    ['default', 0.5],
  ])
  queues = []
  assert.deepEqual(await depths(), [])
})

test('waits are counted for the pool sql only, empty acquires for pgx only', async () => {
  const exposition = await scrape()
  const pools = (name: string) =>
    exposition.series.filter((one) => one.name === name).map(({ labels, value }) => [labels.pool, value])
  assert.deepEqual(pools('db_pool_wait_count'), [['sql', 0]])
  assert.deepEqual(pools('db_pool_empty_acquire_count'), [['pgx', 0]])
  assert.deepEqual(pools('db_pool_max'), [
    ['sql', 15],
    ['pgx', 25],
  ])
})

test('the guide describes every specified family', async () => {
  const guide = await readFile(new URL('../../docs/guides/metrics.md', import.meta.url), 'utf8')
  for (const [name, , labels] of SPECIFIED) {
    assert.ok(guide.includes(`\`${name}`), name)
    for (const label of labels.split(' ')) assert.ok(guide.includes(`\`${label}\``), label)
  }
})

function isQueueGauge({ name }: Series): boolean {
  return name === 'river_queue_depth' || name === 'river_queue_oldest_available_age_seconds'
}
