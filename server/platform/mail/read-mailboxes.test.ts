import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMailboxes } from './read-mailboxes.ts'

const one = (address: string, name: string | null = null) => ({ mailboxes: [{ address, name }], isWhole: true })

test('mailboxes are read in every way that programs write them', () => {
  assert.deepEqual(readMailboxes('ada@example.com'), one('ada@example.com'))
  assert.deepEqual(readMailboxes(' <ada@example.com> '), one('ada@example.com'))
  assert.deepEqual(readMailboxes('Ada Lovelace <ada@example.com>'), one('ada@example.com', 'Ada Lovelace'))
  assert.deepEqual(readMailboxes('"Lovelace, \\"Ada\\"" <ada@example.com>'), one('ada@example.com', 'Lovelace, "Ada"'))
  assert.deepEqual(readMailboxes('=?utf-8?Q?J=C3=B6rg?= <j@example.com>'), one('j@example.com', 'Jörg'))
  assert.deepEqual(readMailboxes('(of (the) shop) ada@example.com (Ada)'), one('ada@example.com'))
  assert.deepEqual(readMailboxes('Jörg <jörg@bücher.example>'), one('jörg@xn--bcher-kva.example', 'Jörg'))
  assert.deepEqual(readMailboxes('Team: a@example.com, "B" <b@example.com>;, c@example.com').mailboxes, [
    { address: 'a@example.com', name: null },
    { address: 'b@example.com', name: 'B' },
    { address: 'c@example.com', name: null },
  ])
  assert.deepEqual(readMailboxes('undisclosed-recipients:;'), { mailboxes: [], isWhole: true })
})

test('an address that could be read as another one is not understood', () => {
  for (const value of [
    ...['nobody', 'a@b@example.com', '<a@example.com> <b@example.com>', 'a@example.com <b@example.com> c@example.com'],
    ...['"a@example.com', 'a@example.com)', '(a@example.com', '<a@example.com', '<@relay.example:a@example.com>'],
    ...['a@example.com\0', '"a b"@example.com', 'a@[127.0.0.1]', 'a b@example.com'],
  ]) {
    assert.equal(readMailboxes(value).isWhole, false, value)
  }
  // A name may look like an address; the address is the one between the brackets.
  assert.deepEqual(readMailboxes('"ceo@bank.example" <a@example.com>'), one('a@example.com', 'ceo@bank.example'))
})
