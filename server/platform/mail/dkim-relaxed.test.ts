import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { relaxedBody, relaxedFields } from './dkim-relaxed.ts'

const RANDOM_BODIES = 5_000

const relaxed = (body: string) => relaxedBody(Buffer.from(body, 'latin1')).toString('latin1')

/** RFC 6376 3.4.4 line by line, as it is written there. */
function byTheBook(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  while (lines.at(-1) === '') lines.pop()
  return lines.map((line) => `${line}\r\n`).join('')
}

test('the example of RFC 6376 3.4.5 comes out as printed there', () => {
  assert.deepEqual(
    relaxedFields('A: X\r\nB : Y\t\r\n\tZ  \r\n').map(({ canonical }) => canonical),
    ['a:X\r\n', 'b:Y Z\r\n'],
  )
  assert.equal(relaxed(' C \r\nD \t E\r\n\r\n\r\n'), ' C\r\nD E\r\n')
})

test('a body of nothing but white space and empty lines is empty, and a last line always ends', () => {
  for (const body of ['', '\r\n', '\r\n\r\n', ' \t ', '\t\r\n \r\n\r\n'])
    assert.equal(relaxed(body), '', JSON.stringify(body))
  assert.equal(relaxed('a'), 'a\r\n')
  assert.equal(relaxed('\r\n \r\na\t'), '\r\n\r\na\r\n')
})

test('bytes that are no text stay as they are', () => {
  const body = Buffer.from([0x00, 0xff, 0x20, 0x09, 0xc3, 0xa9, 0xa0, 0x0d, 0x0a])
  assert.deepEqual([...relaxedBody(body)], [0x00, 0xff, 0x20, 0xc3, 0xa9, 0xa0, 0x0d, 0x0a])
})

test('one body after another is what the rule says of it, whatever came before', (t) => {
  const seed = seedFrom('RELAXED_SEED')
  t.diagnostic(`seed ${seed}`)
  const random = seededRandom(seed)
  const pieces = [' ', '  ', '\t', '\r\n', '\r\n\r\n', 'a', 'é', '.', '=\r\n', ' \r\n', '\t \r\n', 'text']
  for (let n = 0; n < RANDOM_BODIES; n++) {
    const count = Math.floor(random() * (n % 50 === 0 ? 2_000 : 20))
    const body = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join('')
    assert.equal(relaxed(body), byTheBook(body), JSON.stringify(body))
  }
})
