import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerLostError, createClient, NoAnswerError, PostroomError } from '../../sdk/src/main.ts'
import { declaredApi } from '../support/route-table.ts'
import { answer, broken, problem, scriptedClient } from './scripted-fetch.ts'

const CONTACT = { id: '42', email: 'ada@example.com' }

test('every operation of the API has a method that asks for it', async () => {
  const { paths } = await declaredApi()
  const { client, sent } = scriptedClient([answer(200, { items: [] })])
  const families = client as unknown as Record<string, Record<string, (...given: unknown[]) => PromiseLike<unknown>>>
  let count = 0
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      const [family = '', verb = ''] = operationId.split('_')
      const call = families[`${family[0]!.toLowerCase()}${family.slice(1)}`]?.[verb]
      assert.ok(call, operationId)
      const names = path.match(/(?<=\{)\w+(?=\})/g) ?? []
      await call(...names.map((_, n) => `a/b ${n}`), ...(requestBody ? [{ body: 'of it' }] : []))
      const asked = sent.at(-1)!
      const filled = names.reduce((text, name, n) => text.replace(`{${name}}`, `a%2Fb%20${n}`), path)
      assert.deepEqual([asked.method, asked.url.pathname], [method.toUpperCase(), filled], operationId)
      assert.equal(asked.body, requestBody ? '{"body":"of it"}' : '', operationId)
      assert.equal(asked.headers.has('idempotency-key'), method === 'post', operationId)
      count++
    }
  }
  assert.ok(count > 150, `${count} operations`)
})

test('a number that would be rounded is the text of its digits', async () => {
  const account = JSON.rawJSON('9007199254740993')
  const { client } = scriptedClient([answer(200, { ...CONTACT, customFields: { account, seats: 12, rate: 0.1 } })])
  const { customFields } = await client.contacts.get('42')
  assert.deepEqual(customFields, { account: '9007199254740993', seats: 12, rate: 0.1 })
})

test('a call carries the token, its query and its body', async () => {
  const { client, sent } = scriptedClient([answer(200, { items: [] })], { baseUrl: 'https://mail.example.com/' })
  await client.contacts.list({ tag: 'VIP & more', updatedSince: '2026-01-01T00:00:00Z', page: 2 })
  const [list] = sent
  assert.equal(
    list!.url.href,
    'https://mail.example.com/api/contacts?tag=VIP+%26+more&updatedSince=2026-01-01T00%3A00%3A00Z&page=2',
  )
  assert.equal(list!.headers.get('authorization'), 'Bearer prt_test')
  assert.match(list!.headers.get('user-agent')!, /^postroom-client\/\d/)
  await client.contacts.upsert({ email: 'ada@example.com' }, { mode: 'fill' }, { headers: { 'x-request-id': 'mine' } })
  const upsert = sent[1]!
  assert.deepEqual([upsert.url.search, upsert.body], ['?mode=fill', '{"email":"ada@example.com"}'])
  assert.deepEqual(
    [upsert.headers.get('content-type'), upsert.headers.get('x-request-id')],
    ['application/json', 'mine'],
  )
  await client.broadcasts.send('7')
  assert.equal(sent[2]!.body, '{}')
  await client.imports.create('email\nada@example.com\n', { fileName: 'people.csv' })
  assert.deepEqual([sent[3]!.headers.get('content-type'), sent[3]!.body], ['text/csv', 'email\nada@example.com\n'])
})

test('a part of a path that leads somewhere else is refused before anything is sent', async () => {
  const { client, sent } = scriptedClient([answer(204)])
  // Left to a URL, the last one would erase the contact.
  for (const name of ['', '.', '..']) await assert.rejects(client.contactTags.remove('42', name), TypeError)
  await assert.rejects(client.contacts.get(undefined as unknown as string), TypeError)
  await assert.rejects(async () => client.contactTags.list('..'), TypeError)
  assert.deepEqual(sent, [])
})

test('a path never becomes part of the host, and no address swallows a path', async () => {
  const { client, sent } = scriptedClient([answer(204)])
  for (const path of [
    '.evil.example/api/contacts',
    '@evil.example/',
    ':8080/api',
    'api/contacts',
    'https://evil.example/',
    '',
  ])
    await assert.rejects(client.raw('GET', path), TypeError, path)
  const made = (baseUrl: string) => () => scriptedClient([answer(204)], { baseUrl })
  for (const baseUrl of [
    '',
    'mail.example.com',
    'localhost:3000',
    'ftp://mail.example.com',
    'https://mail.example.com?',
    'https://mail.example.com/#a',
    'https://ada:secret@mail.example.com',
    'https://mail.example.com/api',
    'https://mail.example.com/mail/API/',
  ])
    assert.throws(made(baseUrl), TypeError, baseUrl)
  assert.equal(sent.length, 0)
  for (const baseUrl of [
    'http://[::1]:3000',
    'HTTPS://mail.example.com//',
    'https://example.com/mail/',
    'https://mail.example/myapi',
  ])
    assert.doesNotThrow(made(baseUrl), baseUrl)
})

