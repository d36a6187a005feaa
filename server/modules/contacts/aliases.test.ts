import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EMAIL_CHARS_MAX, identifierFault, normaliseEmail, normaliseText } from './aliases.ts'

test('an address is trimmed, lower-cased and has its domain in ASCII', () => {
  const cases: Record<string, string> = {
    'ada@example.com': 'ada@example.com',
    '  Ada.Lovelace+Tag@EXAMPLE.Com \n': 'ada.lovelace+tag@example.com',
    'ada@例え.jp': 'ada@xn--r8jz45g.jp',
    'ADA@BÜCHER.example': 'ada@xn--bcher-kva.example',
    'ada@bücher。example': 'ada@xn--bcher-kva.example',
    'ada@ｅxample.com': 'ada@example.com',
    'ада@example.com': 'ада@example.com',
    "o'brien@example.com": "o'brien@example.com",
    'a@mail_host.example': 'a@mail_host.example',
    'ada@xn--bcher-kva.example': 'ada@xn--bcher-kva.example',
  }
  for (const [given, stored] of Object.entries(cases)) assert.equal(normaliseEmail(given), stored, given)
})

test('the same domain in either spelling is one address', () => {
  assert.equal(normaliseEmail('ada@BÜCHER.example'), normaliseEmail('ada@xn--bcher-kva.example'))
})

test('what is not one plain address is refused', () => {
  const refused = [
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@@example.com',
    'ada@b@example.com',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    'ada@example.com,eve@example.com',
    'ada@example.com;eve@example.com',
    'ada@example.com eve@example.com',
    '"ada lovelace"@example.com',
    'ada lovelace@example.com',
    'ada(comment)@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@.example.com',
    'ada@example..com',
    'ada@例え..jp',
    'ada@[127.0.0.1]',
    'ada@[::1]',
    'ada@exam\u0000ple.com',
    'ada@\u3200',
    'ada@\u3200.example',
    'a\u0000da@example.com',
    'a\u0007da@example.com',
    'ada\r\nbcc: eve@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(EMAIL_CHARS_MAX)}.com`,
  ]
  for (const given of refused) assert.equal(normaliseEmail(given), undefined, JSON.stringify(given))
})

test('a domain is never cut, decoded or joined to something the address does not say', () => {
  for (const host of [
    'exämple.com/path',
    'exämple.com?query',
    'exämple.com#fragment',
    'exämple.com:8080',
    'exämple.com\\eve.example',
    'exam\nple.com',
    'exam\tple.com',
    'ex ample.com',
    '%65xämple.com',
    'exämple.com%2eeve.example',
  ]) {
    assert.equal(normaliseEmail(`ada@${host}`), undefined, JSON.stringify(host))
  }
})

test('whatever comes in: what is stored is stored again as it is, and fits the column', () => {
  const part = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.emailAddress(),
        fc.tuple(part, part).map((parts) => parts.join('@')),
      ),
      (given) => {
        const stored = normaliseEmail(given)
        if (stored === undefined) return
        assert.equal(normaliseEmail(stored), stored)
        assert.ok(stored.length >= 3 && stored.length <= EMAIL_CHARS_MAX)
        assert.match(stored, /^[^\s@]+@[a-z0-9._-]+$/)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('text is trimmed, and empty text is unset', () => {
  assert.equal(normaliseText('  a b \t'), 'a b')
  for (const empty of ['', ' ', '\n\t', null, undefined]) assert.equal(normaliseText(empty), null)
})

test('an identifier has a length and no control characters', () => {
  assert.equal(identifierFault('x'.repeat(5), 5), undefined)
  assert.match(identifierFault('x'.repeat(6), 5)!, /at most 5/)
  for (const control of ['\u0000', '\n', '\u001f', '\u007f', '\u0085']) {
    assert.match(identifierFault(`a${control}b`, 5)!, /control/)
  }
})
