import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Tokenizer } from 'liquidjs'
import { seedFrom } from '../../../../test/support/seeded-random.ts'
import { quickenTexts } from './text-tokens.ts'

const library = Tokenizer.prototype.readHTMLToken

/** Tokens of a source with what they say, or why there are none. */
function tokensOf(source: string): unknown {
  try {
    const tokens = new Tokenizer(source).readTopLevelTokens()
    return tokens.map((token) => [token.kind, token.begin, token.end, token.getText(), { ...token }])
  } catch (error) {
    return String(error)
  }
}

const PIECES = [
  '{',
  '}',
  '{{',
  '}}',
  '{%',
  '%}',
  '{%- raw -%}',
  '{% endraw %}',
  '{{- a -}}',
  '{% if a %}',
  ' ',
  '\n',
  'a',
  '%',
  '-',
  '😀',
  '<p>',
]

test('texts between Liquid are the tokens that the library makes of them', () => {
  const source = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(source, (text) => {
      Tokenizer.prototype.readHTMLToken = library
      const expected = tokensOf(text)
      quickenTexts()
      assert.deepEqual(tokensOf(text), expected)
    }),
    { numRuns: 3_000, seed: seedFrom('TEXTS_SEED') },
  )
})
