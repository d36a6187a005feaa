import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnrelaxed, relaxBody, relaxedFields, withoutEmptyEnd } from './dkim-relaxed.ts'

test('the fields of the example in RFC 6376 3.4.5 come out as printed there', () => {
  assert.deepEqual(
    relaxedFields('A: X\r\nB : Y\t\r\n\tZ  \r\n').map(({ canonical }) => canonical),
    ['a:X\r\n', 'b:Y Z\r\n'],
  )
})

test('a body has one space where it has white space, and none before the end of a line', () => {
  const cases = [
    [' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n\r\n\r\n'],
    ['a\tb\t\r\nc  \r\n\t \r\nd', 'a b\r\nc\r\n\r\nd'],
    ['a \rb\t\t', 'a \rb '],
  ] as const
  for (const [body, relaxed] of cases) {
    assert.equal(relaxBody(Buffer.from(body)).toString(), relaxed)
    assert.ok(isUnrelaxed(body))
  }
  const plain = '--=_x\r\nContent-Type: text/plain;\r\n charset=utf-8\r\n\r\n'
  assert.equal(isUnrelaxed(plain), false)
  assert.equal(relaxBody(Buffer.from(plain)).toString(), plain)
})

test('empty lines at the end of a body are no part of it, and a body of nothing else is empty', () => {
  const cases = [
    ['a\r\n', 'a\r\n'],
    ['a\r\n\r\n\r\n', 'a\r\n'],
    ['\r\na\r\n', '\r\na\r\n'],
    ['\r\n', ''],
    ['\r\n\r\n\r\n', ''],
  ]
  for (const [body, rest] of cases)
    assert.equal(withoutEmptyEnd(Buffer.from(body!)).toString(), rest, JSON.stringify(body))
})
