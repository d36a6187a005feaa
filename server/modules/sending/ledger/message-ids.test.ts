import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { secretKeys } from '../../../platform/crypto/secret-box.ts'
import { createMessageCodes } from './message-codes.ts'
import { createMessageIds } from './message-ids.ts'

const keys = secretKeys([{ id: 'one', key: randomBytes(32) }])
const ids = createMessageIds({ keys })
const MESSAGE = { workspaceId: '7', messageId: '9007199254740993' }

test('a Message-ID names its message, in brackets or not, and is the same every time', () => {
  const id = ids.of(MESSAGE, 'mail.example.com')
  assert.match(id, /^[a-z0-9.]{1,64}@mail\.example\.com$/)
  assert.equal(ids.of(MESSAGE, 'mail.example.com'), id)
  for (const value of [
    id,
    `<${id}>`,
    ` <${id.toUpperCase()}> `,
    id.replace('mail.example.com', 'eu-1.amazonses.com'),
  ]) {
    assert.deepEqual(ids.read(value), MESSAGE)
  }
})

test('no other text is taken for one, a code for another purpose neither', () => {
  const elsewhere = createMessageCodes(keys, 'something else').of(MESSAGE)
  const other = createMessageIds({ keys: secretKeys([{ id: 'one', key: randomBytes(32) }]) })
  const swapped = ids.of(MESSAGE, 'example.com').replace(/^7\./, '8.')
  for (const value of [
    '',
    '<>',
    '<a@b>',
    elsewhere,
    `<${elsewhere}@example.com>`,
    other.of(MESSAGE, 'example.com'),
    swapped,
  ]) {
    assert.equal(ids.read(value), null, value)
  }
})
