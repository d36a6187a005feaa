import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { createReplyReader, parseReply, replyLine } from './read-replies.ts'

test('replies are read whole, wherever the network cuts them', () => {
  const wire = Buffer.from(
    '250-mx.there.example\r\n250-PIPELINING\r\n250 SIZE 1000\r\n250 2.1.0 Ok\r\n550-5.1.1 No such\r\n550 5.1.1 pérson\r\n' +
      '354\r\n250 2.0.0\r\n451 4.7.1\tlater\x07\n',
  )
  const expected = [
    { code: 250, enhanced: null, text: 'mx.there.example PIPELINING SIZE 1000' },
    { code: 250, enhanced: '2.1.0', text: 'Ok' },
    { code: 550, enhanced: '5.1.1', text: 'No such pérson' },
    { code: 354, enhanced: null, text: '' },
    { code: 250, enhanced: '2.0.0', text: '' },
    { code: 451, enhanced: null, text: '4.7.1 later' },
  ]
  const seed = seedFrom('SEED')
  console.log(`seed ${seed}`)
  const random = seededRandom(seed)
  for (let round = 0; round < 200; round += 1) {
    const reader = createReplyReader()
    const read = []
    for (let from = 0; from < wire.length; ) {
      const to = from + 1 + Math.floor(random() * 40)
      read.push(...(reader.push(wire.subarray(from, to)) ?? assert.fail('no SMTP')))
      from = to
    }
    assert.deepEqual(read, expected)
  }
})

test('what is not SMTP, and what never ends, is told from a reply', () => {
  const first = (text: string) => createReplyReader().push(Buffer.from(text))
  for (const wrong of [
    'HTTP/1.1 400 Bad Request\r\n',
    '2500 ok\r\n',
    '\r\n',
    '250-a\r\n251 b\r\n',
    '199 no\r\n',
    '600 no\r\n',
  ]) {
    assert.equal(first(wrong), null, wrong)
  }
  assert.equal(first(`250 ${'x'.repeat(70_000)}`), null)
  const endless = createReplyReader()
  let pushes = 0
  while (endless.push(Buffer.from('250-more and more\r\n')) !== null) pushes += 1
  assert.ok(pushes < 5_000)
})

test('a reply is written as people know it, and read from that again', () => {
  for (const line of ['550 5.1.1 User unknown', '250 Ok', '454 Throttling failure: Daily message quota exceeded.']) {
    assert.equal(replyLine(parseReply(line) ?? assert.fail()), line)
  }
  assert.equal(parseReply('554-mx.there.example\n554 go away')?.text, 'mx.there.example go away')
  assert.equal(parseReply('554-mx.there.example\n554-cut in the midd')?.text, 'mx.there.example cut in the midd')
  assert.equal(parseReply('nothing'), null)
})
