import assert from 'node:assert/strict'
import { request as rawRequest } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { DescribedApi } from '../../server/samples/described-call.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { parseExposition } from './exposition.ts'

const PROBLEM_FIELDS = new Set(['type', 'title', 'status', 'detail', 'code', 'errors', 'requestId'])
const REFERENCE_BYTES_MAX = 1_500_000
const OWN_ID = /^[\w-]{8,128}$/

let instance: TestedInstance

before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  send('GET', instance.baseUrl + path, { token: instance.token, headers })

test('a request id of the client is echoed, any other is replaced by one of ours', async () => {
  for (const id of ['a', 'x'.repeat(128), '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', '550e8400-e29b-41d4-a716-446655440000']) {
    for (const path of ['/api/contacts', '/api/nothing', '/healthz', '/api/contacts/x']) {
      assert.equal((await get(path, { 'x-request-id': id })).headers['x-request-id'], id, path)
    }
  }
  const made = new Set<unknown>()
  for (const id of [undefined, '', 'x'.repeat(129), 'two words', 'ümlaut']) {
    const answer = await get(
      '/api/contacts',
      id === undefined ? {} : { 'x-request-id': Buffer.from(id).toString('latin1') },
    )
    assert.match(String(answer.headers['x-request-id']), OWN_ID)
    assert.notEqual(answer.headers['x-request-id'], id)
    made.add(answer.headers['x-request-id'])
  }
  assert.equal(made.size, 5)
})

test('every error is a problem of the documented form', async () => {
  const json = { 'content-type': 'application/json' }
  const problems = [
    await get('/api/nothing'),
    await get('/api/contacts?page=0'),
    await get('/api/contacts/900000000'),
    await send('GET', `${instance.baseUrl}/api/contacts`),
    await send('PUT', `${instance.baseUrl}/api/contacts`, { token: instance.token }),
    await send('POST', `${instance.baseUrl}/api/contacts`, { token: instance.token, headers: json, body: '{' }),
    await send('POST', `${instance.baseUrl}/api/contacts`, { token: instance.token, json: {} }),
    await send('POST', `${instance.baseUrl}/api/webhooks`, { token: instance.token, json: { url: 'nonsense' } }),
    await send('GET', `${instance.baseUrl}/site/workspaces`),
    await get(`/api/contacts/${'%'}`),
  ]
  const page = await get('/docs/problems')
  for (const { status, headers, json: problem, url } of problems) {
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8', url)
    assert.equal(problem.status, status)
    assert.match(problem.code, /^[a-z]+(-[a-z]+)*$/)
    assert.ok(problem.title.length > 0)
    assert.equal(problem.type, `/docs/problems#${problem.code}`)
    assert.ok(page.text.includes(`id="${problem.code}"`), `${problem.code} is explained`)
    assert.equal(problem.requestId, headers['x-request-id'])
    for (const field of Object.keys(problem)) assert.ok(PROBLEM_FIELDS.has(field), field)
    for (const error of problem.errors ?? []) assert.deepEqual(Object.keys(error), ['pointer', 'detail'])
  }
})

/** Bytes of an answer as they travel. */
function bytesOnTheWay(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = rawRequest(instance.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('end', () => resolve(bytes))
    })
    asked.on('error', reject).end()
  })
}

test('the reference has samples of every operation, and is below 1.5 MB with all that it loads', async (t) => {
  const { text } = await get('/docs/')
  const [, description = ''] = /"url": "([^"]+)"/.exec(text) ?? []
  const { paths } = (await get(description)).json as DescribedApi
  for (const methods of Object.values(paths))
    for (const { operationId, 'x-codeSamples': samples } of Object.values(methods))
      assert.equal((samples as unknown[]).length, 4, operationId)
  const parts = await Promise.all(['/docs/', '/docs/js/scalar.js', description].map(bytesOnTheWay))
  t.diagnostic(`${parts.join(' + ')} bytes`)
  assert.ok(parts.reduce((sum, bytes) => sum + bytes) < REFERENCE_BYTES_MAX)
})

