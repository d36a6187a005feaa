import assert from 'node:assert/strict'
import type net from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { transact } from './smtp-transaction.ts'
import { SmtpWire } from './smtp-wire.ts'

/** A connection to a server that answers as SMTP has it; `stalls` when the content is never read to its end. */
function connection({ stalls, last }: { stalls: boolean; last: string }) {
  let held: (() => void) | undefined
  const replies = ['250 sender\r\n', '250 recipient\r\n', '354 go on\r\n', `${last}\r\n`]
  const socket = new Duplex({
    read: () => undefined,
    writev(_chunks, done) {
      // The last is answered before the system has taken the bytes.
      const isLast = replies.length === 1
      if (stalls && isLast) held = done
      else done()
      setImmediate(() => this.push(replies.shift()))
    },
  })
  const wire = new SmtpWire(socket as net.Socket)
  const close = () => {
    held?.()
    wire.destroy()
  }
  return { wire, close }
}

async function sent(server: Parameters<typeof connection>[0]) {
  let isSpent = false
  const { wire, close } = connection(server)
  const ending = await transact(wire, {
    envelope: { from: 'a@x.example', to: ['b@x.example'] },
    bytes: Buffer.from('Subject: x\r\n\r\nx\r\n'),
    beforeContent: async () => true,
    onSpent: () => (isSpent = true),
  })
  const seen = [ending.outcome, isSpent]
  close()
  return seen
}

test('the bytes of a message are free again when it is accepted and written, and not before', async () => {
  assert.deepEqual(await sent({ stalls: false, last: '250 taken' }), ['accepted', true])
  assert.deepEqual(await sent({ stalls: true, last: '250 taken' }), ['accepted', false])
  assert.deepEqual(await sent({ stalls: false, last: '554 no' }), ['refused', false])
})
