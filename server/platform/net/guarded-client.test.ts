import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startDnsAuthority } from '../../../test/support/dns-authority.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { RECEIVER_CERTIFICATE } from '../../../test/support/receiver-certificate.ts'
import { NO_NETWORKS, parseNetworks } from './address-guard.ts'
import { EXCERPT_BYTES_MAX } from './excerpt.ts'
import type { Exchange } from './exchange.ts'
import { createGuardedClient, type GuardedClient } from './guarded-client.ts'
import { createResolver } from './resolver.ts'

const DEADLINE_MS = 60_000
const BODY = Buffer.from('{"id":1}')
const authority = await startDnsAuthority()
const resolve = createResolver({ servers: [authority.server] })
const allow = parseNetworks('127.0.0.0/8, ::1')
const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  // Clients first: a receiver waits for its connections.
  for (const one of opened.splice(0).reverse()) await one.close()
})
after(() => authority.close())

async function receiver(options: Parameters<typeof startReceiver>[0] = {}): Promise<Receiver> {
  const started = await startReceiver(options)
  opened.push(started)
  return started
}

function client(options: { connectionsMax?: number; trustedCa?: string } = {}): GuardedClient {
  const made = createGuardedClient({ allow, resolve, ...options })
  opened.push(made)
  return made
}

function post(from: GuardedClient, url: string): Promise<Exchange> {
  return from.send({ url, headers: { 'content-type': 'application/json' }, body: BODY, deadlineMs: DEADLINE_MS })
}

function summary(exchange: Exchange): string {
  return exchange.outcome === 'answered' ? String(exchange.status) : exchange.reason
}

test('a POST arrives byte for byte, and the answer comes back', async () => {
  const target = await receiver({
    behave: { kind: 'answer', status: 429, headers: { 'retry-after': '120' }, body: 'slow down' },
  })
  const exchange = await post(client(), `${target.url}/hook?a=b`)
  assert.deepEqual(
    { ...exchange, durationMs: 0 },
    { outcome: 'answered', status: 429, retryAfter: '120', bodyExcerpt: 'slow down', durationMs: 0 },
  )
  const [request] = target.requests
  assert.equal(request?.method, 'POST')
  assert.equal(request?.path, '/hook?a=b')
  assert.deepEqual(request?.body, BODY)
  assert.deepEqual(request?.headers, {
    host: `127.0.0.1:${target.port}`,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': String(BODY.length),
  })
})

test('a GET has no body, and an answer that is wanted whole has its headers and more than an excerpt', async () => {
  const body = 'x'.repeat(3 * EXCERPT_BYTES_MAX)
  const target = await receiver({
    behave: { kind: 'answer', status: 403, headers: { 'x-amzn-errortype': 'AccessDenied' }, body },
  })
  const request = { method: 'GET', url: `${target.url}/account`, headers: {}, deadlineMs: DEADLINE_MS } as const
  const from = client()
  const whole = await from.send({ ...request, wholeAnswer: true })
  assert.equal(whole.outcome, 'answered')
  assert.deepEqual(whole.outcome === 'answered' && [whole.headers?.['x-amzn-errortype'], whole.bodyExcerpt === body], [
    'AccessDenied',
    true,
  ])
  const excerpt = await from.send(request)
  assert.deepEqual(excerpt.outcome === 'answered' && ['headers' in excerpt, excerpt.bodyExcerpt.length], [
    false,
    EXCERPT_BYTES_MAX,
  ])
  assert.deepEqual(
    target.requests.map(({ method, body }) => [method, body.length]),
    [
      ['GET', 0],
      ['GET', 0],
    ],
  )
})

test('a connection is used again while its peer is among the vetted addresses, and only then', async () => {
  const target = await receiver()
  authority.set('kept.example', { a: ['127.0.0.1'] })
  const from = client()
  for (let i = 0; i < 3; i += 1) assert.equal(summary(await post(from, `http://kept.example:${target.port}/`)), '200')
  assert.equal(target.connectionsAccepted, 1)
  assert.equal(authority.countOf('kept.example', 'A'), 3)
  assert.equal(target.requests[0]?.headers.host, `kept.example:${target.port}`)

  // The name moves: nothing listens at the new address, and the kept connection must not serve it.
  authority.set('kept.example', { a: ['127.0.0.2'] })
  const other = await startReceiver({ host: '127.0.0.3' })
  opened.push(other)
  assert.equal(summary(await post(from, `http://kept.example:${other.port}/`)), 'connection')
  assert.equal(target.requests.length, 3)
})

test('a name that turned to a denied address is refused although a connection to it is kept', async () => {
  const target = await receiver()
  authority.set('turned.example', { a: ['127.0.0.1'] })
  const from = client()
  assert.equal(summary(await post(from, `http://turned.example:${target.port}/`)), '200')
  authority.set('turned.example', { a: ['127.0.0.1', '10.0.0.1'] })
  assert.equal(summary(await post(from, `http://turned.example:${target.port}/`)), 'private')
  assert.equal(target.requests.length, 1)
})

test('a mapped address that is exempted is reached', async () => {
  const target = await receiver()
  assert.equal(summary(await post(client(), `http://[::ffff:127.0.0.1]:${target.port}/`)), '200')
})

test('the next vetted address is tried when the first does not take the connection', async () => {
  const target = await receiver({ host: '127.0.0.5' })
  authority.set('several.example', { a: ['127.0.0.4', '127.0.0.5'], aaaa: ['::1'] })
  assert.equal(summary(await post(client(), `http://several.example:${target.port}/`)), '200')
})

