import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskAddress, masked, untrusted, untrustedText } from './untrusted-text.ts'

test('what cannot be seen is taken out, and lines become one', () => {
  assert.equal(untrustedText('a\u200bb\u202ec\u{e0041}d\u0007e\u00adf\ufe0f'), 'abcdef')
  assert.equal(untrustedText('one\r\n\ttwo'), 'one two')
})

test('addresses are masked wherever they stand', () => {
  assert.equal(maskAddress('ada@example.com'), 'a***@example.com')
  assert.equal(untrustedText('to ada@example.com, <bob@b.example>'), 'to a***@example.com, <b***@b.example>')
  assert.equal(untrustedText('@ada a@b@c'), '@ada a***@***@c')
})

test('telephone numbers are masked in texts, and what only looks like one is not', () => {
  assert.equal(untrustedText('call +49 30 55500012 or +442079460958.'), 'call ***12 or ***58.')
  assert.equal(untrustedText('2026-01-15T09:30:00+01:00, 1+2, +5 %'), '2026-01-15T09:30:00+01:00, 1+2, +5 %')
  const given = { a: ['ada@example.com', 7, null], b: { c: '+442079460958' } }
  assert.deepEqual(masked(given), { a: ['a***@example.com', 7, null], b: { c: '***58' } })
})

test('links are no links', () => {
  assert.equal(untrustedText('![x](https://evil.example/?q=1)'), '![x] (https[:]//evil.example/?q=1)')
})

test('texts, entries and depth have an end', () => {
  assert.equal(untrustedText('x'.repeat(2_000)), `${'x'.repeat(500)}…`)
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at]))
  assert.equal(Object.keys(untrusted(wide) as object).length, 40)
  assert.deepEqual(untrusted({ a: { b: { c: { d: { e: 1 } } } } }), { a: { b: { c: { d: '…' } } } })
  assert.equal(untrusted(JSON.rawJSON('12345678901234567890')), '12345678901234567890')
})

test('whatever is given, nothing whole comes out that could be written to, followed, or not seen', () => {
  const parts = fc.array(
    fc.constantFrom('a', '@', '.', ' ', 'http://', '\u200b', '<', ':', '/', '💥', '\u0000', '](', ','),
  )
  fc.assert(
    fc.property(parts, (given) => {
      const shown = untrustedText(given.join(''))
      assert.ok(!shown.includes('://') && !shown.includes(']('), shown)
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u)
      assert.doesNotMatch(shown, /(^|[ <>,])[^ <>,:*@[\]()]{2,}@/u)
    }),
  )
})
