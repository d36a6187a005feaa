import assert from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { FixedText, type MailText, type Piece, textOfPiece } from './mail-text.ts'
import { encodeText } from './transfer-encoding.ts'

const RANDOM_TEXTS = 3_000
const FRAGMENTS = [
  ...['a', 'word ', ' ', '  ', '\t', '\n', '\r\n', '\r', '.', 'From ', '=', '=3D', '--=_x', 'é', '漢字', '👍🏽', '\0'],
  ...['x'.repeat(75), 'y'.repeat(76), 'z'.repeat(1_100), '<td style="color:#333">', ' \n', '\t\n', '\n\n\n'],
]

const encoded = (text: MailText) => {
  const { encoding, body } = encodeText(text)
  return { encoding, body: body.map((chunk) => chunk.toString('latin1')).join('') }
}

/** The text as a foreign parser reads it. */
async function decoded(text: MailText): Promise<string> {
  const { encoding, body } = encoded(text)
  const head = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`
  // Its last line break may be the parser's.
  return ((await PostalMime.parse(`${head}${body}\r\n`)).text ?? '').replace(/\r\n?/g, '\n').replace(/\n+$/, '')
}

/** RFC 6376 3.4.4, as it is written there; a body may go on with a line break. */
const relaxed = (body: string) =>
  body
    .split('\r\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
    .join('\r\n')

const wellFormed = (text: MailText) =>
  (typeof text === 'string' ? [text] : text).map((piece) => textOfPiece(piece).toWellFormed()).join('')

test('text in pieces is one text, whatever they end and begin with, and its own relaxed form', async (t) => {
  const seed = seedFrom('ENCODING_SEED')
  t.diagnostic(`seed ${seed}`)
  const random = seededRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const text = () => Array.from({ length: Math.floor(random() * 12) }, () => pick(FRAGMENTS)).join('')
  const fixed = Array.from({ length: 40 }, () => new FixedText(text()))
  for (let n = 0; n < RANDOM_TEXTS; n++) {
    const pieces = Array.from({ length: Math.floor(random() * 6) }, () =>
      pick<() => Piece>([text, () => pick(fixed)])(),
    )
    const given: MailText = n % 3 === 0 ? text() : pieces
    const what = JSON.stringify(given)
    const { body, encoding } = encoded(given)
    if (encoding !== '7bit') assert.equal(relaxed(body), body, what)
    assert.doesNotMatch(body, /[ \t]$/, what)
    for (const line of body.split('\r\n')) {
      assert.ok(line.length <= (encoding === '7bit' ? 998 : 76), `${line.length} characters: ${what}`)
      assert.doesNotMatch(line, /^(?:From |--=_)/, what)
      if (encoding !== '7bit') assert.doesNotMatch(line, /^\./, what)
    }
    if (encoding !== '7bit') assert.doesNotMatch(body, /=\r\n$/, what)
    assert.equal(await decoded(given), wellFormed(given).replace(/\r\n?/g, '\n').replace(/\n+$/, ''), what)
  }
})

test('a fixed piece is encoded once', () => {
  const piece = new FixedText('<p>Grüße aus Köln, with enough in ASCII that it is quoted</p>')
  const [first, second] = [encodeText([piece, 'a']).body, encodeText(['b', piece]).body]
  assert.equal(first[0], second.at(-1))
})

test('text with fixed pieces that is mostly not ASCII goes in base64', () => {
  assert.equal(encoded([new FixedText('Владимир Кузнецов'), ' и ', 'другие']).encoding, 'base64')
})
