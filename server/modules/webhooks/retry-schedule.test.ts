import assert from 'node:assert/strict'
import test from 'node:test'
import { ATTEMPTS_MAX, parseRetryAfter, RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.ts'

const HOUR_MS = 3_600_000
const ALMOST_ONE = 1 - 2 ** -53
const now = new Date('2026-11-21T12:00:00.000Z')

/** The time between the first attempt and the last, and how many there are, under a clock that jumps to each. */
function run(random: () => number, retryAfterMs?: number): { attempts: number; spanMs: number } {
  let attempts = 1
  let spanMs = 0
  for (;;) {
    const delayMs = retryDelayMs({ attempt: attempts, retryAfterMs, random: random() })
    if (delayMs === undefined) return { attempts, spanMs }
    attempts++
    spanMs += delayMs
  }
}

test('ten attempts follow the stated plan of 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
  assert.equal(ATTEMPTS_MAX, 10)
  assert.deepEqual(RETRY_DELAYS_MS, [
    5_000,
    300_000,
    1_800_000,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
  ])
  assert.deepEqual(
    run(() => 0),
    { attempts: 10, spanMs: 75 * HOUR_MS + 35 * 60_000 + 5_000 },
  )
})

test('no jitter shortens the plan below 72 hours, and none stretches a wait beyond a fifth', () => {
  for (const random of [() => 0, Math.random, () => ALMOST_ONE]) {
    const { attempts, spanMs } = run(random)
    assert.equal(attempts, 10)
    assert.ok(spanMs >= 72 * HOUR_MS && spanMs <= 1.2 * 76 * HOUR_MS)
  }
  for (const [index, plannedMs] of RETRY_DELAYS_MS.entries()) {
    for (let n = 0; n < 1_000; n++) {
      const delayMs = retryDelayMs({ attempt: index + 1, random: Math.random() })
      assert.ok(delayMs !== undefined && delayMs >= plannedMs && delayMs <= plannedMs * 1.2)
    }
  }
})

test('an endpoint that is down for 71 hours is still attempted after that', () => {
  for (let n = 0; n < 1_000; n++) assert.ok(run(Math.random).spanMs > 71 * HOUR_MS)
})

test('Retry-After stretches a wait up to twice the planned one and never shortens it', () => {
  for (const [index, plannedMs] of RETRY_DELAYS_MS.entries()) {
    const attempt = index + 1
    assert.equal(retryDelayMs({ attempt, retryAfterMs: 0, random: 0 }), plannedMs)
    assert.equal(retryDelayMs({ attempt, retryAfterMs: plannedMs * 1.5, random: 0 }), plannedMs * 1.5)
    assert.equal(retryDelayMs({ attempt, retryAfterMs: plannedMs * 100, random: ALMOST_ONE }), plannedMs * 2)
    const jittered = retryDelayMs({ attempt, random: 0.5 })
    assert.equal(retryDelayMs({ attempt, retryAfterMs: 1, random: 0.5 }), jittered)
  }
  assert.equal(retryDelayMs({ attempt: ATTEMPTS_MAX, retryAfterMs: 1_000, random: 0 }), undefined)
})

test('Retry-After is read as seconds or as an HTTP date, and anything else is ignored', () => {
  assert.equal(parseRetryAfter(undefined, now), undefined)
  assert.equal(parseRetryAfter('120', now), 120_000)
  assert.equal(parseRetryAfter(' 0 ', now), 0)
  assert.equal(parseRetryAfter('Sat, 21 Nov 2026 12:00:30 GMT', now), 30_000)
  assert.equal(parseRetryAfter('Sat, 21 Nov 2026 11:59:00 GMT', now), 0)
  assert.equal(parseRetryAfter('Saturday, 21-Nov-26 12:00:30 GMT', now), 30_000)
  assert.equal(parseRetryAfter('Sat Nov 21 12:00:30 2026', now), 30_000)
  for (const nonsense of ['', 'soon', '-5', '1.5', '1e3', '0x10', '9999999999', '2026-11-21T12:00:30Z', 'NaN']) {
    assert.equal(parseRetryAfter(nonsense, now), undefined, nonsense)
  }
})
