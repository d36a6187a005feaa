import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VARIABLE_CHARS_MAX, VARIABLES_BYTES_MAX, VARIABLES_MAX } from '../definition/limits.ts'
import { type Variables, withVariables } from './variables.ts'

test('variables are texts, numbers, true and false; nothing takes one away, anything else leaves it as it was', () => {
  const before: Variables = { a: 1, b: 'two' }
  const given = { a: null, b: [1], c: { d: 1 }, e: true, f: JSON.rawJSON('9007199254740993'), g: undefined }
  assert.deepEqual(withVariables(before, given), {
    variables: { b: 'two', e: true, f: '9007199254740993' },
    set: { a: null, e: true, f: '9007199254740993' },
    notSet: ['b', 'c'],
  })
})

test('what is too much is not taken, and the trace says so', () => {
  const long = withVariables({}, { a: 'x'.repeat(VARIABLE_CHARS_MAX + 1), b: 'x'.repeat(VARIABLE_CHARS_MAX) })
  assert.deepEqual([Object.keys(long.variables), long.notSet], [['b'], ['a']])
  const many = Object.fromEntries(Array.from({ length: VARIABLES_MAX + 2 }, (_, n) => [`v${n}`, n]))
  const counted = withVariables({}, many)
  assert.deepEqual([Object.keys(counted.variables).length, counted.notSet.length], [VARIABLES_MAX, 2])
  const wide = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`v${n}`, 'é'.repeat(VARIABLE_CHARS_MAX / 2)]))
  const kept = withVariables({}, wide)
  assert.deepEqual(kept.notSet, ['v4'])
  assert.ok(Buffer.byteLength(JSON.stringify(kept.variables)) <= VARIABLES_BYTES_MAX)
})
