import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueFaults } from './check-references.ts'

const field = (key: string, more: object = {}) => ({
  key,
  previousKey: null,
  type: 'number' as const,
  declared: true,
  deleting: false,
  ...more,
})
const faultsOf = (key: string, value: unknown, fields: ReturnType<typeof field>[]) =>
  valueFaults([{ pointer: `/set/${key}`, key, value }], new Map(fields.map((one) => [one.key, one])))

test('a value that does not fit the declared type of its field is a fault at its place', () => {
  for (const value of ['19.', 'many', '', true, ['1']]) {
    assert.deepEqual(
      faultsOf('price', value, [field('price')]),
      [{ pointer: '/set/price', detail: 'must be a number' }],
      JSON.stringify(value),
    )
  }
  for (const value of [19.99, '19.99', '19.90', null]) assert.deepEqual(faultsOf('price', value, [field('price')]), [])
})

test('a field whose type was guessed takes any value, and one that is being deleted is none', () => {
  assert.deepEqual(faultsOf('price', 'many', [field('price', { declared: false })]), [])
  const none = [{ pointer: '/set/price', detail: 'is not a custom field of this workspace' }]
  assert.deepEqual(faultsOf('price', 1, []), none)
  assert.deepEqual(faultsOf('price', 1, [field('price', { deleting: true })]), none)
})