test('a POST keeps its key and its bytes over all attempts, and no two calls share one', async () => {
  const { client, sent, pauses } = scriptedClient([
    broken(),
    problem(503, 'database-unavailable'),
    answer(202, { id: '1' }),
  ])
  await client.emails.send({ destination: 'ada@example.com', subject: 'Hello', text: 'Hello' })
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
  assert.deepEqual([keys.length, new Set(keys).size, new Set(sent.map(({ body }) => body)).size], [3, 1, 1])
  assert.match(keys[0]!, /^[\w-]{36}$/)
  assert.equal(pauses.length, 2)
  await client.emails.send({ destination: 'ada@example.com', subject: 'Hello', text: 'Hello' })
  assert.notEqual(sent[3]!.headers.get('idempotency-key'), keys[0])
  await client.emails.cancel('1', { idempotencyKey: 'order-4711' })
  assert.equal(sent[4]!.headers.get('idempotency-key'), 'order-4711')
})

test('what may pass is tried again, two more times unless another number is given', async () => {
  const codes: [number, string][] = [
    [408, 'request-timeout'],
    [429, 'too-many-requests'],
    [503, 'overloaded'],
  ]
  for (const [status, code] of codes) {
    const { client, sent } = scriptedClient([problem(status, code)])
    await assert.rejects(client.contacts.create({}), { status, code })
    assert.equal(sent.length, 3, code)
  }
  const patient = scriptedClient([problem(503, 'overloaded')], { retries: 5 })
  await assert.rejects(patient.client.contacts.create({}), PostroomError)
  assert.equal(patient.sent.length, 6)
  await assert.rejects(patient.client.contacts.create({}, { retries: 0 }), PostroomError)
  assert.equal(patient.sent.length, 7)
  await assert.rejects(patient.client.contacts.create({}, { retries: 6 }), RangeError)
})

test('what stays as it is is not tried again', async () => {
  const codes: [number, string][] = [
    [400, 'invalid-request'],
    [409, 'conflict'],
    [422, 'unprocessable'],
  ]
  for (const [status, code] of codes) {
    const { client, sent } = scriptedClient([problem(status, code)])
    await assert.rejects(client.contacts.create({}), { name: 'PostroomError', status, code })
    assert.equal(sent.length, 1, code)
  }
})

test('pauses grow up to eight seconds, and are at least what the server asks for', async () => {
  const growing = scriptedClient([broken()], { retries: 5 })
  await assert.rejects(growing.client.contacts.get('1'))
  assert.equal(growing.pauses.length, 5)
  for (const [n, ms] of growing.pauses.entries()) assert.ok(ms >= 0 && ms <= Math.min(8_000, 500 * 2 ** n), `${ms}`)
  const asked = scriptedClient([problem(429, 'too-many-requests', { 'retry-after': '7' })])
  await assert.rejects(asked.client.contacts.get('1'), { retryAfterSeconds: 7 })
  for (const ms of asked.pauses) assert.ok(ms >= 7_000 && ms <= 7_500, `${ms}`)
  const tooLong = scriptedClient([problem(429, 'too-many-requests', { 'retry-after': '3600' })])
  await assert.rejects(tooLong.client.contacts.get('1'), { retryAfterSeconds: 3600 })
  assert.deepEqual(tooLong.pauses, [])
})

test('a call ends at its deadline instead of waiting beyond it', async () => {
  const { client, sent, pauses } = scriptedClient([problem(429, 'too-many-requests', { 'retry-after': '7' })])
  await assert.rejects(client.contacts.get('1', { deadlineMs: 5_000 }), { code: 'too-many-requests' })
  assert.deepEqual([sent.length, pauses], [1, []])
})

/** Answers nothing until it is given up. */
const silent: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })

test('an attempt that is not answered in time is given up, and tried again', async () => {
  let attempts = 0
  const { client, pauses } = scriptedClient([], {
    fetch: (url, init) => (++attempts < 3 ? silent(url, init) : Promise.resolve(answer(200, CONTACT))),
    timeoutMs: 1,
  })
  assert.equal((await client.contacts.get('42')).id, '42')
  assert.deepEqual([attempts, pauses.length], [3, 2])
})

test('a signal ends a call, with its reason', async () => {
  const { client } = scriptedClient([], { fetch: silent })
  const reason = new Error('the visitor left')
  const controller = new AbortController()
  const call = client.contacts.get('42', { signal: controller.signal })
  controller.abort(reason)
  await assert.rejects(call, reason)
  await assert.rejects(client.contacts.get('42', { signal: AbortSignal.abort(reason) }), reason)
})

