import assert from 'node:assert/strict'
import net from 'node:net'
import { after, test } from 'node:test'
import { parseNetworks } from '../../server/platform/net/address-guard.ts'
import { EXCERPT_BYTES_MAX } from '../../server/platform/net/excerpt.ts'
import type { Exchange } from '../../server/platform/net/exchange.ts'
import { createGuardedClient, EXCHANGE_DEADLINE_MS } from '../../server/platform/net/guarded-client.ts'
import { createResolver } from '../../server/platform/net/resolver.ts'
import { startDnsAuthority } from '../support/dns-authority.ts'
import { startReceiver } from '../support/receiver.ts'
import type { Behaviour } from '../support/receiver-behaviour.ts'
import { RECEIVER_CERTIFICATE } from '../support/receiver-certificate.ts'
import { startUnacceptingPort } from '../support/unaccepting-port.ts'

/** Short, for what ends by it alone; the real deadline has tests of its own below. */
const SHORT_DEADLINE_MS = 1_500
/** For headers to have come by it on any machine. */
const BODY_DEADLINE_MS = 10_000
/** For what ends by itself: nothing else can be taken for it. */
const LONG_DEADLINE_MS = 120_000
/** By how much a busy machine may be late. */
const GRACE_MS = 30_000
/** Bytes that a receiver could send before it was cut off, socket buffers of both sides included. */
const SENT_BYTES_MAX = 16 * 1024 * 1024

const authority = await startDnsAuthority()
const client = createGuardedClient({
  allow: parseNetworks('127.0.0.0/8'),
  resolve: createResolver({ servers: [authority.server] }),
})
after(async () => {
  await client.close()
  await authority.close()
})

function post(url: string, deadlineMs: number): Promise<Exchange> {
  return client.send({ url, headers: {}, body: Buffer.from('{"id":1}'), deadlineMs })
}

function assertEnds(exchange: Exchange, expected: string, deadlineMs: number): void {
  const ended =
    exchange.outcome === 'answered' ? `answered ${exchange.status}` : `${exchange.reason} ${detailOf(exchange)}`
  assert.equal(ended, expected)
  assert.ok(exchange.durationMs <= deadlineMs + GRACE_MS, `${exchange.durationMs} ms`)
  if (exchange.outcome === 'answered') assert.ok(Buffer.byteLength(exchange.bodyExcerpt) <= EXCERPT_BYTES_MAX)
}

function detailOf(exchange: Exchange): string {
  return exchange.outcome === 'failed' ? exchange.detail : ''
}

const deadlineOf = (expected: string) =>
  expected === 'timeout reading_answer'
    ? BODY_DEADLINE_MS
    : expected.startsWith('timeout')
      ? SHORT_DEADLINE_MS
      : LONG_DEADLINE_MS

const behaviours: [expected: string, behaviour: Behaviour][] = [
  ['timeout awaiting_answer', { kind: 'silent' }],
  ['timeout awaiting_answer', { kind: 'drip_headers' }],
  ['timeout reading_answer', { kind: 'drip_body' }],
  ['timeout awaiting_answer', { kind: 'answer', delayMs: SHORT_DEADLINE_MS + LONG_DEADLINE_MS }],
  ['answered 200', { kind: 'endless_body' }],
  ['answered 200', { kind: 'gzip_bomb', bytes: 64 * 1024 * 1024 }],
  ['answered 500', { kind: 'answer', status: 500, body: Buffer.alloc(12_000, 0xff) }],
  ['answered 302', { kind: 'redirect', location: 'http://169.254.169.254/latest/meta-data/' }],
  ['answered 200', { kind: 'second_answer' }],
  ['protocol headers_too_large', { kind: 'huge_header', bytes: 1024 * 1024 }],
  ['protocol headers_too_large', { kind: 'endless_headers' }],
  ['protocol headers_too_large', { kind: 'endless_trailers' }],
  ['protocol answer_too_large', { kind: 'endless_reason_phrase' }],
  ['protocol answer_too_large', { kind: 'endless_chunk_extension' }],
  ['protocol informational_answers', { kind: 'informational_storm' }],
  ['protocol bad_upgrade', { kind: 'switching_protocols' }],
  ['protocol malformed_answer', { kind: 'garbage' }],
  ['protocol malformed_answer', { kind: 'two_lengths' }],
  ['connection ECONNRESET', { kind: 'reset' }],
  ['connection ECONNRESET', { kind: 'reset_in_body' }],
  ['connection closed_by_receiver', { kind: 'close' }],
  ['connection closed_by_receiver', { kind: 'short_body' }],
]

test('an attempt ends in time and keeps little, whatever the receiver does', { concurrency: true }, async (t) => {
  for (const [expected, behaviour] of behaviours) {
    t.test(`${behaviour.kind}: ${expected}`, async () => {
      const receiver = await startReceiver({ behave: behaviour })
      try {
        const deadlineMs = deadlineOf(expected)
        assertEnds(await post(receiver.url, deadlineMs), expected, deadlineMs)
        assert.equal(receiver.requests.length, 1, 'sent once')
        assert.ok(receiver.bytesSent() <= SENT_BYTES_MAX, `${receiver.bytesSent()} bytes were taken`)
        receiver.behave({ kind: 'answer' })
        assertEnds(await post(receiver.url, LONG_DEADLINE_MS), 'answered 200', LONG_DEADLINE_MS)
      } finally {
        await receiver.close()
      }
    })
  }
})

test('an attempt ends in time while it connects', { concurrency: true }, async (t) => {
  t.test('a certificate nobody trusts', async () => {
    const receiver = await startReceiver({ tls: RECEIVER_CERTIFICATE })
    assertEnds(await post(receiver.url, LONG_DEADLINE_MS), 'tls DEPTH_ZERO_SELF_SIGNED_CERT', LONG_DEADLINE_MS)
    assert.equal(receiver.requests.length, 0)
    await receiver.close()
  })
  t.test('a TLS handshake that is never answered', async () => {
    const { port, close } = await startMute()
    assertEnds(await post(`https://127.0.0.1:${port}/`, SHORT_DEADLINE_MS), 'timeout handshaking', SHORT_DEADLINE_MS)
    await close()
  })
  t.test('nobody listens', async () => {
    const { port, close } = await startMute()
    await close()
    assertEnds(await post(`http://127.0.0.1:${port}/`, LONG_DEADLINE_MS), 'connection ECONNREFUSED', LONG_DEADLINE_MS)
  })
  t.test('name servers that never answer', async () => {
    authority.set('mute.example', { silent: true })
    assertEnds(await post('http://mute.example/', SHORT_DEADLINE_MS), 'dns timeout', SHORT_DEADLINE_MS)
  })
})

test('the real deadline covers everything from connecting to the last byte', { concurrency: true }, async (t) => {
  t.test('never accepts', async () => {
    const unaccepting = await startUnacceptingPort()
    try {
      const url = `http://127.0.0.1:${unaccepting.port}/`
      assertEnds(await post(url, EXCHANGE_DEADLINE_MS), 'timeout connecting', EXCHANGE_DEADLINE_MS)
    } finally {
      await unaccepting.close()
    }
  })
  for (const [expected, behaviour] of behaviours.slice(0, 3)) {
    t.test(behaviour.kind, async () => {
      const receiver = await startReceiver({ behave: behaviour })
      assertEnds(await post(receiver.url, EXCHANGE_DEADLINE_MS), expected, EXCHANGE_DEADLINE_MS)
      await receiver.close()
    })
  }
})

/** Takes connections and says nothing. */
async function startMute(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.resume()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as net.AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
