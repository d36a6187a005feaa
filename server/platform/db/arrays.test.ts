import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { byteaArray, int8Array, textArray } from './arrays.ts'

const { pool } = await testWorkspace()

async function back(array: Buffer, type: string): Promise<(string | null)[]> {
  const { rows } = await pool.query<{ value: string | null }>(
    `select value from unnest($1::${type}) with ordinality as a(value, n) order by n`,
    [array],
  )
  return rows.map(({ value }) => value)
}

test('text arrives as it was, whatever is in it', async () => {
  const values = ['', 'a', null, 'NULL', '"', '\\', '{,}', "'", 'é€🎉', '\t\n\r', ' ', 'x'.repeat(100_000), null]
  assert.deepEqual(await back(textArray(values), 'text[]'), values)
  assert.deepEqual(await back(textArray([]), 'text[]'), [])
})

test('random text arrives as it was', async () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      assert.deepEqual(await back(textArray(values), 'text[]'), values)
    }),
    { seed: seedFrom('ARRAYS_SEED'), numRuns: 100 },
  )
})

test('half a surrogate pair becomes the replacement character, and U+0000 is refused by the database', async () => {
  assert.deepEqual(await back(textArray(['a\ud800b', 'c']), 'text[]'), ['a\ufffdb', 'c'])
  await assert.rejects(back(textArray(['a\0b']), 'text[]'), { code: '22021' })
})

test('64-bit numbers keep every digit', async () => {
  const values = [
    '0',
    '-1',
    '-4294967297',
    '4294967295',
    '999999999999999',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    null,
  ]
  assert.deepEqual(await back(int8Array(values), 'int8[]'), values)
  assert.deepEqual(await back(int8Array([]), 'int8[]'), [])
  assert.throws(() => int8Array(['9223372036854775808']), RangeError)
  for (const value of ['x', '1e5', '1.0']) assert.throws(() => int8Array([value]), SyntaxError)
})

test('text can be read as any other type', async () => {
  const { rows } = await pool.query(`select d::timestamptz, j::json from unnest($1::text[], $2::text[]) as t(d, j)`, [
    textArray(['2026-01-02T03:04:05Z']),
    textArray(['{"a":1}']),
  ])
  assert.deepEqual(rows, [{ d: '2026-01-02T03:04:05Z', j: '{"a":1}' }])
})

test('bytes arrive as they were', async () => {
  const values = [Buffer.alloc(0), Buffer.from([0, 1, 92, 255]), Buffer.alloc(100_000, 7)]
  const { rows } = await pool.query<{ value: Buffer }>(
    'select value from unnest($1::bytea[]) with ordinality as a(value, n) order by n',
    [byteaArray(values)],
  )
  assert.deepEqual(
    rows.map(({ value }) => value),
    values,
  )
  assert.deepEqual((await pool.query('select from unnest($1::bytea[])', [byteaArray([])])).rowCount, 0)
})
