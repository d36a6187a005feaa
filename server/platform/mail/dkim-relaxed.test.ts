import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relaxedFields, relaxedText, withoutEmptyEnd } from './dkim-relaxed.ts'

test('the fields of the example in RFC 6376 3.4.5 come out as printed there', () => {
  assert.deepEqual(
    relaxedFields('A: X\r\nB : Y\t\r\n\tZ  \r\n').map(({ canonical }) => canonical),
    ['a:X\r\n', 'b:Y Z\r\n'],
  )
})

test('text has one space where it has white space, and none before the end of a line', () => {
  assert.equal(relaxedText(' C \r\nD \t E\r\n\r\n\r\n'), ' C\r\nD E\r\n\r\n\r\n')
  assert.equal(relaxedText('a\tb\t\r\nc  \r\n\t \r\nd'), 'a b\r\nc\r\n\r\nd')
  const plain = '--=_x\r\nContent-Type: text/plain;\r\n charset=utf-8\r\n\r\n'
  assert.equal(relaxedText(plain), plain)
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