test('every answer is safe to show in a browser and stays out of caches', async () => {
  for (const path of ['/api/contacts', '/healthz', '/api/nothing', '/docs/', '/api/openapi.json']) {
    const { headers } = await get(path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.equal(headers['cache-control'], 'no-store', path)
    assert.equal(headers.server, undefined)
    assert.equal(headers['x-powered-by'], undefined)
    assert.equal(headers['access-control-allow-origin'], undefined)
  }
})

test('a body of somebody who has shown no credentials has 16 KiB at most, and is not looked at beyond', async () => {
  const open = [
    'auth/login',
    'auth/logout',
    'auth/second-factor',
    'auth/password-reset',
    'auth/password-reset/x',
    'invitations/x',
  ]
  const headers = { 'content-type': 'application/json', origin: instance.baseUrl }
  for (const path of open) {
    const url = `${instance.baseUrl}/site/${path}`
    const long = await send('POST', url, { headers, body: `{"${'a'.repeat(16 * 1024)}` })
    assert.equal(long.status, 413, path)
    const short = await send('POST', url, { headers, body: `{"${'a'.repeat(16_000)}` })
    assert.equal(short.status, 400, path)
  }
  const body = `{"${'a'.repeat(20_000)}`
  const options = { headers: { 'content-type': 'application/json' }, body }
  assert.equal((await send('POST', `${instance.baseUrl}/api/events`, options)).status, 401)
  assert.equal((await send('POST', `${instance.baseUrl}/hooks/1-x/events`, options)).status, 404)
  assert.equal(
    (await send('POST', `${instance.baseUrl}/api/events`, { token: instance.token, ...options })).status,
    400,
  )
})

test('the probes need no token, answer exactly ok and are not counted', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await send('GET', instance.baseUrl + path)
    assert.equal(answer.status, 200)
    assert.match(String(answer.headers['content-type']), /^application\/json/)
    assert.equal(answer.text, '{"status":"ok"}')
    const head = await send('HEAD', instance.baseUrl + path)
    assert.deepEqual([head.status, head.text], [200, ''])
  }
  for (const path of ['/docs/', '/docs/problems', '/api/openapi.json', '/']) await get(path)
  const { series } = parseExposition(await instance.metrics())
  for (const { name, labels } of series.filter((one) => one.name.startsWith('ogen_server_'))) {
    assert.match(labels.http_route ?? '', /^\/(api|site|collect)\//, name)
    assert.match(labels.operation_id ?? '', /^[A-Z]\w+_\w+$/, name)
  }
})

test('the reference is there without a token and loads nothing from anywhere else', async () => {
  const root = await send('GET', `${instance.baseUrl}/`)
  assert.ok(root.status >= 300 && root.status < 400)
  const page = await send('GET', `${instance.baseUrl}/docs/`)
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const named = [...page.text.matchAll(/\b(?:src|href|url)["']?\s*[=:]\s*["']?([^"'\s>,]+)/g)].map((match) => match[1]!)
  // Its icon is part of the page.
  const sources = named.filter((source) => !source.startsWith('data:'))
  assert.ok(sources.length >= 2)
  for (const source of sources) assert.match(source, /^\/(?!\/)/, source)
  for (const source of new Set(sources))
    assert.equal((await send('GET', instance.baseUrl + source)).status, 200, source)
  assert.doesNotMatch(page.text, /@import|<iframe|<link[^>]+href="?(?!data:)[^">]*http/)
})

test('metrics are never served on the public port, and on their own nothing but them and the probes is', async () => {
  for (const path of ['/metrics', '/metrics/', '/api/metrics', '//metrics', '/%6detrics']) {
    const answer = await get(path)
    assert.equal(answer.status, 404, path)
    assert.doesNotMatch(answer.text, /ogen_server/)
  }
  const { origin } = new URL(instance.metricsUrl)
  assert.equal((await send('GET', `${origin}/metrics`)).status, 200)
  for (const path of ['/healthz', '/readyz']) assert.equal((await send('GET', origin + path)).status, 200)
  for (const path of ['/', '/api/contacts', '/healthz/x']) assert.equal((await send('GET', origin + path)).status, 404)
  assert.equal((await send('POST', `${origin}/metrics`)).status, 405)
})

test('an expectation, a chunked body and a body in pieces are handled as HTTP says', async () => {
  const { hostname, port } = new URL(instance.baseUrl)
  const body = '{"events":[{"action":"chunked","subjectId":"a"}]}'
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = rawRequest(
      {
        hostname,
        port,
        path: '/api/events',
        method: 'POST',
        headers: {
          authorization: `Bearer ${instance.token}`,
          'content-type': 'application/json; charset=UTF-8',
          expect: '100-continue',
          'transfer-encoding': 'chunked',
        },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    request.once('continue', () => {
      request.write(body.slice(0, 20))
      request.end(body.slice(20))
    })
    request.once('error', reject)
    request.flushHeaders()
  })
  assert.equal(status, 204)
})

