import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay, setImmediate as waited } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { eventually } from '../../../test/support/eventually.ts'
import { createHandClock } from '../../../test/support/hand-clock.ts'
import { handTimers } from '../../../test/support/hand-timers.ts'
import { databaseOutcome } from '../db/errors.ts'
import { Problem } from '../problem.ts'
import { PageQuery } from '../schema/paging.ts'
import { closed, FreeForm, Id, nullable, Timestamp } from '../schema/schemas.ts'
import { closeHttpServer } from './close-server.ts'
import type { HttpApp, HttpServerOptions, RequestDone } from './http-app.ts'
import { HTTP_PROBLEMS, overloaded } from './http-problems.ts'
import { DEADLINE_MS } from './in-flight.ts'
import { PING_TIMEOUT_MS, serveProbes } from './probes.ts'
import { createHttpServer } from './server.ts'

/** More than the buffers of both ends hold. */
const MANY_BYTES = 32_000_000
const MADE_ID = /^[\w-]{12}-[0-9a-z]+$/

type LogLine = { level: string; [field: string]: unknown }

function makeServer(t: TestContext, options: Partial<HttpServerOptions> = {}) {
  const lines: LogLine[] = []
  const done: RequestDone[] = []
  const log = (level: string) => (fields: object) => lines.push({ level, ...fields })
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => [level, log(level)])
  const logger = { ...Object.fromEntries(levels), level: 'info', child: () => logger } as FastifyBaseLogger
  const app = createHttpServer({
    logger,
    trustProxy: false,
    https: false,
    onRequestDone: (request) => done.push(request),
    ...options,
  })
  const Item = closed({
    action: Type.String({ minLength: 1, maxLength: 200 }),
    email: Type.Optional(nullable(Type.String())),
    count: Type.Optional(Type.Integer()),
    occurredAt: Type.Optional(Timestamp),
    properties: Type.Optional(FreeForm),
  })
  app.post('/api/things', { schema: { operationId: 'Things_create', body: Item } }, async (request, reply) => {
    return reply.type('application/json').send(JSON.stringify(request.body))
  })
  app.get(
    '/api/things',
    { schema: { operationId: 'Things_list', querystring: PageQuery } },
    async (request) => request.query,
  )
  app.get(
    '/api/things/:thingId/parts',
    {
      schema: {
        operationId: 'Things_listParts',
        params: Type.Object({ thingId: Id }),
        response: { 200: Type.Object({ id: Type.String() }) },
      },
    },
    async (request) => ({ id: request.params.thingId, secret: 'never leaves' }),
  )
  app.delete('/api/things/:thingId', { schema: { operationId: 'Things_delete' } }, async (_request, reply) => {
    return reply.code(204).send()
  })
  app.get('/api/broken', { schema: { operationId: 'Broken_get' } }, async () => {
    throw new Error('a secret of the server')
  })
  t.after(() => app.close())
  return { app, lines, done }
}

const send = (app: HttpApp, payload: string | Buffer, type = 'application/json') =>
  app.inject({ method: 'POST', url: '/api/things', headers: { 'content-type': type }, payload })

async function listen(app: HttpApp): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as net.AddressInfo).port
}

test('a body that fits is handed on, and every answer has the safe headers and a request id', async (t) => {
  const { app } = makeServer(t)
  const answer = await send(app, '{"action":"signup","email":null,"occurredAt":"2026-11-21T03:10:40Z"}')
  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), { action: 'signup', email: null, occurredAt: '2026-11-21T03:10:40Z' })
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.match(String(answer.headers['x-request-id']), MADE_ID)
})

test('a body that does not fit is a 400 that names each field with a pointer', async (t) => {
  const { app } = makeServer(t)
  const answer = await send(app, '{"action":"","verified":true,"count":"1","occurredAt":"yesterday"}')
  assert.equal(answer.statusCode, 400)
  assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8')
  const problem = answer.json()
  assert.equal(problem.code, 'invalid-request')
  assert.equal(problem.type, '/docs/problems#invalid-request')
  assert.equal(problem.requestId, answer.headers['x-request-id'])
  const pointers = problem.errors.map((error: { pointer: string }) => error.pointer)
  assert.deepEqual(pointers.sort(), ['/action', '/count', '/occurredAt', '/verified'])
  assert.deepEqual((await send(app, '{}')).json().errors, [{ pointer: '/action', detail: 'is required' }])
})

