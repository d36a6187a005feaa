import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeLines } from './whole-lines.ts'

test('lines come whole however their bytes came, the last one without its end', () => {
  const text = '{"msg":"ä\u2028b"}\n\n{"n":1}\nlast'
  const bytes = Buffer.from(text)
  for (let size = 1; size < bytes.length; size++) {
    const lines: string[] = []
    const cut = wholeLines((line) => lines.push(line))
    for (let at = 0; at < bytes.length; at += size) cut.write(bytes.subarray(at, at + size))
    cut.end()
    assert.deepEqual(lines, text.split('\n'))
  }
})
