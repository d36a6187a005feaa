import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifierFault, normaliseText } from './aliases.ts'

test('text is trimmed, and empty text is unset', () => {
  assert.equal(normaliseText('  a b \t'), 'a b')
  for (const empty of ['', ' ', '\n\t', null, undefined]) assert.equal(normaliseText(empty), null)
})

test('an identifier has a length and no control characters', () => {
  assert.equal(identifierFault('x'.repeat(5), 5), undefined)
  assert.match(identifierFault('x'.repeat(6), 5)!, /at most 5/)
  for (const control of ['\u0000', '\n', '\u001f', '\u007f', '\u0085']) {
    assert.match(identifierFault(`a${control}b`, 5)!, /control/)
  }
})
