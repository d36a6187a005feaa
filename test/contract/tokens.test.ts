import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { until } from '../support/instance.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const INFO_FIELDS = ['id', 'name', 'prefix', 'scopes', 'expiresAt', 'revokedAt', 'lastUsedAt', 'createdAt', 'updatedAt']
const TOKEN = /^prt_[0-9A-Za-z]{12}_[0-9A-Za-z]{46}$/

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const make = (json: object, token = instance.token) => api.call('POST', '/api/auth/tokens', { json, token })
const statusWith = async (token: string) => (await api.call('GET', '/api/auth/me', { token })).status

test('the first token may do everything and tells its workspace', async () => {
  const { json } = await api.call('GET', '/api/auth/me')
  assert.deepEqual(Object.keys(json), [...INFO_FIELDS, 'workspace'])
  assert.deepEqual(json.scopes.toSorted(), [...SCOPES].sort())
  assert.deepEqual(json.workspace, { id: '1', slug: 'default', name: 'Default' })
  assert.deepEqual([json.expiresAt, json.revokedAt], [null, null])
})

test('a made token is shown once, in the documented form, and works at once', async () => {
  const { status, json } = await make({ name: 'ci', scopes: ['contacts:read', 'audit:read', 'contacts:read'] })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), ['token', 'tokenInfo'])
  assert.match(json.token, TOKEN)
  assert.deepEqual(Object.keys(json.tokenInfo), INFO_FIELDS)
  assert.deepEqual(json.tokenInfo.scopes, ['audit:read', 'contacts:read'])
  assert.ok(json.token.startsWith(`${json.tokenInfo.prefix}_`))
  const me = await api.call('GET', '/api/auth/me', { token: json.token })
  assert.equal(me.json.id, json.tokenInfo.id)
  const list = await api.call('GET', '/api/auth/tokens?pageSize=1000')
  assert.deepEqual(Object.keys(list.json.items.at(-1)), INFO_FIELDS)
  assert.doesNotMatch(list.text, new RegExp(json.token))
  const stored = await instance.sql<{ row: string }>('select t::text as row from api_tokens t')
  for (const { row } of stored) assert.doesNotMatch(row, new RegExp(json.token.slice(17)))
})

test('a token grants nothing that its maker does not have', async () => {
  const { json } = await make({ name: 'maker', scopes: ['tokens:write', 'contacts:read'] })
  const beyond = await make({ name: 'more', scopes: ['contacts:read', 'contacts:write'] }, json.token)
  assert.deepEqual([beyond.status, beyond.json.code], [403, 'missing-scope'])
  assert.match(beyond.json.detail, /contacts:write/)
  assert.equal((await make({ name: 'same', scopes: ['contacts:read'] }, json.token)).status, 201)
})

test('a token makes none that outlives it, nor one that asks for what it may not ask for', async () => {
  const inMinutes = (minutes: number) => new Date(Date.UTC(2100, 0, 1, 0, minutes)).toISOString()
  const scopes = ['tokens:write', 'mcp:send']
  const { json: maker } = await make({ name: 'maker of a while', scopes, expiresAt: inMinutes(30) })
  const of = (json: object) => make({ name: 'made', scopes: ['mcp:send'], ...json }, maker.token)
  for (const [json, end] of [
    [{}, inMinutes(30)],
    [{ expiresAt: null }, inMinutes(30)],
    [{ expiresAt: inMinutes(30) }, inMinutes(30)],
    [{ expiresAt: inMinutes(10) }, inMinutes(10)],
  ] as const) {
    const made = await of(json)
    assert.equal(made.status, 201, made.text)
    assert.equal(Date.parse(made.json.tokenInfo.expiresAt), Date.parse(end))
  }
  const later = await of({ expiresAt: inMinutes(31) })
  assert.deepEqual([later.status, later.json.errors[0].pointer], [422, '/expiresAt'])
  await instance.sql(`insert into send_policies (workspace_id, token_id, mode) values (1, $1, 'off')`, [
    maker.tokenInfo.id,
  ])
  const asking = await of({})
  assert.deepEqual([asking.status, asking.json.code], [403, 'missing-scope'])
  assert.match(asking.json.detail, /mcp:send/)
  assert.equal((await of({ scopes: ['tokens:write'] })).status, 201)
})

test('a body that does not fit is refused', async () => {
  const wrong: [body: object, status: number, pointer: string][] = [
    [{ scopes: ['audit:read'] }, 400, '/name'],
    [{ name: '', scopes: ['audit:read'] }, 400, '/name'],
    [{ name: 'x'.repeat(201), scopes: ['audit:read'] }, 400, '/name'],
    [{ name: 'x', scopes: [] }, 400, '/scopes'],
    [{ name: 'x', scopes: ['everything'] }, 400, '/scopes/0'],
    [{ name: 'x', scopes: ['audit:read'], expiresAt: 'tomorrow' }, 400, '/expiresAt'],
    [{ name: 'x', scopes: ['audit:read'], expiresAt: '2020-01-01T00:00:00Z' }, 422, '/expiresAt'],
    [{ name: 'x', scopes: ['audit:read'], token: 'mine' }, 400, '/token'],
  ]
  for (const [body, status, pointer] of wrong) {
    const answer = await make(body)
    assert.equal(answer.status, status, pointer)
    assert.equal(answer.json.errors[0].pointer, pointer)
  }
})

test('a revoked token is refused, though it was in use', async () => {
  const { json } = await make({ name: 'short-lived', scopes: ['audit:read'] })
  for (let use = 0; use < 20; use++) assert.equal(await statusWith(json.token), 200)
  const path = `/api/auth/tokens/${json.tokenInfo.id}`
  assert.equal((await api.call('DELETE', path)).status, 204)
  assert.equal(await statusWith(json.token), 401, 'at once, where the process itself has revoked it')
  assert.equal((await api.call('DELETE', path)).status, 204, 'once more changes nothing')
  const { json: list } = await api.call('GET', '/api/auth/tokens?pageSize=1000')
  const shown = list.items.find((item: { id: string }) => item.id === json.tokenInfo.id)
  assert.match(shown.revokedAt, /Z$/)
})

test('a token ends when it expires', async () => {
  // Long enough to be made and used once, also where that takes long.
  for (let lifeMs = 800; ; lifeMs *= 2) {
    const expiresAt = new Date(Date.now() + lifeMs).toISOString()
    const { status, json } = await make({ name: 'expires', scopes: ['audit:read'], expiresAt })
    const first = status === 201 ? await statusWith(json.token) : status
    if (first !== 200 && Date.now() >= Date.parse(expiresAt)) continue
    assert.equal(first, 200)
    assert.equal(json.tokenInfo.expiresAt, expiresAt.replace(/0+Z$/, 'Z').replace('.Z', 'Z'))
    await until('the token to be refused', async () => (await statusWith(json.token)) === 401, 60_000)
    assert.ok(Date.now() >= Date.parse(expiresAt))
    return
  }
})

test('the time of last use is shown', async () => {
  const { json } = await make({ name: 'used', scopes: ['audit:read'] })
  assert.equal(json.tokenInfo.lastUsedAt, null)
  assert.equal(await statusWith(json.token), 200)
  const used = async () => (await api.call('GET', '/api/auth/me', { token: json.token })).json.lastUsedAt
  await until('the time of last use', async () => (await used()) !== null, 60_000)
  assert.ok(Math.abs(Date.parse(await used()) - Date.now()) < 60_000)
})
