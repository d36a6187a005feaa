import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { createUtf8Converter } from './to-utf8.ts'

function convert(file: Buffer, pieceBytes: number): { text: string; encoding: string } {
  const converter = createUtf8Converter()
  const out: Buffer[] = []
  for (let at = 0; at < file.length; at += pieceBytes) out.push(converter.convert(file.subarray(at, at + pieceBytes)))
  out.push(converter.end())
  return { text: Buffer.concat(out).toString('utf8'), encoding: converter.encoding() }
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

test('each encoding is known by its mark or its bytes, and the mark is left out', () => {
  const text = 'name;city\nJosé;Zürich\n'
  const cases: [encoding: string, file: Buffer][] = [
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16be', utf16be(`\ufeff${text}`)],
    ['utf-16be', utf16be(text)],
    ['windows-1252', Buffer.from(text, 'latin1')],
  ]
  for (const [encoding, file] of cases) assert.deepEqual(convert(file, 64), { text, encoding })
  assert.equal(convert(Buffer.from([0x80, 0x20, 0x41, 0x42]), 4).text, '€ AB', 'Windows-1252 is more than Latin 1')
  for (const short of ['', 'a', 'é']) assert.equal(convert(Buffer.from(short), 1).text, short)
})

test('the first letter beyond ASCII decides, however late it comes', () => {
  const head = 'x'.repeat(1_000)
  assert.equal(convert(Buffer.from(`${head}é`, 'latin1'), 100).text, `${head}é`)
  assert.equal(convert(Buffer.from(`${head}é`), 100).text, `${head}é`)
})

test('any text in UTF-8 or UTF-16 with a mark comes through in any pieces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 4, max: 9 }), (text, pieceBytes) => {
      const whole = `ab${text}`
      assert.equal(convert(Buffer.from(whole), pieceBytes).text, whole)
      assert.equal(convert(Buffer.from(`\ufeff${whole}`, 'utf16le'), pieceBytes).text, whole)
      assert.equal(convert(utf16be(`\ufeff${whole}`), pieceBytes).text, whole)
    }),
    { seed: seedFrom('UTF8_SEED'), numRuns: 1_000 },
  )
})
