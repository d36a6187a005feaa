import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LimitFacts, sendLimitOf } from './send-limit.ts'

const UNKNOWN: LimitFacts = {
  maxPerSecond: null,
  maxPerDay: null,
  quotaPerSecond: null,
  quotaPerDay: null,
  quotaSent24h: null,
  quotaFailed: false,
  sentLast24h: 0,
}
const limit = (facts: Partial<LimitFacts>) => sendLimitOf({ ...UNKNOWN, ...facts })
const NONE = { limit: null, source: 'none' }

test('the lower limit holds, the configured one when both are the same, none without either', () => {
  for (const [manual, provider, expected] of [
    [5, 14, { limit: 5, source: 'manual' }],
    [14, 14, { limit: 14, source: 'manual' }],
    [15, 14, { limit: 14, source: 'provider' }],
    [5, null, { limit: 5, source: 'manual' }],
    [null, 14, { limit: 14, source: 'provider' }],
    [null, 0, { limit: 0, source: 'provider' }],
    [null, null, NONE],
  ] as const) {
    assert.deepEqual(limit({ maxPerSecond: manual, quotaPerSecond: provider }).perSecond, expected)
    assert.deepEqual(limit({ maxPerDay: manual, quotaPerDay: provider }).perDay, expected)
  }
})

test('one limit that is missing is enough to warn of it', () => {
  assert.deepEqual(limit({}).warnings, ['unlimited'])
  assert.deepEqual(limit({ maxPerSecond: 1 }).warnings, ['unlimited'])
  assert.deepEqual(limit({ maxPerDay: 1 }).warnings, ['unlimited'])
  assert.deepEqual(limit({ maxPerSecond: 1, maxPerDay: 1 }).warnings, [])
  assert.deepEqual(limit({ quotaPerSecond: 1, maxPerDay: 1 }).warnings, [])
})

test('a quota that could not be read is warned of, and the last known one holds on', () => {
  const { perDay, warnings } = limit({ quotaPerSecond: 1, quotaPerDay: 200, quotaFailed: true })
  assert.deepEqual(perDay, { limit: 200, source: 'provider' })
  assert.deepEqual(warnings, ['providerQuotaUnavailable'])
})

test("a daily limit is near from 80 %, reached at all of it, by our count or by the provider's", () => {
  const both = { maxPerSecond: 1, maxPerDay: 100 }
  for (const [sentLast24h, warnings] of [
    [79, []],
    [80, ['dailyLimitNear']],
    [99, ['dailyLimitNear']],
    [100, ['dailyLimitReached']],
    [101, ['dailyLimitReached']],
  ] as const) {
    assert.deepEqual(limit({ ...both, sentLast24h }).warnings, warnings, `${sentLast24h}`)
    const counted = { maxPerSecond: 1, quotaPerDay: 100, quotaSent24h: sentLast24h }
    assert.deepEqual(limit(counted).warnings, warnings, `${sentLast24h} by the provider`)
  }
  assert.deepEqual(limit({ ...both, quotaPerDay: 0 }).warnings, ['dailyLimitReached'])
})
