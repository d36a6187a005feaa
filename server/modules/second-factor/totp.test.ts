import assert from 'node:assert/strict'
import test from 'node:test'
import { totpCode } from '../../../test/support/totp.ts'
import { newTotpSecret, otpauthUrl, stepOf } from './totp.ts'

/** RFC 6238 appendix B, SHA-1: the secret is "12345678901234567890", the last six of its eight digits. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const RFC_CODES: readonly (readonly [seconds: number, code: string])[] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

test('the codes are those of RFC 6238, by our own computation and by the library', () => {
  for (const [seconds, code] of RFC_CODES) {
    assert.equal(totpCode(RFC_SECRET, seconds * 1_000), code)
    assert.equal(stepOf(code, RFC_SECRET, seconds * 1_000), Math.floor(seconds / 30))
  }
})

test('a code is taken one step early and one step late, and no further', () => {
  const secret = newTotpSecret()
  const nowMs = 1_700_000_015_000
  const now = Math.floor(nowMs / 30_000)
  for (const steps of [-3, -2, -1, 0, 1, 2, 3]) {
    const found = stepOf(totpCode(secret, nowMs + steps * 30_000), secret, nowMs)
    assert.equal(found, Math.abs(steps) <= 1 ? now + steps : undefined, `${steps}`)
  }
})

test('secrets are 160 random bits, and the address of one is what an app reads', () => {
  assert.notEqual(newTotpSecret(), newTotpSecret())
  const secret = newTotpSecret()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const url = new URL(otpauthUrl(secret, 'ada@example.com'))
  assert.deepEqual([url.protocol, url.host], ['otpauth:', 'totp'])
  assert.equal(decodeURIComponent(url.pathname), '/Postroom:ada@example.com')
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    ...{ issuer: 'Postroom', secret, algorithm: 'SHA1', digits: '6', period: '30' },
  })
})