test('a missing body is a 400, and a client may send DELETE with a content type and nothing else', async (t) => {
  const { app } = makeServer(t)
  assert.equal((await app.inject({ method: 'POST', url: '/api/things' })).statusCode, 400)
  assert.equal((await send(app, '')).json().detail, 'the request must have a JSON body')
  const headers = { 'content-type': 'application/json' }
  assert.equal((await app.inject({ method: 'DELETE', url: '/api/things/1', headers })).statusCode, 204)
})

test('anything but JSON is a 415, and JSON types with a suffix are JSON', async (t) => {
  const { app } = makeServer(t)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'nonsense']) {
    const answer = await send(app, '{"action":"a"}', type)
    assert.equal(answer.statusCode, 415, type)
    assert.equal(answer.json().code, 'unsupported-media-type')
    assert.equal(answer.json().detail, 'The body must be JSON.')
  }
  for (const type of ['application/json; charset=utf-8', 'application/merge-patch+json', 'APPLICATION/JSON']) {
    assert.equal((await send(app, '{"action":"a"}', type)).statusCode, 200, type)
  }
})

test('a body over the limit is a 413', async (t) => {
  const { app } = makeServer(t)
  const answer = await send(app, JSON.stringify({ action: 'a', properties: { text: 'x'.repeat(16_385) } }))
  assert.equal(answer.statusCode, 413)
  assert.equal(answer.json().code, 'body-too-large')
  assert.equal(answer.json().detail, 'The body may have at most 16 KiB.')
})

