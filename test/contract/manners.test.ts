import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { request } from 'undici'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const HOOK = { url: 'http://127.0.0.1:8099/hook', enabled: false }
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

let instance: TestedInstance
let api: DescribedApi
let cookie: string

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
  const { email, password } = instance
  const login = await send('POST', `${instance.baseUrl}/site/auth/login`, { json: { email, password } })
  cookie = String(login.headers['set-cookie']).split(';')[0]!
  for (let n = 0; n < 20; n++) await api.call('POST', '/api/contacts', { json: { subjectId: `compressible-${n}` } })
})
after(() => instance.close())

/** The answer with the bytes of its body as they travelled. */
async function raw(path: string, headers: Record<string, string>) {
  const answer = await request(instance.baseUrl + path, {
    headers: { authorization: `Bearer ${instance.token}`, ...headers },
  })
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) }
}

const site = (method: string, path: string, headers: Record<string, string> = {}) =>
  send(method, `${instance.baseUrl}/site/workspaces/default${path}`, { headers: { cookie, ...headers } })

test('HEAD answers as GET does, without the body', async () => {
  const reads = api.operations.filter((one) => one.method === 'GET' && !one.hasParameters)
  assert.ok(reads.length >= 5)
  // The answers about tokens tell when this one was used last; that is written once a minute, beside the requests.
  const me = async () => (await send('GET', `${instance.baseUrl}/api/auth/me`, instance)).json
  await eventually('the use of the token is written', async () => (await me()).lastUsedAt !== null)
  for (const { path, query } of reads) {
    const url = `${instance.baseUrl}${path}${query.includes('timeoutSeconds') ? '?timeoutSeconds=0' : ''}`
    // A problem names its request; of the numbers that are counted up some are a digit longer than the one before.
    const call = { ...instance, headers: { 'x-request-id': 'head-and-get' } }
    const [got, head] = [await send('GET', url, call), await send('HEAD', url, call)]
    assert.equal(head.status, got.status, path)
    assert.equal(head.text, '')
    for (const name of ['content-type', 'content-length', 'cache-control', 'etag']) {
      assert.equal(head.headers[name], got.headers[name], `${path} ${name}`)
    }
  }
  assert.equal((await send('HEAD', `${instance.baseUrl}/api/contacts`)).status, 401)
  assert.equal((await send('HEAD', `${instance.baseUrl}/api/contacts/900000000`, instance)).status, 404)
})

test('a method that a path does not offer is a 405 whose Allow names those it does', async () => {
  for (const path of new Set(api.operations.map((one) => one.path))) {
    const offered = api.operations.filter((one) => one.path === path).map((one) => one.method)
    const allowed = [...offered, ...(offered.includes('GET') ? ['HEAD'] : [])].sort()
    const url = instance.baseUrl + path.replaceAll(/\{\w+\}/g, '1')
    for (const method of METHODS.filter((one) => !allowed.includes(one))) {
      const answer = await send(method, url, instance)
      // A sibling may have a parameter where this path has a word: /contacts/batch and /contacts/{contactId}.
      if (answer.status !== 405) continue
      const named = String(answer.headers.allow).split(', ')
      for (const one of allowed) assert.ok(named.includes(one), `${method} ${path}: ${named}`)
      assert.ok(!named.includes(method), `${method} ${path}`)
    }
  }
  const answer = await send('PUT', `${instance.baseUrl}/api/segments`, instance)
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.allow, 'GET, HEAD, POST')
})

test('an answer that Accept allows no form of is a 406', async () => {
  const status = async (accept: string, path = '/api/contacts') =>
    (await send('GET', instance.baseUrl + path, { token: instance.token, headers: { accept } })).status
  for (const accept of [
    '*/*',
    'application/json',
    'application/*',
    'application/problem+json',
    'text/html, */*;q=0.1',
    'Application/JSON; charset=utf-8',
    'text/html, application/json;q=0.5',
  ]) {
    assert.equal(await status(accept), 200, accept)
  }
  for (const accept of ['text/html', 'image/*', 'application/xml', 'application/json;q=0', 'nonsense']) {
    const answer = await api.call('GET', '/api/contacts', { headers: { accept } })
    assert.equal(answer.status, 406, accept)
    assert.equal(answer.json.code, 'not-acceptable')
  }
  assert.equal((await site('GET', '/webhooks', { accept: 'text/html' })).status, 406)
  assert.equal((await site('GET', '/webhooks', { accept: 'application/json' })).status, 200)
  const made = await api.call('POST', '/api/contacts/imports', { json: { csv: 'email\nada@example.com\n' } })
  const errors = `/api/contacts/imports/${made.json.id}/errors.csv`
  assert.equal(await status('text/csv', errors), 200)
  assert.equal(await status('application/json', errors), 406)
  const headers = { accept: 'text/html' }
  assert.equal((await send('GET', `${instance.baseUrl}/api/contacts`, { headers })).status, 401)
  const json = { events: [{ action: 'seen', subjectId: 'a' }] }
  assert.equal((await api.call('POST', '/api/events', { headers, json })).status, 204)
})

