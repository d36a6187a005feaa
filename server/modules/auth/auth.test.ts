import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { operator } from '../../../test/support/callers.ts'
import { comesWithin } from '../../../test/support/comes-within.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { MAKE_WAITS_LONG } from '../../../test/support/long-waits.ts'
import { patienceOf } from '../../../test/support/patience.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { PERMISSIONS } from '../../catalogue/permissions.ts'
import type { Scope } from '../../catalogue/scopes.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { createPool } from '../../platform/db/pool.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import { auditModule } from '../audit/module.ts'
import { createUser } from '../members/create-user.ts'
import { bootstrap } from '../workspaces/bootstrap.ts'
import { workspacesModule } from '../workspaces/module.ts'
import { guardSurfaces } from './guard.ts'
import { NO_LIMITS } from './limit-requests.ts'
import { authModule } from './module.ts'

let database: TestDatabase
let sql: ReturnType<typeof createPool>
let app: HttpApp
const ROOT_TOKEN = 'preset token of the operator, 32+'
const PASSWORD = 'correct horse'

before(async () => {
  database = await createTestDatabase()
  sql = createPool({ name: 'sql', url: database.url, max: 8, ...patienceOf() })
  const presets = {
    email: 'ada@example.org',
    password: new Secret(PASSWORD),
    token: new Secret(ROOT_TOKEN),
    workspaceName: undefined,
  }
  await bootstrap({ sql }, presets)
  await sql.query(MAKE_WAITS_LONG)
  await sql.query("insert into workspaces (slug, name) values ('other', 'Other')")
  app = createApp()
})
after(async () => {
  await app.close()
  await sql.end()
  await database.drop()
})