test('a client that is still writing a body over the limit gets its answer, and the connection goes on', async (t) => {
  const { app } = makeServer(t)
  const socket = net.connect(await listen(app), '127.0.0.1').pause()
  const head = (line: string, more = '') => `${line} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
  const type = 'content-type: application/json\r\n'
  socket.write(head('POST /api/things', `${type}content-length: ${MANY_BYTES}\r\n`))
  // More than all buffers on the way hold: the server has read of it when it is written.
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).write(Buffer.alloc(MANY_BYTES, ' '), (error) => (error ? reject(error) : resolve()))
  })
  socket.write(head('GET /api/things', 'connection: close\r\n'))
  const answers = (await socket.toArray()).join('')
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413', 'HTTP/1.1 200'])
  assert.match(answers, /body-too-large/)
})

test('a body over the limit that never ends, ends with its connection', async (t) => {
  const { app } = makeServer(t, { limits: { lingerMs: 1 } })
  const socket = net.connect(await listen(app), '127.0.0.1').on('error', () => undefined)
  const closed = new Promise((resolve) => socket.resume().once('close', resolve))
  const head = `content-type: application/json\r\ncontent-length: ${MANY_BYTES}\r\n\r\n`
  socket.write(`POST /api/things HTTP/1.1\r\nhost: x\r\n${head} `)
  await closed
})

/** Sends so many bytes of a body that says no length, and does not end it. */
async function streamBody(port: number, bytes: number) {
  const socket = net.connect(port, '127.0.0.1')
  const answers: string[] = []
  socket.on('data', (data) => answers.push(String(data)))
  const piece = (length: number) => `${length.toString(16)}\r\n${' '.repeat(length)}\r\n`
  const head = 'host: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
  socket.write(`POST /api/things HTTP/1.1\r\n${head}${piece(bytes)}`)
  await eventually('it is refused', () => /413.*body-too-large/s.test(answers.join('')))
  return { socket, answers, piece }
}

test('a client that goes away when its body without a length is refused takes nobody along', async (t) => {
  for (const leave of ['client', 'server']) {
    const { app } = makeServer(t, { limits: leave === 'server' ? { lingerMs: 1 } : {} })
    const ended = once(app.server, 'connection').then(([connection]) => once(connection as net.Socket, 'close'))
    const { socket } = await streamBody(await listen(app), 20_000)
    if (leave === 'client') socket.destroy()
    await ended
    await waited()
    assert.equal((await send(app, '{"action":"a"}')).statusCode, 200)
  }
})

test('what arrives of a body after it is refused takes no room', async (t) => {
  const { app } = makeServer(t, {
    bodyRoom: { bytes: 30_000, workspaceBytes: 30_000, senderBytes: 30_000, freeBytes: 1_000 },
  })
  const port = await listen(app)
  const { socket, answers, piece } = await streamBody(port, 20_000)
  socket.write(`${piece(20_000)}0\r\n\r\nGET /api/things HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  await once(socket, 'close')
  assert.match(answers.join(''), /HTTP\/1\.1 200/)
  const answer = await fetch(`http://127.0.0.1:${port}/api/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"action":"a"}'.padEnd(16_000),
  })
  assert.equal(answer.status, 200)
})

/** A server whose senders say who they are, with little room for bodies. */
function roomyServer(t: TestContext, limits: HttpServerOptions['limits'] = {}) {
  const { app } = makeServer(t, {
    bodyRoom: { bytes: 100_000, workspaceBytes: 70_000, senderBytes: 50_000, freeBytes: 1_000 },
    senderOf: ({ headers }) => ({ sender: String(headers['x-sender']), workspace: String(headers['x-workspace']) }),
    limits: { openBodyBytesMax: 60_000, ...limits },
  })
  const listening = listen(app)
  const item = (bytes: number) => JSON.stringify({ action: 'a' }).padEnd(bytes)
  return {
    /** Says that it will send so many bytes, sends half of them and waits. */
    async begin(workspace: string, sender: string, bytes: number) {
      const socket = net.connect(await listening, '127.0.0.1').on('error', () => undefined)
      const type = `content-type: application/json\r\nx-workspace: ${workspace}\r\nx-sender: ${sender}\r\n`
      socket.write(
        `POST /api/things HTTP/1.1\r\nhost: x\r\n${type}content-length: ${bytes}\r\n\r\n${item(bytes).slice(0, bytes / 2)}`,
      )
      return socket
    },
    async post(workspace: string, sender: string, bytes: number, headers: Record<string, string> = {}) {
      const url = `http://127.0.0.1:${await listening}/api/things`
      const from = { 'content-type': 'application/json', 'x-workspace': workspace, 'x-sender': sender, ...headers }
      const isStream = headers['x-stream'] !== undefined
      const body = isStream ? new Blob([item(bytes)]).stream() : item(bytes)
      const answer = await fetch(url, {
        method: 'POST',
        headers: from,
        body,
        ...(isStream && { duplex: 'half' }),
      } as RequestInit)
      const { code = null } = (await answer.json()) as { code?: string }
      return [answer.status, code, answer.headers.get('retry-after')]
    },
  }
}

test('who holds bodies open has a share of the room for them, others find theirs, and small ones never wait', async (t) => {
  const { begin, post } = roomyServer(t)
  const held = await begin('a', 'one', 40_000)
  await eventually('it takes its room', async () => (await post('a', 'one', 40_000))[0] === 429)
  assert.deepEqual(await post('a', 'one', 40_000), [429, 'too-many-requests', '1'])
  assert.deepEqual(await post('a', 'one', 40_000, { 'x-stream': 'yes' }), [429, 'too-many-requests', '1'])
  assert.deepEqual(await post('a', 'two', 40_000), [429, 'too-many-requests', '1'], 'of the same workspace')
  assert.deepEqual(await post('b', 'six', 40_000), [200, null, null])
  const other = await begin('b', 'three', 40_000)
  await eventually('the room is used up', async () => (await post('c', 'four', 40_000))[0] === 503)
  assert.deepEqual(await post('c', 'four', 40_000), [503, 'overloaded', '1'])
  for (const sender of ['one', 'four']) assert.deepEqual(await post('a', sender, 1_000), [200, null, null])
  assert.deepEqual(await post('c', 'four', 10_000, { 'x-stream': 'yes' }), [200, null, null])
  held.destroy()
  other.destroy()
  await eventually('it is given back', async () => (await post('a', 'one', 50_000))[0] === 200)
  for (let n = 0; n < 5; n++) assert.equal((await post('a', 'one', 50_000, { 'x-stream': 'yes' }))[0], 200)
})

