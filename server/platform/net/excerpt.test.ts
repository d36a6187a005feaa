import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXCERPT_BYTES_MAX, excerptText } from './excerpt.ts'

test('text stays as it is', () => {
  assert.equal(excerptText(Buffer.from('{"ok":"schön"}')), '{"ok":"schön"}')
})

test('whatever the bytes, the text fits the limit and PostgreSQL', () => {
  for (const bytes of [
    Buffer.alloc(4096),
    Buffer.alloc(4096, 0xff),
    Buffer.from('é'.repeat(2048)),
    Buffer.from('😀'.repeat(1024)),
  ]) {
    const text = excerptText(bytes)
    assert.ok(Buffer.byteLength(text) <= EXCERPT_BYTES_MAX)
    assert.ok(text.length > 1000)
    assert.ok(!text.includes('\0'))
    assert.ok(text.isWellFormed())
  }
})
