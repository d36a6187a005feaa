import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { EMAIL_BYTES_MAX, normaliseEmail, wireAddress } from './mail-address.ts'

test('an address is trimmed, lower-cased and has its domain in ASCII', () => {
  const cases: Record<string, string> = {
    'ada@example.com': 'ada@example.com',
    '  Ada.Lovelace+Tag@EXAMPLE.Com \n': 'ada.lovelace+tag@example.com',
    'ada@例え.jp': 'ada@xn--r8jz45g.jp',
    'ADA@BÜCHER.example': 'ada@xn--bcher-kva.example',
    'ada@bücher。example': 'ada@xn--bcher-kva.example',
    'ada@ｅxample.com': 'ada@example.com',
    'ада@example.com': 'ада@example.com',
    'Zoe\u0308@example.com': 'zo\u00eb@example.com',
    "o'brien@example.com": "o'brien@example.com",
    'a@mail_host.example': 'a@mail_host.example',
    'ada@xn--bcher-kva.example': 'ada@xn--bcher-kva.example',
    'ada@example.com.': 'ada@example.com',
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
    `ada@${'a'.repeat(EMAIL_BYTES_MAX)}.com`,
  ]
  for (const given of refused) assert.equal(normaliseEmail(given), undefined, JSON.stringify(given))
})

test('an address with characters that nobody sees, or with more than one final dot, is none', () => {
  for (const hidden of ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad']) {
    for (const given of [`a${hidden}da@example.com`, `ada@exam${hidden}ple.com`, `ada@${hidden}büch.example`]) {
      assert.equal(normaliseEmail(given), undefined, JSON.stringify(given))
    }
  }
  for (const given of ['ada@example.com..', 'ada@.', 'ada.']) assert.equal(normaliseEmail(given), undefined, given)
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
        assert.ok(stored.length >= 3 && stored.length <= EMAIL_BYTES_MAX)
        assert.match(stored, /^[^\s@]+@[a-z0-9._-]+$/)
      },
    ),
    { seed: seedFrom('ADDRESS_SEED'), numRuns: 3_000 },
  )
})

test('lengths are octets, and labels those of hosts: what cannot be sent to is not stored', () => {
  const domain = `${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(59)}`
  assert.equal(normaliseEmail(`${'a'.repeat(64)}@${domain}.ex`), undefined, '255 octets')
  for (const sound of [
    `${'a'.repeat(64)}@${domain}.e`,
    `${'ж'.repeat(32)}@example.com`,
    'ada@localhost',
    'ada@1.example',
  ]) {
    assert.equal(normaliseEmail(sound), sound)
  }
  for (const refused of [
    `${'ж'.repeat(33)}@example.com`,
    `ada@${'a'.repeat(64)}.example`,
    'ada@-a.example',
    'ada@a-.example',
    'ada\ud800@example.com',
  ]) {
    assert.equal(normaliseEmail(refused), undefined, refused)
  }
})

test('over the wire the local part is as it was given', () => {
  assert.equal(wireAddress('Ada@Example.COM'), 'Ada@Example.COM')
  assert.equal(wireAddress('Ада@Bücher.example'), 'Ада@xn--bcher-kva.example')
  assert.equal(wireAddress(' ada@example.com'), undefined)
})

test('a text of very many parts is looked at once', () => {
  for (const long of [`${'a.'.repeat(100_000)}@`, `a@${'a-'.repeat(100_000)}`, `a@${'a.'.repeat(100_000)}!`]) {
    assert.equal(normaliseEmail(long), undefined)
  }
})
