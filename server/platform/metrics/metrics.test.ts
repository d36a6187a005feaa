import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics, type Metrics } from './metrics.ts'

async function withMetrics(work: (metrics: Metrics) => Promise<void>): Promise<void> {
  const metrics = createMetrics({ version: '0.0.0', commit: 'test', providers: ['smtp', 'ses'] })
  try {
    await work(metrics)
  } finally {
    await metrics.close()
  }
}

/** Lines of one family without the scope's labels: `name{label="x"} 1`. */
async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  const lines = (await metrics.scrape()).split('\n').filter((line) => line.startsWith(name))
  return lines.map((line) =>
    line
      .replace(/,?otel_scope_name="postroom",otel_scope_version="0\.0\.0"/, '')
      .replace('{,', '{')
      .replace('{}', ''),
  )
}

test('a source that hangs holds a scrape up for its limit only, and leaves a gap that is counted', async () => {
  await withMetrics(async (metrics) => {
    let asked = 0
    metrics.outboxLag(() => {
      asked++
      return new Promise(() => undefined)
    })
    metrics.queueStats(async () => {
      throw new Error('the database is away')
    })
    metrics.gauge({ name: 'postroom_outbox_parked_rows', help: 'Parked rows.' }, () => [{ value: 3 }])
    const [first, second] = await Promise.all([metrics.scrape(), metrics.scrape()])
    assert.equal(first, second)
    assert.equal(asked, 1)
    assert.doesNotMatch(first, /^(outbox_lag|river_queue)/m)
    assert.match(first, /^postroom_outbox_parked_rows\{.*\} 3$/m)
    assert.match(first, /^postroom_observations_missing_total\{source="outbox_lag_seconds",reason="timeout",.*\} 1$/m)
    assert.match(first, /^postroom_observations_missing_total\{source="river_queue_depth",reason="failed",.*\} 1$/m)
  })
})

test('a gauge shows what was read last and nothing that is gone', async () => {
  await withMetrics(async (metrics) => {
    let samples = [
      { value: 1, labels: { group: 'a' } },
      { value: 2, labels: { group: 'b' } },
    ]
    metrics.gauge({ name: 'postroom_things', help: 'Things.' }, async () => samples)
    assert.deepEqual(await linesOf(metrics, 'postroom_things'), [
      'postroom_things{group="a"} 1',
      'postroom_things{group="b"} 2',
    ])
    samples = [{ value: 5, labels: { group: 'b' } }]
    assert.deepEqual(await linesOf(metrics, 'postroom_things'), ['postroom_things{group="b"} 5'])
  })
})

test('counters and histograms of our own add up over scrapes', async () => {
  await withMetrics(async (metrics) => {
    const parked = metrics.counter({ name: 'postroom_outbox_parked_total', help: 'Rows parked.' })
    const batch = metrics.histogram({ name: 'postroom_intake_batch_events', help: 'Events in a commit.' }, [1, 10])
    parked(1, { group: 'persist' })
    batch(4)
    await metrics.scrape()
    parked(2, { group: 'persist' })
    batch(40)
    assert.deepEqual(await linesOf(metrics, 'postroom_outbox_parked_total'), [
      'postroom_outbox_parked_total{group="persist"} 3',
    ])
    assert.deepEqual(await linesOf(metrics, 'postroom_intake_batch_events'), [
      'postroom_intake_batch_events_count 2',
      'postroom_intake_batch_events_sum 44',
      'postroom_intake_batch_events_bucket{le="1"} 0',
      'postroom_intake_batch_events_bucket{le="10"} 1',
      'postroom_intake_batch_events_bucket{le="+Inf"} 2',
    ])
  })
})

test('a name of our own without the prefix is refused', async () => {
  await withMetrics(async (metrics) => {
    assert.throws(() => metrics.counter({ name: 'outbox_parked_total', help: '' }), /not prefixed postroom_/)
  })
})

test('label values are escaped', async () => {
  await withMetrics(async (metrics) => {
    metrics.counter({ name: 'postroom_odd_total', help: 'Odd\nhelp.' })(1, { odd: 'a"b\\c\nd' })
    assert.deepEqual(await linesOf(metrics, 'postroom_odd_total'), ['postroom_odd_total{odd="a\\"b\\\\c\\nd"} 1'])
    assert.match(await metrics.scrape(), /^# HELP postroom_odd_total Odd\\nhelp\.$/m)
  })
})

test('the runtime shows its event loop, heap, garbage collections, CPU and handles', async () => {
  await withMetrics(async (metrics) => {
    const blockedUntilMs = performance.now() + 60
    while (performance.now() < blockedUntilMs);
    const expected = [
      /^nodejs_eventloop_delay_p99_seconds\{.*\} [0-9.e-]+$/m,
      /^nodejs_eventloop_utilization_ratio\{.*\} (0|1|0\.\d+)$/m,
      /^nodejs_eventloop_time_seconds_total\{nodejs_eventloop_state="active",.*\} [0-9.]+$/m,
      /^v8js_memory_heap_used_bytes\{v8js_heap_space_name="old_space",.*\} [1-9]\d+$/m,
      /^v8js_memory_heap_limit_bytes\{.*\} [1-9]\d+$/m,
      /^process_cpu_time_seconds_total\{cpu_mode="user",.*\} [0-9.]+$/m,
      /^process_memory_usage_bytes\{.*\} [1-9]\d+$/m,
      /^process_uptime_seconds\{.*\} [0-9.]+$/m,
    ]
    const deadlineMs = performance.now() + 60_000
    let missing = expected
    while (missing.length > 0 && performance.now() < deadlineMs) {
      await new Promise(setImmediate)
      const text = await metrics.scrape()
      missing = missing.filter((line) => !line.test(text))
    }
    assert.deepEqual(missing, [])
  })
})
