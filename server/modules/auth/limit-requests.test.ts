import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalidToken } from '../../catalogue/problems.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { createRequestLimiter, sessionSubject, tokenSubject } from './limit-requests.ts'

const NETWORKS = 120_000
const LIMITS = { api: 40, site: 10, failures: 2 }
const reply = { headers: () => undefined }
const ofNetwork = (n: number) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`
const session = (n: number) => Buffer.from(`session ${n}`)

test('failures from ever so many networks are nobody else’s: tokens, sessions and addresses not seen yet pass', () => {
  const now = () => 60_000 * 1_000
  const limiter = () => createLimiter(async () => [], { now, everyMs: 2 ** 30 })
  const limits = createRequestLimiter({ callers: limiter(), failures: limiter() }, LIMITS)
  try {
    const spent = tokenSubject('1', '7')
    for (let n = 0; n < LIMITS.api; n++) assert.equal(limits.admit(reply, 'api', spent), undefined)
    for (let n = 0; n < NETWORKS; n++) {
      for (let k = 0; k < LIMITS.failures; k++) limits.refuseFailure(ofNetwork(n), invalidToken())
      limits.refuseSpent(reply, session(n))
    }
    assert.equal(
      limits.refuseFailure(ofNetwork(NETWORKS - 1), invalidToken()).statusCode,
      429,
      'their own failures count',
    )
    assert.equal(limits.refuseFailure(ofNetwork(NETWORKS), invalidToken()).statusCode, 401)
    for (let n = 0; n < LIMITS.api; n++) assert.equal(limits.admit(reply, 'api', tokenSubject('1', '8')), undefined)
    for (let n = 0; n < LIMITS.site; n++) {
      assert.equal(limits.admit(reply, 'site', sessionSubject(session(-1))), undefined)
    }
    assert.equal(
      limits.admit(reply, 'api', spent)?.statusCode,
      429,
      'and a token that has used its minute up is held to it',
    )
  } finally {
    limits.stop()
  }
})