test('a body of a type that an operation does not name is refused, as is none at all', async () => {
  const upload = (body: string, headers: Record<string, string>) =>
    api.call('POST', '/api/contacts/imports', { headers, body })
  for (const [type, body, expected] of [
    ['application/merge-patch+json', '{}', 415],
    ['application/json; charset=utf-8', '{}', 400],
    ['Text/CSV', 'email\nada@example.com\n', 201],
  ] as const) {
    assert.equal((await upload(body, { 'content-type': type })).status, expected, type)
  }
  assert.equal((await upload('', {})).status, 400)
  assert.equal((await send('POST', `${instance.baseUrl}/api/contacts`, instance)).status, 400)
})

test('large answers are compressed as the client likes it, and read the same', async () => {
  const path = '/api/contacts?pageSize=20'
  const plain = await raw(path, {})
  assert.equal(plain.headers['content-encoding'], undefined)
  for (const [accepted, used, read] of [
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['zstd', 'zstd', zstdDecompressSync],
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
    ['gzip;q=1, zstd;q=0.5', 'gzip', gunzipSync],
  ] as const) {
    const answer = await raw(path, { 'accept-encoding': accepted })
    assert.equal(answer.headers['content-encoding'], used, accepted)
    assert.match(String(answer.headers.vary), /accept-encoding/i)
    assert.ok(answer.bytes.length < plain.bytes.length / 4)
    assert.deepEqual(read(answer.bytes), plain.bytes)
  }
  assert.equal((await raw(path, { 'accept-encoding': 'identity' })).headers['content-encoding'], undefined)
  assert.equal((await raw('/api/openapi.json', { 'accept-encoding': 'gzip' })).headers['content-encoding'], 'gzip')
})

test('small answers, tagged ones and those that hold a secret are never compressed', async () => {
  const token = 'prt_'.padEnd(2_000, 'x')
  const headers = { 'accept-encoding': 'gzip, br, zstd' }
  const long = Array.from({ length: 100 }, (_, n) => `event.number.${n}`)
  const hook = await api.call('POST', '/api/webhooks', { headers, json: { ...HOOK, eventTypes: long } })
  const answers = [
    hook,
    await raw('/api/contacts?pageSize=1', headers),
    await raw(`/api/webhooks/${hook.json.id}`, headers),
    await site('GET', `/webhooks/${hook.json.id}`, headers),
    await send('POST', `${instance.baseUrl}/site/auth/login`, { headers, json: { email: token, password: token } }),
  ]
  for (const answer of answers) assert.equal(answer.headers['content-encoding'], undefined)
  assert.ok(Number(hook.headers['content-length']) > 1_024)
})

test('an endpoint is changed and deleted only in the state that If-Match names', async () => {
  const made = await api.call('POST', '/api/webhooks', { json: HOOK })
  const path = `/api/webhooks/${made.json.id}`
  const read = await api.call('GET', path)
  const tag = String(read.headers.etag)
  assert.match(tag, /^"[\w-]+"$/)
  assert.equal(made.headers.etag, tag)
  const seen = await api.call('GET', path, { headers: { 'if-none-match': `"other", W/${tag}` } })
  assert.deepEqual([seen.status, seen.text, seen.headers.etag], [304, '', tag])

  const change = (ifMatch: string) =>
    api.call('PATCH', path, { headers: { 'if-match': ifMatch }, json: { eventTypes: [ifMatch] } })
  for (const wrong of ['"other"', `W/${tag}`]) {
    const answer = await change(wrong)
    assert.equal(answer.status, 412, wrong)
    assert.equal(answer.json.code, 'precondition-failed')
  }
  assert.deepEqual((await api.call('GET', path)).json, read.json)
  const changed = await change(`"other", ${tag}`)
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, tag)
  assert.equal((await change('*')).status, 200)
  assert.equal((await api.call('DELETE', path, { headers: { 'if-match': tag } })).status, 412)
  const fromDashboard = await site('GET', `/webhooks/${made.json.id}`)
  assert.ok(fromDashboard.json.secret)
  const last = String(fromDashboard.headers.etag)
  assert.equal(last, (await api.call('GET', path)).headers.etag)
  assert.equal((await api.call('DELETE', path, { headers: { 'if-match': last } })).status, 204)
})

test('of many changes on one state, one is made', async () => {
  const made = await api.call('POST', '/api/webhooks', { json: HOOK })
  const headers = { 'if-match': String(made.headers.etag) }
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      api.call('PATCH', `/api/webhooks/${made.json.id}`, { headers, json: { eventTypes: [`change.${n}`] } }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter(({ status }) => status === 412).length, 11)
})

test('the description names the headers that an operation heeds', () => {
  for (const { operationId, method, described, answers } of api.operations) {
    const named = (described.parameters ?? []).filter((one) => one.in === 'header').map((one) => one.name)
    assert.equal(named.includes('Idempotency-Key'), method === 'POST', operationId)
    assert.equal(named.includes('If-None-Match'), answers.includes('304'), operationId)
    assert.equal(named.includes('If-Match'), answers.includes('412'), operationId)
    assert.ok(method !== 'GET' || !named.includes('If-Match'), operationId)
    if (method === 'PATCH') assert.ok(named.includes('If-Match'), operationId)
    for (const status of ['406', '429']) assert.ok(answers.includes(status), `${operationId} ${status}`)
  }
  const heeding = api.operations.filter(({ described }) => described.parameters?.some((one) => one.name === 'If-Match'))
  for (const id of ['Contacts_update', 'Contacts_erase', 'Contacts_merge', 'Webhooks_update', 'Webhooks_delete']) {
    assert.ok(
      heeding.some(({ operationId }) => operationId === id),
      id,
    )
  }
})
