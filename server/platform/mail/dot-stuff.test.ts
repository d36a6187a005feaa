import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { dotStuff } from './dot-stuff.ts'

test('a stuffed message has no line of one dot but the last, and is itself again when a server has unstuffed it', () => {
  const line = fc.array(fc.constantFrom('.', 'a', '..', '\t', '\r\n.', '\r\n', 'é'), { maxLength: 8 })
  fc.assert(
    fc.property(line, (parts) => {
      const message = parts.join('')
      const { content, end } = dotStuff(Buffer.from(message))
      const lines = (content.toString() + end).split('\r\n')
      assert.deepEqual(lines.slice(-2), ['.', ''])
      assert.ok(!lines.slice(0, -2).includes('.'))
      const received = lines
        .slice(0, -2)
        .map((text) => `${text.replace(/^\./, '')}\r\n`)
        .join('')
      assert.equal(received, message === '' || message.endsWith('\r\n') ? message : `${message}\r\n`)
    }),
    { seed: seedFrom('STUFF_SEED'), numRuns: 2_000 },
  )
})

test('a message without such a line is not copied', () => {
  const message = Buffer.from('Subject: x\r\n\r\nhello.\r\n')
  assert.equal(dotStuff(message).content, message)
})