test('a kept connection that the receiver has closed costs no attempt', async () => {
  const target = await receiver()
  const from = client()
  assert.equal(summary(await post(from, target.url)), '200')
  // A turn of the event loop in between, so that what the network brings is read before undici writes.
  await setImmediate()
  target.closeIdle()
  assert.equal(summary(await post(from, target.url)), '200')
  await setImmediate()
  target.resetAll()
  assert.equal(summary(await post(from, target.url)), '200')
  assert.equal(target.requests.length, 3)
  assert.equal(target.connectionsAccepted, 3)
})

test('a request that was written is never written again', async () => {
  for (const kind of ['close', 'reset'] as const) {
    const target = await receiver()
    const from = client()
    assert.equal(summary(await post(from, target.url)), '200')
    target.behave({ kind })
    const exchange = await post(from, target.url)
    assert.deepEqual(
      { ...exchange, durationMs: 0 },
      { outcome: 'failed', reason: 'connection', detail: 'closed_when_reused', durationMs: 0 },
    )
    assert.equal(target.requests.length, 2, kind)
  }
})

test('TLS is verified against the name, which the receiver also sees', async () => {
  const target = await receiver({ tls: RECEIVER_CERTIFICATE })
  authority.set('receiver.example', { a: ['127.0.0.1'] })
  authority.set('other.example', { a: ['127.0.0.1'] })
  const trusting = client({ trustedCa: RECEIVER_CERTIFICATE.cert })
  assert.equal(summary(await post(trusting, `https://receiver.example:${target.port}/`)), '200')
  assert.equal(summary(await post(trusting, `https://receiver.example:${target.port}/`)), '200')
  assert.equal(target.connectionsAccepted, 1)
  assert.equal(target.requests[0]?.headers.host, `receiver.example:${target.port}`)

  const wrongName = await post(trusting, `https://other.example:${target.port}/`)
  assert.deepEqual({ ...wrongName, durationMs: 0 }, failedTls('ERR_TLS_CERT_ALTNAME_INVALID'))
  const unknown = await post(client(), `https://receiver.example:${target.port}/`)
  assert.deepEqual({ ...unknown, durationMs: 0 }, failedTls('DEPTH_ZERO_SELF_SIGNED_CERT'))
  assert.equal(target.requests.length, 2)
})

test('TLS below 1.2 is refused', async () => {
  const target = await receiver({
    tls: { ...RECEIVER_CERTIFICATE, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
  })
  authority.set('receiver.example', { a: ['127.0.0.1'] })
  const exchange = await post(
    client({ trustedCa: RECEIVER_CERTIFICATE.cert }),
    `https://receiver.example:${target.port}/`,
  )
  assert.equal(summary(exchange), 'tls')
  assert.equal(target.requests.length, 0)
})

test('a receiver that speaks no TLS fails as TLS', async () => {
  const target = await receiver()
  assert.equal(summary(await post(client(), `https://127.0.0.1:${target.port}/`)), 'tls')
})

test('nothing of the environment redirects a request', async () => {
  const target = await receiver()
  const proxy = await receiver()
  for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) process.env[name] = proxy.url
  try {
    assert.equal(summary(await post(client(), target.url)), '200')
  } finally {
    for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) delete process.env[name]
  }
  assert.equal(proxy.connectionsAccepted, 0)
})

test('no connection is opened beyond the limit, and attempts beyond it wait their turn', async () => {
  const targets = await Promise.all([receiver(), receiver(), receiver()])
  const from = client({ connectionsMax: 2 })
  const posts = Array.from({ length: 30 }, (_, i) => post(from, `${targets[i % 3]?.url}/${i}`))
  assert.deepEqual(new Set((await Promise.all(posts)).map(summary)), new Set(['200']))
  assert.equal(
    targets.reduce((total, target) => total + target.requests.length, 0),
    30,
  )
  for (const target of targets) await post(from, target.url)
  await targets[0]?.waitFor(
    () => targets.reduce((total, target) => total + target.connectionsOpen, 0) <= 2,
    DEADLINE_MS,
  )
})

test('closing lets the attempt under way end and takes no further one', async () => {
  const target = await receiver({ behave: { kind: 'answer', delayMs: 100 } })
  const from = createGuardedClient({ allow, resolve })
  const underWay = post(from, target.url)
  await target.waitFor((requests) => requests.length === 1, DEADLINE_MS)
  const closing = from.close()
  await assert.rejects(post(from, target.url), /closed/)
  assert.equal(summary(await underWay), '200')
  await closing
})

test('a malformed header is the caller’s bug and leaves the client usable', async () => {
  const target = await receiver()
  const from = client()
  const send = (headers: Record<string, string>): Promise<Exchange> =>
    from.send({ url: target.url, headers, body: BODY, deadlineMs: DEADLINE_MS })
  await assert.rejects(send({ 'x-event': 'a\r\nx-injected: 1' }))
  await assert.rejects(send({ 'x-event': '\u0100' }))
  for (const name of ['Host', 'Transfer-Encoding', 'content-length', 'expect', 'Connection']) {
    await assert.rejects(send({ [name]: 'x' }), new RegExp(name), name)
  }
  assert.equal(summary(await send({})), '200')
  assert.equal(target.requests.length, 1)
})

test('without an exemption nothing on this machine is reached', async () => {
  const target = await receiver()
  const strict = createGuardedClient({ allow: NO_NETWORKS, resolve })
  opened.push(strict)
  assert.equal(summary(await post(strict, target.url)), 'loopback')
  assert.equal(target.connectionsAccepted, 0)
})

function failedTls(detail: string): Exchange {
  return { outcome: 'failed', reason: 'tls', detail, durationMs: 0 }
}
