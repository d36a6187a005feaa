import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { afterEach, test } from 'node:test'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { parseNetworks } from './address-guard.ts'
import { ANSWER_HEADER_BYTES_MAX, type Connections, createConnections } from './connections.ts'
import { type Ending, exchange } from './exchange.ts'
import { parseTarget, type Target } from './url-guard.ts'

const TIMEOUT_MS = 60_000
const receivers: Receiver[] = []
const made: Connections[] = []

afterEach(async () => {
  for (const connections of made.splice(0)) connections.discardIdle()
  for (const receiver of receivers.splice(0)) await receiver.close()
})

async function receiver(): Promise<Receiver> {
  const started = await startReceiver()
  receivers.push(started)
  return started
}

function connectionsOf(connectionsMax: number): Connections {
  const connections = createConnections({ connectionsMax })
  made.push(connections)
  return connections
}

function targetOf(url: string): Target {
  const verdict = parseTarget(url, parseNetworks('127.0.0.0/8'))
  assert.equal(verdict.outcome, 'allowed')
  return (verdict as { target: Target }).target
}

function send(connections: Connections, url: string, addresses: readonly string[]): Promise<Ending> {
  const connection = connections.acquire(targetOf(url), addresses)
  return exchange(connections, connection, { path: '/', headers: {}, body: Buffer.from('{}'), timeoutMs: TIMEOUT_MS })
}

test('a peer that was not vetted gets no byte, however the connection came to it', async () => {
  const { url, requests, bytesRead } = await receiver()
  // The look-up hook is never asked for a literal address, so this connects to a peer outside the vetted set.
  const ending = await send(connectionsOf(1), url, ['127.0.0.9'])
  assert.deepEqual(ending, { outcome: 'failed', reason: 'connection', detail: 'UNPINNED_PEER' })
  assert.equal(requests.length, 0)
  assert.equal(bytesRead(), 0)
})

test('an idle connection serves only attempts that vetted its peer', async () => {
  const connections = connectionsOf(8)
  const { url } = await receiver()
  await send(connections, url, ['127.0.0.1'])
  assert.equal(connections.size, 1)
  const other = connections.acquire(targetOf(url), ['127.0.0.2'])
  assert.equal(connections.size, 2)
  const same = connections.acquire(targetOf(url), ['127.0.0.2', '127.0.0.1'])
  assert.equal(connections.size, 2)
  assert.equal(same.reused, true)
  connections.discard(other)
  connections.discard(same)
  assert.equal(connections.size, 0)
})

test('at the limit the connection idle longest makes room', async () => {
  const connections = connectionsOf(2)
  const [first, second, third] = [await receiver(), await receiver(), await receiver()]
  await send(connections, first.url, ['127.0.0.1'])
  await send(connections, second.url, ['127.0.0.1'])
  await send(connections, first.url, ['127.0.0.1'])
  await send(connections, third.url, ['127.0.0.1'])
  assert.equal(connections.size, 2)
  await send(connections, first.url, ['127.0.0.1'])
  assert.equal(first.connectionsAccepted, 1)
  await send(connections, second.url, ['127.0.0.1'])
  assert.equal(second.connectionsAccepted, 2)
})

test('a connection that its receiver closes is forgotten', async () => {
  const connections = connectionsOf(8)
  const { url, resetAll } = await receiver()
  const connection = connections.acquire(targetOf(url), ['127.0.0.1'])
  const request = { path: '/', headers: {}, body: Buffer.from('{}'), timeoutMs: TIMEOUT_MS }
  await exchange(connections, connection, request)
  const disconnected = once(connection.client, 'disconnect')
  resetAll()
  await disconnected
  assert.equal(connections.size, 0)
})

test('what a receiver floods its headers with is parsed in small pieces, and no more of it once it is too much', async (t) => {
  const flooding = await receiver()
  flooding.behave({ kind: 'endless_headers' })
  const pieces: number[] = []
  const read = net.Socket.prototype.read
  t.mock.method(net.Socket.prototype, 'read', function spied(this: net.Socket, size?: number) {
    const piece = read.call(this, size)
    if (this.remotePort === flooding.port && piece !== null) pieces.push(piece.length)
    return piece
  })
  const ending = await send(connectionsOf(8), flooding.url, ['127.0.0.1'])
  assert.deepEqual(ending, { outcome: 'failed', reason: 'protocol', detail: 'headers_too_large' })
  const bytes = pieces.reduce((sum, piece) => sum + piece, 0)
  assert.ok(Math.max(...pieces) <= 1_024, `a piece of ${Math.max(...pieces)} bytes`)
  assert.ok(bytes >= ANSWER_HEADER_BYTES_MAX && bytes <= 2 * ANSWER_HEADER_BYTES_MAX, `${bytes} bytes were parsed`)
})
