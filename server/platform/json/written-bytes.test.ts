import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { writtenBytes } from './written-bytes.ts'

const { pool } = await testWorkspace()
const number = fc.tuple(
  fc.constantFrom('', '-'),
  fc.nat(999),
  fc.constantFrom('', '.5', '.025'),
  fc.integer({ min: -320, max: 320 }),
)

test('numbers are counted as the database writes them', async () => {
  const numbers = fc
    .sample(number, { numRuns: 300, seed: 1 })
    .map(([sign, whole, rest, n]) => `${sign}${whole + 1}${rest}e${n}`)
  const { rows } = await pool.query<{ text: string }>(
    'select to_jsonb(n::numeric)::text as text from unnest($1::text[]) n',
    [numbers],
  )
  for (const [n, { text }] of rows.entries()) assert.equal(writtenBytes(numbers[n]!), text.length, numbers[n])
})

test('what stands in strings, and numbers without an exponent, is counted as it is', () => {
  for (const json of ['{"1e300":"1e300","\\"1e9":[12.50,-3]}', '"é 1e300"', '[]'])
    assert.equal(writtenBytes(json), Buffer.byteLength(json), json)
  assert.equal(writtenBytes('{"a":1e300,"b":"2e300"}'), '{"a":,"b":"2e300"}'.length + 301)
})