test('a signal ends a pause, with its reason', async () => {
  const reason = new Error('the visitor left')
  const controller = new AbortController()
  const client = createClient({
    baseUrl: 'https://mail.example.com',
    token: 'prt_test',
    fetch: async () => problem(429, 'too-many-requests', { 'retry-after': '60' }),
    onAttempt: ({ retryInMs }) => {
      assert.ok(retryInMs)
      setImmediate(() => controller.abort(reason))
    },
  })
  await assert.rejects(client.contacts.get('42', { signal: controller.signal }), reason)
})

test('an error says what the server said', async () => {
  const body = {
    ...{ title: 'Another one already has this value', status: 409, detail: 'email is already taken', code: 'conflict' },
    ...{ errors: [{ pointer: '/email', detail: 'is already taken' }], requestId: 'req-7' },
  }
  const { client } = scriptedClient([answer(409, body)])
  const error = await client.contacts.create({ email: 'ada@example.com' }).catch((fault: unknown) => fault)
  assert.ok(error instanceof PostroomError && error.code === 'conflict')
  assert.deepEqual([error.status, error.requestId, error.errors], [409, 'req-7', body.errors])
  assert.match(
    error.message,
    /^POST https:\/\/mail\.example\.com\/api\/contacts: 409 conflict: .*email is already taken$/,
  )
})

test('an answer of something that is not Postroom is an error too', async () => {
  const page = (status: number, location?: string) =>
    new Response('<html>', { status, headers: { 'content-type': 'text/html', ...(location ? { location } : {}) } })
  for (const foreign of [page(200), page(404), page(301, 'https://elsewhere.example')]) {
    const { client, sent } = scriptedClient([foreign])
    await assert.rejects(client.contacts.get('42'), { code: 'unexpected-answer', status: foreign.status })
    assert.equal(sent.length, 1)
  }
})

test('a change that may have been made is told apart from one that was not', async () => {
  const lost = scriptedClient([broken()])
  const error = await lost.client.emails.cancel('1').catch((fault: unknown) => fault)
  assert.ok(error instanceof AnswerLostError && error.outcome === 'unknown')
  assert.equal(error.idempotencyKey, lost.sent[0]!.headers.get('idempotency-key'))
  await assert.rejects(lost.client.emails.get('1'), NoAnswerError)
  const { client } = scriptedClient([problem(409, 'idempotent-answer-lost')])
  await assert.rejects(client.emails.cancel('1'), { name: 'AnswerLostError', outcome: 'took-effect' })
  const open: [number, string][] = [
    [409, 'request-in-flight'],
    [500, 'internal-error'],
    [503, 'database-unavailable'],
    [504, 'unexpected-answer'],
  ]
  for (const [status, code] of open) {
    const uncertain = scriptedClient([problem(status, code)])
    const fault = await uncertain.client.contacts.create({}).catch((one: unknown) => one)
    assert.ok(fault instanceof AnswerLostError && fault.outcome === 'unknown', code)
    assert.ok(fault.cause instanceof PostroomError && fault.cause.code === code)
    await assert.rejects(uncertain.client.contacts.get('1'), { name: 'PostroomError', code })
  }
})

test('an answer after one that is lost counts if it tells of that one', async () => {
  for (const [status, code] of [
    [401, 'invalid-token'],
    [412, 'precondition-failed'],
    [429, 'too-many-requests'],
    [503, 'overloaded'],
  ] as const) {
    const change = (script: Parameters<typeof scriptedClient>[0]) =>
      scriptedClient(script).client.contacts.update('42', { firstName: 'Ada' }, { ifMatch: '"1"' })
    await assert.rejects(change([problem(status, code)]), { name: 'PostroomError', code })
    // The change that was answered by nobody may be why it is refused, or stand all the same.
    await assert.rejects(change([broken(), problem(status, code)]), { name: 'AnswerLostError', outcome: 'unknown' })
  }
  const { client } = scriptedClient([broken(), problem(422, 'unprocessable')])
  await assert.rejects(client.contacts.create({}), { name: 'PostroomError', code: 'unprocessable' })
})

test('what an attempt before has deleted is deleted', async () => {
  const { client, sent } = scriptedClient([broken(), problem(404, 'not-found')])
  assert.equal(await client.contacts.erase('42'), undefined)
  assert.equal(sent.length, 2)
  await assert.rejects(scriptedClient([problem(404, 'not-found')]).client.contacts.erase('42'), { status: 404 })
  const overloaded = scriptedClient([problem(503, 'overloaded'), problem(404, 'not-found')])
  await assert.rejects(overloaded.client.contacts.erase('42'), { status: 404 })
})

