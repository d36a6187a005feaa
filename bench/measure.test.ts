import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitText, measure, percentilesOf, percentilesText, rateText, ratioLine } from './measure.ts'
import { zOfRanks } from './rank-test.ts'

test('units are counted over the time their calls took, the warm-up not', async () => {
  let calls = 0
  const measured = await measure(
    async () => {
      calls++
      await new Promise(setImmediate)
      return 100
    },
    { concurrency: 4, durationMs: 20, warmUpMs: 20 },
  )
  assert.ok(measured.units > 0 && measured.units % 100 === 0)
  assert.ok(measured.units / 100 < calls)
  assert.ok(measured.elapsedMs >= 20)
  assert.equal(Math.round(measured.perSecond), Math.round((measured.units * 1_000) / measured.elapsedMs))
  assert.ok(measured.callMs.p50 <= measured.callMs.max)
})

test('an error of the work ends the measurement', async () => {
  const failing = measure(() => Promise.reject(new Error('503')), { concurrency: 2, durationMs: 1_000 })
  await assert.rejects(failing, { message: '503' })
})

test('percentiles are values that occurred', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  assert.deepEqual(percentilesOf(values), { p50: 50, p90: 90, p99: 99, max: 100 })
  assert.deepEqual(percentilesOf([7]), { p50: 7, p90: 7, p99: 7, max: 7 })
})

test('a ratio line says what was measured, against what, and whether the goal is met', () => {
  const events = { perSecond: 93_123, unit: 'events' }
  const copy = { perSecond: 131_000, unit: 'rows', name: 'COPY' }
  assert.equal(ratioLine('intake', events, copy), 'intake: 93,100 events/s, 0.71 of COPY (131,000 rows/s)')
  assert.match(ratioLine('intake', events, { ...copy, goal: 0.7 }), /, goal 0\.70 met$/)
  assert.match(ratioLine('intake', events, { ...copy, goal: 0.8 }), /, goal 0\.80 NOT met$/)
  assert.equal(rateText({ perSecond: 7.129, unit: 'jobs' }), '7.13 jobs/s')
  assert.equal(
    percentilesText({ p50: 1.24, p90: 3, p99: 12.4, max: 48 }),
    'p50 1.2 ms, p90 3.0 ms, p99 12 ms, max 48 ms',
  )
})

test('what should stay below its goal says whether it does', () => {
  assert.equal(limitText(23.456, 30, 'ms'), '23.46 ms, goal <= 30 ms met')
  assert.equal(limitText(1_234, 200, 'MiB'), '1,234 MiB, goal <= 200 MiB NOT met')
})

test('a rank test tells lists apart by their order alone, and equal values not at all', () => {
  assert.equal(zOfRanks([1, 2, 3, 4, 5], [6, 7, 8, 9, 10_000]).toFixed(3), '-2.611')
  assert.equal(zOfRanks([6, 7, 8, 9, 10_000], [1, 2, 3, 4, 5]).toFixed(3), '2.611')
  assert.equal(zOfRanks([1, 3, 5], [2, 3, 4]).toFixed(3), '0.000')
  assert.equal(zOfRanks([2, 2], [2, 2]), 0)
  assert.equal(zOfRanks([1, 1, 2], [2, 3, 3]).toFixed(3), '-1.826')
})