function createApp(): HttpApp {
  const http = quietServer({ trustProxy: true, https: false })
  guardSurfaces(http, { sql, appUrl: undefined, baseUrl: new URL('http://localhost'), limits: NO_LIMITS })
  const modules = [
    authModule({ sql, appUrl: undefined }),
    workspacesModule({ sql, furnish: async () => undefined }),
    auditModule({ sql, edition: 'enterprise', keys: secretKeys([{ id: 'test', key: Buffer.alloc(32) }]) }),
  ]
  for (const module of modules) module.routes?.(http)
  return http
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const api = (method: 'GET' | 'POST' | 'DELETE', url: string, options: { token?: string; payload?: object } = {}) =>
  app.inject({
    method,
    url,
    headers: bearer(options.token ?? ROOT_TOKEN),
    ...(options.payload ? { payload: options.payload } : {}),
  })

async function makeToken(scopes: Scope[], options: { token?: string; expiresAt?: string } = {}) {
  const { token, ...rest } = options
  return api('POST', '/api/auth/tokens', { ...(token ? { token } : {}), payload: { name: 'made', scopes, ...rest } })
}

let addresses = 0
function newAddress(): string {
  addresses += 1
  return `192.0.2.${addresses}`
}

async function logIn(email = 'ada@example.org', password = PASSWORD, headers: Record<string, string> = {}) {
  const payload = { email, password }
  return app.inject({
    method: 'POST',
    url: '/site/auth/login',
    payload,
    headers: { 'x-forwarded-for': newAddress(), ...headers },
  })
}

function cookieOf(answer: { headers: Record<string, unknown> }): string {
  return String(answer.headers['set-cookie']).split(';')[0]!
}

test('a preset token and a made one open the API, and tell who they are', async () => {
  const made = await makeToken(['contacts:read', 'tokens:read'])
  assert.equal(made.statusCode, 201)
  const { token, tokenInfo } = made.json()
  assert.match(token, /^prt_[0-9A-Za-z]{12}_[0-9A-Za-z]{46}$/)
  assert.equal(tokenInfo.prefix, token.slice(0, 16))
  const me = await api('GET', '/auth/me', { token })
  assert.equal(me.statusCode, 200)
  assert.deepEqual(me.json().scopes, ['contacts:read', 'tokens:read'])
  assert.deepEqual(me.json().workspace, { id: '1', slug: 'default', name: 'Default' })
  const list = await api('GET', '/api/auth/tokens')
  assert.ok(!list.body.includes(token))
  assert.equal(list.json().totalItems, list.json().items.length)
})

test('without a token, with nonsense, or with a token changed in one letter there is a 401 that says how', async () => {
  const { token } = (await makeToken(['audit:read'])).json()
  const changed = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`
  assert.equal((await app.inject('/api/auth/me')).headers['www-authenticate'], 'Bearer realm="postroom"')
  for (const wrong of [changed, 'x', 'x'.repeat(40), `${token}a`]) {
    const answer = await api('GET', '/api/auth/me', { token: wrong })
    assert.equal(answer.statusCode, 401)
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="postroom", error="invalid_token"')
  }
  const basic = await app.inject({ url: '/api/auth/me', headers: { authorization: `Basic ${token}` } })
  assert.equal(basic.json().code, 'no-credentials')
})

test('a missing scope is a 403 that names it, and a token never grants more than its maker has', async () => {
  const { token } = (await makeToken(['tokens:write'])).json()
  const read = await api('GET', '/api/auth/tokens', { token })
  assert.equal(read.statusCode, 403)
  assert.match(read.json().detail, /tokens:read/)
  const more = await makeToken(['tokens:write', 'contacts:erase'], { token })
  assert.equal(more.statusCode, 403)
  assert.match(more.json().detail, /contacts:erase/)
  assert.equal((await makeToken(['no:such' as Scope])).statusCode, 400)
})

test('a revoked token is refused within a second on another process too, and an expired one at once', async (t) => {
  const other = createApp()
  t.after(() => other.close())
  const { token, tokenInfo } = (await makeToken(['tokens:read'])).json()
  const ask = (server: HttpApp) => server.inject({ url: '/api/auth/me', headers: bearer(token) })
  assert.equal((await ask(other)).statusCode, 200)
  assert.equal((await api('DELETE', `/api/auth/tokens/${tokenInfo.id}`)).statusCode, 204)
  await comesWithin(1_000, 'refused', async () => {
    await eventLoopTurn()
    return (await ask(other)).statusCode !== 200
  })
  assert.equal((await ask(app)).statusCode, 401)
  assert.equal((await api('DELETE', `/api/auth/tokens/${tokenInfo.id}`)).statusCode, 204)
  assert.equal((await api('DELETE', '/api/auth/tokens/999999')).statusCode, 404)

  assert.equal((await makeToken(['tokens:read'], { expiresAt: '2020-01-01T00:00:00Z' })).statusCode, 422)
  const expiresAt = new Date(Date.now() + 3_600_000)
  const soon = (await makeToken(['tokens:read'], { expiresAt: expiresAt.toISOString() })).json()
  assert.equal((await api('GET', '/api/auth/me', { token: soon.token })).statusCode, 200)
  t.mock.method(Date, 'now', () => expiresAt.getTime())
  assert.equal((await api('GET', '/api/auth/me', { token: soon.token })).statusCode, 401)
})

test('the time of last use is kept', async () => {
  const { token, tokenInfo } = (await makeToken(['tokens:read'])).json()
  assert.equal(tokenInfo.lastUsedAt, null)
  await api('GET', '/api/auth/me', { token })
  await eventually('its use is written', async () => {
    const { items } = (await api('GET', '/api/auth/tokens?pageSize=1000')).json()
    return items.find((item: { id: string }) => item.id === tokenInfo.id).lastUsedAt !== null
  })
})

test('logging in opens a session under a new id, logging out ends it', async () => {
  const first = await logIn()
  assert.equal(first.statusCode, 200)
  assert.match(
    String(first.headers['set-cookie']),
    /^postroom_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
  )
  assert.deepEqual(first.json().workspaces, [{ id: '1', slug: 'default', name: 'Default', role: 'owner' }])
  const cookie = cookieOf(first)
  const second = await logIn('Ada@Example.org ', PASSWORD, { cookie })
  assert.notEqual(cookieOf(second), cookie)
  assert.equal((await app.inject({ url: '/site/auth/session', headers: { cookie } })).statusCode, 401)
  const session = await app.inject({ url: '/site/auth/session', headers: { cookie: `a=b; ${cookieOf(second)}` } })
  assert.equal(session.json().user.email, 'ada@example.org')
  const out = await app.inject({ method: 'POST', url: '/site/auth/logout', headers: { cookie: cookieOf(second) } })
  assert.equal(out.statusCode, 204)
  assert.match(String(out.headers['set-cookie']), /Max-Age=0/)
  assert.equal((await app.inject({ url: '/site/workspaces', headers: { cookie: cookieOf(second) } })).statusCode, 401)
})

test('a wrong password and an unknown account get the same answer', async () => {
  const wrong = await logIn('ada@example.org', 'wrong')
  const unknown = await logIn('nobody@example.org', 'wrong')
  const { requestId: _a, ...first } = wrong.json()
  const { requestId: _b, ...second } = unknown.json()
  assert.equal(wrong.statusCode, 401)
  assert.deepEqual(first, second)
})

test('guesses at an account slow down, many at once too, and the right password waits with them', async () => {
  await createUser({ sql }, operator('1'), { email: 'grace@example.org', password: PASSWORD, role: 'viewer' })
  const from = { 'x-forwarded-for': '198.51.100.77' }
  const guesses = await Promise.all(Array.from({ length: 12 }, () => logIn('grace@example.org', 'guess', from)))
  const judged = guesses.filter(({ statusCode }) => statusCode === 401)
  const delayed = guesses.filter(({ statusCode }) => statusCode === 429)
  assert.equal(judged.length + delayed.length, 12)
  assert.ok(judged.length <= 6, `${judged.length} guesses were judged`)
  assert.ok(delayed.length > 0 && Number(delayed[0]?.headers['retry-after']) >= 1)
  assert.equal((await logIn('grace@example.org', PASSWORD, from)).statusCode, 429)
  assert.equal((await logIn('grace@example.org')).statusCode, 200, 'from elsewhere it is not kept out')
  assert.equal((await logIn('grace@example.org', PASSWORD, from)).statusCode, 429)
  await sql.query("update login_attempts set retry_at = now() - interval '1 second'")
  assert.equal((await logIn('grace@example.org', PASSWORD, from)).statusCode, 200)
})

test('one address is slowed down over all accounts', async () => {
  const from = { 'x-forwarded-for': '2001:db8::1' }
  let answer = await logIn('a0@example.org', 'guess', from)
  for (let count = 1; count < 40 && answer.statusCode === 401; count += 1) {
    answer = await logIn(`a${count}@example.org`, 'guess', { 'x-forwarded-for': `2001:db8::${count}` })
  }
  assert.equal(answer.statusCode, 429)
  assert.equal((await logIn('b@example.org', 'guess', { 'x-forwarded-for': '2001:db8:0:1::1' })).statusCode, 401)
})

test('right passwords do not slow an address down, and forgive no wrong ones', async () => {
  const from = { 'x-forwarded-for': '198.51.100.7' }
  const attempts = async () => {
    const { rows } = await sql.query<{ most: number }>('select max(attempts) as most from login_attempts')
    return rows[0]!.most
  }
  await sql.query('delete from login_attempts')
  assert.equal((await logIn('g1@example.org', 'guess', from)).statusCode, 401)
  assert.equal((await logIn('g2@example.org', 'guess', from)).statusCode, 401)
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await logIn('ada@example.org', PASSWORD, from)).statusCode, 200)
  }
  assert.equal(await attempts(), 2)
  await sql.query('update login_attempts set attempts = 20 where attempts = 2')
  assert.equal((await logIn('g3@example.org', 'guess', from)).statusCode, 401)
  assert.equal((await logIn('ada@example.org', PASSWORD, from)).statusCode, 429)
})

test('changing the password needs the old one and ends the other sessions', async () => {
  await createUser({ sql }, operator('1'), { email: 'lin@example.org', password: PASSWORD, role: 'member' })
  const [here, there] = [cookieOf(await logIn('lin@example.org')), cookieOf(await logIn('lin@example.org'))]
  const change = (currentPassword: string) =>
    app.inject({
      method: 'POST',
      url: '/site/auth/password',
      headers: { cookie: here },
      payload: { currentPassword, newPassword: 'battery staple' },
    })
  assert.deepEqual((await change('wrong')).json().errors[0].pointer, '/currentPassword')
  assert.equal((await change(PASSWORD)).statusCode, 204)
  assert.equal((await app.inject({ url: '/site/auth/session', headers: { cookie: here } })).statusCode, 200)
  assert.equal((await app.inject({ url: '/site/auth/session', headers: { cookie: there } })).statusCode, 401)
  assert.equal((await logIn('lin@example.org', PASSWORD)).statusCode, 401)
  assert.equal((await logIn('lin@example.org', 'battery staple')).statusCode, 200)
})

test("a workspace is there for its members only, each with their role's permissions", async () => {
  const owner = { cookie: cookieOf(await logIn()) }
  const list = await app.inject({ url: '/site/workspaces', headers: owner })
  assert.deepEqual(list.json().items, [{ id: '1', slug: 'default', name: 'Default', role: 'owner' }])
  assert.deepEqual((await app.inject({ url: '/site/workspaces/default', headers: owner })).json().permissions, [
    ...PERMISSIONS,
  ])
  const hidden = await app.inject({ url: '/site/workspaces/other', headers: owner })
  const missing = await app.inject({ url: '/site/workspaces/none', headers: owner })
  assert.deepEqual([hidden.statusCode, missing.statusCode], [404, 404])
  assert.equal((await app.inject('/site/workspaces/default')).statusCode, 401)

  await createUser({ sql }, operator('1'), { email: 'vi@example.org', password: PASSWORD, role: 'viewer' })
  const viewer = { cookie: cookieOf(await logIn('vi@example.org')) }
  const tokens = await app.inject({ url: '/site/workspaces/default/tokens', headers: viewer })
  assert.equal(tokens.statusCode, 403)
  assert.match(tokens.json().detail, /tokens:read/)
})

test('a token made in the dashboard works, and is revoked there', async () => {
  const headers = { cookie: cookieOf(await logIn()) }
  const url = '/site/workspaces/default/tokens'
  const made = await app.inject({ method: 'POST', url, headers, payload: { name: 'by hand', scopes: ['audit:read'] } })
  assert.equal(made.statusCode, 201)
  const { token, tokenInfo } = made.json()
  assert.equal((await api('GET', '/audit-entries', { token })).statusCode, 200)
  assert.equal((await app.inject({ method: 'DELETE', url: `${url}/${tokenInfo.id}`, headers })).statusCode, 204)
})

test('a page of another site cannot act with the cookie', async () => {
  const cookie = cookieOf(await logIn())
  const post = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/site/auth/logout', headers: { cookie, host: 'mail.example.org', ...headers } })
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://evil.mail.example.org' },
  ]
  for (const headers of foreign) assert.equal((await post(headers)).json().code, 'cross-site-request')
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': newAddress() }
  assert.equal(
    (await app.inject({ method: 'POST', url: '/site/auth/login', headers: form, payload: 'email=a' })).statusCode,
    415,
  )
  assert.equal((await post({ origin: 'https://mail.example.org', 'sec-fetch-site': 'same-origin' })).statusCode, 204)
})

test('who did what is in the log, without passwords, tokens and addresses', async () => {
  const entries = (await api('GET', '/api/audit-entries?limit=100')).json().items
  const actions = new Set(entries.map((entry: { action: string }) => entry.action))
  for (const action of [
    'workspace.create',
    'membership.create',
    'api_token.create',
    'api_token.revoke',
    'user.login',
    'user.login_failed',
    'user.password_change',
  ]) {
    assert.ok(actions.has(action), action)
  }
  const text = JSON.stringify(entries)
  for (const secret of [PASSWORD, 'battery staple', ROOT_TOKEN, 'ada@example.org'])
    assert.ok(!text.includes(secret), secret)
  const made = entries.find((entry: { action: string }) => entry.action === 'api_token.create')
  assert.equal(made.target.type, 'api_token')
  assert.ok(made.requestId && made.ip)
})

test('the stored form of tokens, sessions and passwords lets nobody in', async () => {
  const rows = await queryInScope(sql, ALL_WORKSPACES, {
    text: `select (select string_agg(encode(hash, 'hex'), ' ') from sessions) as sessions,
             (select string_agg(row_to_json(t)::text, ' ') from api_tokens t) as tokens,
             (select string_agg(password_hash, ' ') from users) as passwords`,
  })
  const text = JSON.stringify(rows)
  assert.ok(!text.includes(ROOT_TOKEN) && !text.includes(PASSWORD))
  assert.match(text, /\$argon2id\$v=19\$m=32768,t=3,p=1\$/)
})