test('a resource carries its entity tag to the change that heeds it, and nowhere else', async () => {
  const { client, sent } = scriptedClient([answer(200, CONTACT, { etag: '"7"' })])
  const contact = await client.contacts.get('42')
  assert.deepEqual([contact.etag, JSON.stringify(contact)], ['"7"', JSON.stringify(CONTACT)])
  await client.contacts.update('42', { firstName: 'Ada' }, { ifMatch: contact })
  await client.contacts.update('42', { firstName: 'Ada' }, { ifMatch: '"8"' })
  assert.deepEqual(
    sent.slice(1).map(({ headers }) => headers.get('if-match')),
    ['"7"', '"8"'],
  )
  // A copy has lost it: the change would go through unguarded.
  const copy = structuredClone(contact)
  await assert.rejects(client.contacts.update('42', {}, { ifMatch: copy }), TypeError)
})

test('a list is one page when it is awaited, and everything in a loop', async () => {
  const page = (n: number) =>
    answer(200, { items: [{ id: String(n) }], page: n, pageSize: 1, totalItems: 3, totalPages: 3 })
  const one = scriptedClient([page(2)])
  const list = one.client.contacts.list({ page: 2, pageSize: 1 })
  assert.equal(one.sent.length, 0)
  assert.deepEqual([(await list).items[0]!.id, (await list).page, one.sent.length], ['2', 2, 1])
  const all = scriptedClient([page(1), page(2), page(3)])
  const ids: string[] = []
  for await (const { id } of all.client.contacts.list({ tag: 'VIP' })) ids.push(id)
  assert.deepEqual(ids, ['1', '2', '3'])
  assert.deepEqual(
    all.sent.map(({ url }) => url.search),
    ['?tag=VIP&pageSize=100', '?tag=VIP&pageSize=100&page=2', '?tag=VIP&pageSize=100&page=3'],
  )
})

test('a list by cursor is read to its end', async () => {
  const { client, sent } = scriptedClient([
    answer(200, { items: [{ id: '1' }, { id: '2' }], nextCursor: 'abc' }),
    answer(200, { items: [{ id: '3' }] }),
  ])
  const ids: string[] = []
  for await (const { id } of client.emails.list({ status: 'failed', limit: 2 })) ids.push(id)
  assert.deepEqual(ids, ['1', '2', '3'])
  assert.deepEqual(
    sent.map(({ url }) => url.search),
    ['?status=failed&limit=2', '?status=failed&limit=2&cursor=abc'],
  )
})

test('a file is answered as it comes, and a stream is sent once', async () => {
  const { client, sent } = scriptedClient([new Response('email\n', { headers: { 'content-type': 'text/csv' } })])
  assert.equal(await (await client.exports.download('1')).text(), 'email\n')
  const stream = new Blob(['email\nada@example.com\n']).stream()
  const failing = scriptedClient([broken()])
  await assert.rejects(failing.client.imports.create(stream), AnswerLostError)
  assert.deepEqual([failing.sent.length, failing.sent[0]!.body], [1, 'email\nada@example.com\n'])
  await assert.rejects(client.imports.create(new FormData() as unknown as string), TypeError)
  assert.equal(sent.length, 1)
})

test('any request can be made with the same manners', async () => {
  const { client, sent } = scriptedClient([broken(), answer(200, CONTACT)])
  const response = await client.raw('post', '/api/contacts', {
    body: { email: 'ada@example.com' },
    query: { a: [1, 2] },
  })
  assert.deepEqual([response.status, sent.length, sent[1]!.method, sent[1]!.url.search], [200, 2, 'POST', '?a=1&a=2'])
  assert.equal(sent[0]!.headers.get('idempotency-key'), sent[1]!.headers.get('idempotency-key'))
})

test('each attempt is told of', async () => {
  const attempts: unknown[] = []
  const { client } = scriptedClient([problem(503, 'overloaded'), answer(200, CONTACT)], {
    onAttempt: ({ attempt, status, requestId, retryInMs }) =>
      attempts.push([attempt, status, requestId, retryInMs !== undefined]),
  })
  await client.contacts.get('42')
  assert.deepEqual(attempts, [
    [1, 503, 'req-1', true],
    [2, 200, undefined, false],
  ])
})

test('a page of a browser gets no client', () => {
  const page = { window: {}, document: {} }
  Object.assign(globalThis, page)
  try {
    assert.throws(() => createClient({ baseUrl: 'https://mail.example.com', token: 'prt_test' }), /secret/)
  } finally {
    for (const name of Object.keys(page)) delete (globalThis as Record<string, unknown>)[name]
  }
})