test('a body in a coding is a 415 that says to send it plain, and not taken for broken JSON', async () => {
  const json = JSON.stringify({ events: [{ action: 'coded', subjectId: 'a' }] })
  const sent = (path: string, coding: string, body: string | Buffer, type = 'application/json') => {
    const headers = { 'content-type': type, 'content-encoding': coding }
    return send('POST', instance.baseUrl + path, { token: instance.token, headers, body })
  }
  for (const answer of [
    await sent('/events', 'gzip', gzipSync(json)),
    await sent('/api/events', 'br', json),
    await sent('/api/events', 'GZIP', gzipSync(json), 'application/vnd.api+json'),
    await sent('/api/sending-domains/1/verify', 'gzip', gzipSync('{}')),
    await sent('/site/auth/login', 'gzip', gzipSync('{}')),
    await sent('/collect/events', 'deflate', json, 'text/plain'),
  ]) {
    assert.equal(answer.status, 415, answer.url)
    assert.equal(answer.json.code, 'unsupported-media-type')
    assert.equal(answer.headers['accept-encoding'], 'identity')
  }
  for (const coding of ['identity', 'Identity', '']) assert.equal((await sent('/events', coding, json)).status, 204)
})

/** The whole answer to bytes as they are sent. */
function answerTo(bytes: string): Promise<string> {
  const { hostname, port } = new URL(instance.baseUrl)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.once('close', () => resolve(text))
    socket.once('error', reject)
  })
}

test('a request without a host, and one with an expectation that nobody knows, are answered in our form', async () => {
  const rest = `authorization: Bearer ${instance.token}\r\nconnection: close\r\n\r\n`
  const hostless = await answerTo(`GET /api/tags HTTP/1.1\r\n${rest}`)
  assert.match(hostless, /^HTTP\/1\.1 400 /)
  assert.match(hostless, /\r\nx-request-id: [\w-]+\r\n/i)
  assert.match(hostless, /application\/problem\+json/)
  assert.match(hostless, /"code":"malformed-request"/)
  assert.match(await answerTo(`GET /api/tags HTTP/1.0\r\n${rest}`), /^HTTP\/1\.1 200 /)
  const expecting = await answerTo(`GET /api/tags HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\n${rest}`)
  assert.match(expecting, /^HTTP\/1\.1 200 /)
  assert.match(expecting, /\r\nx-request-id: [\w-]+\r\n/i)
})

test('bytes that are no HTTP get a 400 and the connection ends', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
  ]) {
    const answer = await answerTo(bytes)
    assert.match(answer, /^HTTP\/1\.1 4(00|31) /, bytes.slice(0, 20))
    assert.match(answer, /application\/problem\+json/)
  }
})

test('bodies that one token holds open take no more memory than its share, and others are served', async () => {
  const [greedy, other] = [await instance.makeToken(), await instance.makeToken()]
  const { hostname, port } = new URL(instance.baseUrl)
  const before = await instance.rssBytes()
  const MIB = 1_048_576
  const begin = async () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    let text = ''
    socket.on('data', (data) => (text += data))
    const head = `authorization: Bearer ${greedy}\r\ncontent-type: application/json\r\ncontent-length: ${24 * MIB}\r\n`
    socket.write(`POST /api/emails HTTP/1.1\r\nhost: x\r\n${head}\r\n`)
    await new Promise<void>((resolve) => socket.write(Buffer.alloc(12 * MIB, ' '), () => resolve()))
    return { socket, answer: () => text }
  }
  const held = await Promise.all(Array.from({ length: 30 }, begin))
  const refused = () => held.filter(({ answer }) => answer().startsWith('HTTP/1.1 429 '))
  await eventually('those beyond its share are refused', () => refused().length === 28)
  for (const { answer } of refused()) assert.match(answer(), /retry-after: 1\r\n[\s\S]*"code":"too-many-requests"/)
  const grown = (await instance.rssBytes()) - before
  assert.ok(grown < 200 * MIB, `${Math.round(grown / MIB)} MiB for 360 MiB that were sent`)
  const email = { to: 'ada@example.com', subject: 'Hello', body: `<p>${'x'.repeat(2 * MIB)}</p>` }
  const answers = [
    await send('POST', `${instance.baseUrl}/api/emails`, { token: other, json: email }),
    await send('GET', `${instance.baseUrl}/api/contacts`, { token: greedy }),
    await send('POST', `${instance.baseUrl}/api/contacts`, { token: greedy, json: { email: 'small@example.com' } }),
  ]
  assert.ok(
    !answers.some(({ status }) => status === 429 || status === 503),
    String(answers.map(({ status }) => status)),
  )
  for (const { socket } of held) socket.destroy()
})
