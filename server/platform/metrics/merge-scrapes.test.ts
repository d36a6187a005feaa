import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExposition, seriesOf } from '../../../test/contract/exposition.ts'
import { MergedScrape } from './merge-scrapes.ts'
import { createMetrics } from './metrics.ts'

const page = (counted: number, gauges = '') => `# HELP work_total Work.
# TYPE work_total counter
work_total{kind="a b",status="ok"} ${counted}
# HELP work_seconds Time.
# TYPE work_seconds histogram
work_seconds_count{kind="a"} ${counted}
work_seconds_sum{kind="a"} ${counted / 2}
work_seconds_bucket{kind="a",le="5"} ${counted}
work_seconds_bucket{kind="a",le="+Inf"} ${counted}
${gauges}`
const gauge = (name: string, value: number) => `# HELP ${name} A gauge.\n# TYPE ${name} gauge\n${name} ${value}\n`
/** The page of what each process says now; undefined for one that does not. */
function mergeOf(merged: MergedScrape, pages: Record<string, string | undefined>): string {
  for (const [name, text] of Object.entries(pages)) if (text !== undefined) merged.hear(name, text)
  return merged.merge()
}
const sampleOf = (text: string, name: string, labels = {}) => seriesOf(parseExposition(text), name, labels)?.value

test('counters and histograms of all processes are added up, each series by itself', () => {
  const text = mergeOf(new MergedScrape(), { web: page(2), worker: page(3) })
  assert.equal(sampleOf(text, 'work_total', { kind: 'a b' }), 5)
  assert.equal(sampleOf(text, 'work_seconds_count'), 5)
  assert.equal(sampleOf(text, 'work_seconds_sum'), 2.5)
  assert.equal(sampleOf(text, 'work_seconds_bucket', { le: '+Inf' }), 5)
  assert.equal(parseExposition(text).types.size, 2)
})

test('gauges are added up, but for those that describe a process and not its share', () => {
  const gauges = (value: number) =>
    [
      'db_pool_open',
      'process_uptime_seconds',
      'nodejs_eventloop_delay_min_seconds',
      'nodejs_eventloop_delay_p99_seconds',
      'postroom_database_ready',
    ]
      .map((name) => gauge(name, value))
      .join('')
  const text = mergeOf(new MergedScrape(), { web: page(0, gauges(2)), worker: page(0, gauges(3)) })
  assert.equal(sampleOf(text, 'db_pool_open'), 5)
  assert.equal(sampleOf(text, 'process_uptime_seconds'), 3)
  assert.equal(sampleOf(text, 'nodejs_eventloop_delay_min_seconds'), 2)
  assert.equal(sampleOf(text, 'nodejs_eventloop_delay_p99_seconds'), 3)
  assert.equal(sampleOf(text, 'postroom_database_ready'), 2, 'the one that it is worst for')
})

test('what rises never falls: neither when a process does not answer, nor when it ends and begins anew', () => {
  const merged = new MergedScrape()
  const both = (value: number) => page(value, gauge('db_pool_open', 4) + gauge('db_pool_wait_count', value))
  mergeOf(merged, { web: both(2), worker: both(3) })
  const silent = mergeOf(merged, { web: both(2), worker: undefined })
  assert.deepEqual([sampleOf(silent, 'work_total'), sampleOf(silent, 'db_pool_wait_count')], [5, 5])
  assert.equal(sampleOf(silent, 'db_pool_open'), 4, 'what is not known now is not told')
  merged.end('worker')
  const gone = mergeOf(merged, { web: both(2), worker: undefined })
  assert.deepEqual([sampleOf(gone, 'work_total'), sampleOf(gone, 'db_pool_wait_count')], [5, 5])
  assert.equal(sampleOf(mergeOf(merged, { web: both(2), worker: both(1) }), 'work_total'), 6)
  merged.hear('worker', both(2))
  merged.end('worker', both(7))
  assert.equal(sampleOf(mergeOf(merged, { web: both(2), worker: undefined }), 'work_total'), 12)
})

test('a page of one process comes through as it is', async () => {
  const metrics = createMetrics({ version: '1.0.0', commit: 'abc', providers: ['smtp'] })
  metrics.jobAttempt({ queue: 'default', kind: 'k', status: 'ok', attempt: 1, durationMs: 20 })
  metrics.httpRequest({ operationId: 'Contacts_list', route: '/api/contacts', status: 200, durationMs: 3 })
  const text = await metrics.scrape()
  await metrics.close()
  assert.deepEqual(parseExposition(mergeOf(new MergedScrape(), { web: text })), parseExposition(text))
})
