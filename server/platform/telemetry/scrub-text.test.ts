import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { maskEmails, scrubber } from './scrub-text.ts'

/** Of a processor, for 100 kB. */
const SCRUB_MS_MAX = 250
const scrub = scrubber([])

test('what surrounds a secret stays readable', () => {
  for (const [text, expected] of [
    ['password=hunter2 for alice', 'password=*** for alice'],
    ['{"token":"a\\"b","id":7}', '{"token":***,"id":7}'],
    ["{ apiKey: 'x y', id: 7 }", '{ apiKey: ***, id: 7 }'],
    ['postgres://u:p@db.example/postroom is away', 'postgres://***@db.example/postroom is away'],
    ['token prt_abcdefghijkl_0123456789 revoked', 'token prt_*** revoked'],
    ['POST a=1&secret=x%26y&b=2', 'POST a=1&secret=***&b=2'],
  ] as const) {
    assert.equal(scrub(text), expected)
  }
})

test('scrubbing and masking again change nothing', () => {
  const once = maskEmails(scrub('password="x" Bearer abcdefgh postgres://u:p@h/d whsec_0123456789 alice@example.com'))
  assert.equal(maskEmails(scrub(once)), once)
})

test('of a known setting each key and the password of an address are known', () => {
  const keys = scrubber(['first-key-0123456789,second-key-0123456789'])
  assert.equal(keys('with second-key-0123456789'), 'with ***')
  const address = scrubber(['postgres://u:pass%2Fword-0123@db.example/x'])
  assert.equal(address('user u gave pass/word-0123'), 'user u gave ***')
})

test('a text is cut at its limit, never inside of a secret', () => {
  const text = `${'x'.repeat(8_190)}prt_${'a'.repeat(100)}`
  const clean = scrub(text)
  assert.ok(clean.length < 8_210)
  assert.doesNotMatch(clean, /aa/)
})

test('hostile text is scrubbed in a few milliseconds', async () => {
  const pieces = [
    ...[
      'a',
      '@',
      '://',
      'postgres://',
      'password',
      'password=',
      'token"',
      'token\\',
      'secret \\"',
      '\\',
      '"',
      "'",
      ' ',
    ],
    ...[
      'bearer ',
      'Basic ',
      'cookie: ',
      '-----BEGIN PRIVATE KEY-----',
      'prt_',
      'a@a.',
      '%40',
      '[',
      'token"\\\\\\"',
      '=>',
    ],
  ]
  for (const piece of pieces) {
    for (const end of ['', '@', '"', '\n']) {
      const text = piece.repeat(Math.ceil(100_000 / piece.length)) + end
      const tookMs = await leastMs(SCRUB_MS_MAX, () => processorMs(() => maskEmails(scrub(text))))
      assert.ok(tookMs <= SCRUB_MS_MAX, `${JSON.stringify(piece)} took ${tookMs.toFixed(0)} ms`)
    }
  }
})
