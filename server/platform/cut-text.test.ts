import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText, shortenedText } from './cut-text.ts'

test('a text is cut between characters, and a mark says so', () => {
  assert.equal(cutText('ab😀cd', 2), 'ab')
  assert.equal(cutText('ab😀cd', 3), 'ab')
  assert.equal(cutText('ab😀cd', 4), 'ab😀')
  assert.equal(cutText('ab', 4), 'ab')
  assert.equal(shortenedText('ab😀', 4), 'ab😀')
  assert.equal(shortenedText('ab😀c', 3), 'ab…')
})