test('a body that drips gives its room back when its time is over', async (t) => {
  const { begin, post } = roomyServer(t, { bodyTimeoutMs: 400 })
  const dripping = await begin('a', 'one', 40_000)
  let text = ''
  for await (const chunk of dripping) text += chunk
  assert.match(text, /^HTTP\/1\.1 408 /)
  await eventually('its room is free', async () => (await post('a', 'one', 50_000))[0] === 200)
})

test('parameters are read as their types, given once, within bounds, and known', async (t) => {
  const { app } = makeServer(t)
  assert.deepEqual((await app.inject('/api/things')).json(), { page: 1, pageSize: 25 })
  assert.deepEqual((await app.inject('/api/things?page=3&pageSize=1000')).json(), { page: 3, pageSize: 1000 })
  const refused = [
    'page=0',
    'page=1.5',
    'page=',
    'page=1e1',
    'page=2147483648',
    'pageSize=1001',
    'pagesize=1',
    'page=1&page=2',
  ]
  for (const query of [...refused, 'page=0x10', 'page=%00', 'page=+1']) {
    const answer = await app.inject(`/api/things?${query}`)
    assert.equal(answer.statusCode, 400, query)
    assert.equal(answer.json().code, 'invalid-request', query)
  }
})

test('an identifier that no row can have is not found, one that is no number is invalid', async (t) => {
  const { app } = makeServer(t)
  assert.equal((await app.inject('/api/things/9223372036854775807/parts')).statusCode, 200)
  assert.equal((await app.inject('/api/things/9223372036854775808/parts')).statusCode, 404)
  assert.equal((await app.inject(`/api/things/${'9'.repeat(300)}/parts`)).statusCode, 404)
  assert.equal((await app.inject('/api/things/x/parts')).statusCode, 400)
})

test('a response schema is an allow-list', async (t) => {
  const { app } = makeServer(t)
  assert.deepEqual((await app.inject('/api/things/1/parts')).json(), { id: '1' })
})

test('an unknown path is a 404, a known path with another method a 405 that says which ones', async (t) => {
  const { app } = makeServer(t)
  assert.equal((await app.inject('/nowhere')).json().code, 'not-found')
  assert.equal(
    (await app.inject({ method: 'POST', url: '/nowhere', payload: '{', headers: { 'content-type': 'a/b' } }))
      .statusCode,
    404,
  )
  const answer = await app.inject({ method: 'PUT', url: '/api/things?x=1' })
  assert.equal(answer.statusCode, 405)
  assert.equal(answer.headers.allow, 'GET, HEAD, POST')
  assert.equal((await app.inject({ method: 'HEAD', url: '/api/things' })).statusCode, 200)
})

test('every API path is reachable without /api, under the same route', async (t) => {
  const { app, done } = makeServer(t)
  assert.equal((await app.inject('/things/7/parts?')).statusCode, 200)
  assert.deepEqual(
    done.map(({ durationMs, ...rest }) => ({ ...rest, timed: durationMs >= 0 })),
    [{ operationId: 'Things_listParts', route: '/api/things/{thingId}/parts', status: 200, timed: true }],
  )
})

test('a path of its own may not be the alias of an API path', (t) => {
  const { app } = makeServer(t)
  assert.throws(() => app.get('/things', async () => ''), /both a path of its own and the alias/)
})

test('requests refused before their handler count under their route, unrouted and uninstrumented ones do not', async (t) => {
  const { app, done } = makeServer(t)
  serveProbes(app, async () => undefined)
  await send(app, '{}')
  await app.inject('/api/nothing')
  await app.inject('/healthz')
  assert.deepEqual(
    done.map(({ operationId, status }) => [operationId, status]),
    [['Things_create', 400]],
  )
})

test('a request writes one line, and at level info none when it went well', async (t) => {
  const { app, lines } = makeServer(t)
  await app.inject('/api/things')
  assert.deepEqual(lines, [])
  await app.inject('/api/nothing')
  assert.deepEqual(
    lines.map(({ level, path, status }) => [level, path, status]),
    [['info', '/api/nothing', 404]],
  )
})

