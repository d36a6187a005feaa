import assert from 'node:assert/strict'
import test from 'node:test'
import { commentFindings } from './comment-rules.ts'

const linesRefused = (text: string, path = 'server/modules/x/a.ts') =>
  commentFindings([{ path, text }]).map(({ line }) => line)

test('a sentence of a comment that begins with what or who is refused, in every form of comment', () => {
  for (const word of ['What', 'Who', 'Whoever', 'Whatever', 'Whom', 'Whose']) {
    assert.deepEqual(linesRefused(`const a = 1\n/** ${word} it is. */`), [2])
  }
  assert.deepEqual(linesRefused('/**\n * Made once.\n * What it is.\n */\nconst a = 1 // Whose it is.'), [3, 5])
  assert.deepEqual(linesRefused('  // Made once. What it is.\n/* One: Who it is. */'), [1, 2])
  assert.deepEqual(linesRefused('const a = `\n  -- What was found before.\n  select 1`'), [2])
  const [finding] = commentFindings([{ path: 'server/a.ts', text: '// Whom it is for.' }])
  assert.match(finding!.message, /with Whom: begin with the noun/)
})

test('the words may stand inside a sentence, in a string and in a name', () => {
  assert.deepEqual(linesRefused('/** Tells what it is, and who made it. WhatIf stays. */'), [])
  assert.deepEqual(linesRefused("const a = 'What now?'\nconst b = `https://What.example`"), [])
  assert.deepEqual(linesRefused('// The question "What is this?" is quoted.\nclass Whatever {}'), [])
})

test('texts outside server/ are left alone', () => {
  assert.deepEqual(linesRefused('// What it is.', 'migrations/0001_a.sql'), [])
})