test('of a path that is none of ours the log has no part that may be a secret', async (t) => {
  const { app, lines } = makeServer(t)
  for (const url of ['/e/u/eyJhbGciOi.Jx_9/more', '/hooks/1-AbCdEf/nothing', '/api/things/prt_abc/x?token=1'])
    await app.inject(url)
  assert.deepEqual(
    lines.map(({ path }) => path),
    ['/e/u/***/more', '/hooks/***/nothing', '/api/things/***/x'],
  )
})

test('a line of what a page sends does not have the address that it came from', async (t) => {
  const { app, lines } = makeServer(t)
  for (const url of ['/collect/nothing', '/api/nothing']) await app.inject(url)
  assert.deepEqual(
    lines.map((line) => 'ip' in line),
    [false, true],
  )
})

test('a request for two hosts is a 400', async (t) => {
  const { app } = makeServer(t)
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => closeHttpServer(app, { graceMs: 1_000 }))
  const socket = net.connect(Number(new URL(base).port), '127.0.0.1')
  socket.end('GET /api/things HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\nConnection: close\r\n\r\n')
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 400 [\s\S]*malformed-request/)
})

test('a fault of ours says nothing about itself but is logged with its request id', async (t) => {
  const { app, lines } = makeServer(t)
  const answer = await app.inject({ url: '/api/broken', headers: { 'x-request-id': 'abc-1' } })
  assert.equal(answer.statusCode, 500)
  assert.equal(answer.headers['x-request-id'], 'abc-1')
  assert.ok(!answer.body.includes('secret'))
  const line = lines.find(({ level }) => level === 'error')
  assert.equal(line?.requestId, 'abc-1')
  assert.match(String(line?.err), /a secret of the server/)
})

test('a refusal of ours that has no more to say is one line, which names it', async (t) => {
  const { app, lines } = makeServer(t)
  app.get('/api/busy', { schema: { operationId: 'Busy_get' } }, async () => {
    throw overloaded(1)
  })
  assert.equal((await app.inject('/api/busy')).statusCode, 503)
  assert.deepEqual(
    lines.map(({ level, path, status, problem }) => [level, path, status, problem]),
    [['warn', '/api/busy', 503, 'overloaded']],
  )
})

test('a request id that is too long or not visible ASCII is replaced', async (t) => {
  const { app } = makeServer(t)
  for (const id of ['a b', 'ä', 'x'.repeat(129)]) {
    const answer = await app.inject({ url: '/api/things', headers: { 'x-request-id': id } })
    assert.match(String(answer.headers['x-request-id']), MADE_ID)
  }
})

test('an unreachable database is a 503 with Retry-After', async (t) => {
  const { app } = makeServer(t)
  app.get('/api/rows', async () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  })
  const answer = await app.inject('/api/rows')
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal(answer.json().code, 'database-unavailable')
  assert.equal(answer.json().detail, undefined)
})

test('a handler that hangs is answered 503 within two seconds, and what it says later goes nowhere', async (t) => {
  const time = handTimers(t)
  const { app, done, lines } = makeServer(t)
  const [entered, hang] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.get('/api/hangs', { schema: { operationId: 'Hangs_get' } }, async () => {
    entered.resolve()
    await hang.promise
    return { late: true }
  })
  app.get('/api/sends', { schema: { operationId: 'Sends_get' } }, async (_request, reply) => {
    await hang.promise
    return reply.header('set-cookie', 'session=1').send({ late: true })
  })
  const [answering, sending] = [app.inject('/api/hangs'), app.inject('/api/sends')]
  await entered.promise
  time.advance(DEADLINE_MS - 50)
  assert.equal(await Promise.race([answering, waited('not yet')]), 'not yet')
  time.advance(2_000 - DEADLINE_MS)
  const answer = await answering
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.json().code, 'deadline-exceeded')
  assert.equal((await sending).statusCode, 503)
  time.release()
  const told = lines.length
  hang.resolve()
  await delay(0)
  assert.deepEqual(
    done.map(({ status }) => status),
    [503, 503],
  )
  assert.deepEqual(lines.slice(told), [], 'nothing is wrong with being late')
})

test('of what a handler throws after its answer only a fault of ours is told', async (t) => {
  const time = handTimers(t)
  const { app, lines } = makeServer(t)
  const late: PromiseWithResolvers<never>[] = []
  const entered = Promise.withResolvers<void>()
  app.get('/api/hangs', { schema: { operationId: 'Hangs_get' } }, async () => {
    late.push(Promise.withResolvers<never>())
    if (late.length === 2) entered.resolve()
    return late.at(-1)!.promise
  })
  const answers = [app.inject('/api/hangs'), app.inject('/api/hangs')]
  await entered.promise
  time.advance(2_000)
  for (const answer of answers) assert.equal((await answer).statusCode, 503)
  time.release()
  const told = lines.length
  late[0]!.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  late[1]!.reject(new TypeError('not a function'))
  await delay(0)
  assert.deepEqual(
    lines.slice(told).map(({ level }) => level),
    ['error'],
  )
})

test('a body that does not arrive in time is a 408 and ends the connection', async (t) => {
  const { app, done } = makeServer(t, { limits: { bodyTimeoutMs: 200 } })
  const socket = net.connect(await listen(app), '127.0.0.1')
  socket.write(
    'POST /api/things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"act',
  )
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.match(text, /^HTTP\/1\.1 408 /)
  assert.match(text, /"code":"request-timeout"/)
  assert.deepEqual(
    done.map(({ operationId, status }) => [operationId, status]),
    [['Things_create', 408]],
  )
})

test('a client that goes away is counted as 499', async (t) => {
  const counted = Promise.withResolvers<RequestDone>()
  const { app } = makeServer(t, { onRequestDone: counted.resolve })
  const entered = Promise.withResolvers<void>()
  app.get('/api/slow', { schema: { operationId: 'Slow_get' } }, () => {
    entered.resolve()
    return new Promise(() => {})
  })
  const port = await listen(app)
  const request = http.get({ port, path: '/api/slow' })
  request.on('error', () => {})
  await entered.promise
  request.destroy()
  assert.equal((await counted.promise).status, 499)
})

test('a body that is broken off is a fault of whoever sends it, and no outage of the database', async (t) => {
  const counted = Promise.withResolvers<RequestDone>()
  const outcomes: unknown[] = []
  const took = (error: unknown) => outcomes.push(databaseOutcome(error)) > 0
  const { app } = makeServer(t, { outages: { took }, onRequestDone: counted.resolve })
  const arriving = Promise.withResolvers<void>()
  app.addHook('preParsing', async () => arriving.resolve())
  const socket = net.connect(await listen(app), '127.0.0.1').on('error', () => undefined)
  socket.write(
    'POST /api/things HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"act',
  )
  await arriving.promise
  socket.resetAndDestroy()
  assert.equal((await counted.promise).status, 499)
  assert.deepEqual(outcomes, [undefined])
})

test('readiness follows the database and the shutdown, liveness follows neither', async (t) => {
  const taken: unknown[] = []
  const took = (error: unknown) => {
    taken.push(databaseOutcome(error))
    return true
  }
  const { app } = makeServer(t, { outages: { took } })
  let ping: () => Promise<unknown> = async () => undefined
  const clock = createHandClock()
  serveProbes(app, () => ping(), { clock })
  assert.deepEqual((await app.inject('/readyz')).json(), { status: 'ok' })
  ping = async () => {
    throw new Error('away')
  }
  assert.equal((await app.inject('/readyz')).statusCode, 503)
  const asked = Promise.withResolvers<void>()
  ping = () => {
    asked.resolve()
    return new Promise(() => {})
  }
  const answering = app.inject('/readyz')
  await asked.promise
  clock.advance(PING_TIMEOUT_MS - 1)
  assert.equal(await Promise.race([answering, waited('not yet')]), 'not yet')
  clock.advance(1)
  assert.equal((await answering).statusCode, 503)
  assert.deepEqual(taken, [undefined, 'away'], 'a probe that nobody answers is a part of the outage')
  assert.ok(PING_TIMEOUT_MS < 2_000)
  ping = async () => undefined
  app.draining = true
  assert.equal((await app.inject('/readyz')).json().code, 'shutting-down')
  assert.deepEqual((await app.inject('/healthz')).json(), { status: 'ok' })
})

test('closing lets a running request finish and ends idle connections at once', async (t) => {
  const { app } = makeServer(t)
  const entered = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  app.get('/api/work', async () => {
    entered.resolve()
    await release.promise
    return { finished: true }
  })
  const port = await listen(app)
  const idle = net.connect(port, '127.0.0.1')
  await once(idle, 'connect')
  const agent = new http.Agent({ keepAlive: true })
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ port, path: '/api/work', agent }, resolve).on('error', reject)
  })
  await entered.promise
  const closing = closeHttpServer(app, { graceMs: 5_000 })
  await once(idle.resume(), 'close')
  release.resolve()
  const answer = await answered
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers.connection, 'close')
  answer.resume()
  await closing
  agent.destroy()
})

test('bytes that are not HTTP are answered 400 as a problem', async (t) => {
  const { app } = makeServer(t)
  const port = await listen(app)
  const socket = net.connect(port, '127.0.0.1')
  socket.end('hello\r\n\r\n')
  const text = (await socket.setEncoding('utf8').toArray()).join('')
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.match(text, /"code":"malformed-request"/)
})

test('a malformed escape in the path is a 400', async (t) => {
  const { app } = makeServer(t)
  const answer = await app.inject('/api/things/%zz/parts')
  assert.equal(answer.statusCode, 400)
  assert.equal(answer.json().code, 'malformed-request')
})

test('a problem thrown by a handler is answered with its status, headers and fields', async (t) => {
  const { app } = makeServer(t)
  app.get('/api/problem', async () => {
    throw new Problem(HTTP_PROBLEMS.overloaded, { headers: { 'retry-after': '3' } })
  })
  const answer = await app.inject('/api/problem')
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.headers['retry-after'], '3')
})

test('a body schema that forgets to refuse unknown fields does not start', async (t) => {
  const { app } = makeServer(t)
  app.post('/api/loose', { schema: { body: Type.Object({ a: Type.String() }) } }, async () => '')
  await assert.rejects(async () => app.ready(), /additionalProperties/)
})

test('a number of proxies is how many addresses of X-Forwarded-For are believed, counted from us', async (t) => {
  for (const [trustProxy, ip] of [
    [false, '127.0.0.1'],
    [1, '10.0.0.1'],
    [2, '203.0.113.7'],
    [true, '198.51.100.9'],
  ] as const) {
    const { app } = makeServer(t, { trustProxy })
    app.get('/ip', async (request) => ({ ip: request.address }))
    const headers = { 'x-forwarded-for': '198.51.100.9, 203.0.113.7, 10.0.0.1' }
    assert.equal((await app.inject({ url: '/ip', headers })).json().ip, ip, String(trustProxy))
  }
})

test('a client that is gone has the address that it had', async (t) => {
  const { app } = makeServer(t)
  const seen = Promise.withResolvers<string>()
  let socket: net.Socket | undefined
  app.get('/gone', async (request) => {
    socket?.destroy()
    await once(request.raw.socket, 'close')
    seen.resolve(request.address)
    return {}
  })
  socket = net.connect(await listen(app), '127.0.0.1')
  socket.write('GET /gone HTTP/1.1\r\nHost: localhost\r\n\r\n')
  assert.equal(await seen.promise, '127.0.0.1')
})

test('a person at a path that leads nowhere gets a page, a program a problem', async (t) => {
  const { app } = makeServer(t)
  const get = (url: string, accept: string) => app.inject({ url, headers: { accept } })
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const page = await get('/nothing/here', browser)
  assert.equal(page.statusCode, 404)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(page.body, /Nothing is here/)
  for (const [url, accept] of [
    ['/nothing/here', '*/*'],
    ['/nothing/here', 'application/json'],
    ['/api/nothing', browser],
  ] as const) {
    const answer = await get(url, accept)
    assert.deepEqual([answer.statusCode, answer.json().code], [404, 'not-found'], `${url} ${accept}`)
  }
})
