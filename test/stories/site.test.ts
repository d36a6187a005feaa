import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { hashPassword } from '../../server/modules/auth/password-hash.ts'
import { comesWithin } from '../support/comes-within.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { MAKE_WAITS_LONG } from '../support/long-waits.ts'
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const DELIVERED_WITHIN_MS = 60_000
const COOKIE = /^postroom_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/
const HOME = '/site/workspaces/default'
const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

let instance: TestedInstance
let receiver: Receiver
/** The owner's session. */
let owner: string

before(async () => {
  receiver = await startReceiver()
  instance = await startTestedInstance()
  await instance.sql(MAKE_WAITS_LONG)
  owner = cookieOf(await logIn(instance.email, instance.password))
})
after(async () => {
  await instance.close()
  await receiver.close()
})

/** A request of the dashboard's own page. */
function site(method: string, path: string, { cookie, ...given }: Call & { cookie?: string } = {}): Promise<Answer> {
  const headers = { origin: instance.baseUrl, ...(cookie === undefined ? {} : { cookie }), ...given.headers }
  return send(method, instance.baseUrl + path, { ...given, headers })
}

const logIn = (email: string, password: string) => site('POST', '/site/auth/login', { json: { email, password } })

function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';', 1)[0] as string
}

/** Somebody with a role in a workspace, logged in. */
async function member(role: string, workspaceId = '1'): Promise<string> {
  const email = `${role}-${workspaceId}@example.com`
  const password = `password of ${role}`
  const values = [email, role, await hashPassword(password)]
  const [user] = await instance.sql<{ id: string }>(
    'insert into users (email, name, password_hash) values ($1, $2, $3) returning id',
    values,
  )
  await instance.sql('insert into memberships (workspace_id, user_id, role) values ($1, $2, $3)', [
    workspaceId,
    user!.id,
    role,
  ])
  return cookieOf(await logIn(email, password))
}

async function makeEndpoint(path: string, more: object = {}) {
  const answer = await site('POST', `${HOME}/webhooks`, { cookie: owner, json: { url: receiver.url + path, ...more } })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

async function received(path: string, count = 1): Promise<ReceivedRequest> {
  const at = () => receiver.requests.filter((request) => request.path === path)
  await receiver.waitFor(() => at().length >= count, DELIVERED_WITHIN_MS)
  return at()[count - 1] as ReceivedRequest
}

const verify = (request: ReceivedRequest, secret: string) =>
  new Webhook(secret).verify(request.body, request.headers as Record<string, string>) as Record<string, unknown>

test('logging in answers who one is and where, and sets a cookie that no script reads', async () => {
  const answer = await logIn(` ${instance.email.toUpperCase()} `, instance.password)
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['set-cookie']), COOKIE)
  assert.deepEqual(Object.keys(answer.json), ['user', 'workspaces'])
  assert.equal(answer.json.user.email, instance.email)
  assert.deepEqual(answer.json.workspaces, [{ id: '1', slug: 'default', name: 'Default', role: 'owner' }])
  const again = await logIn(instance.email, instance.password)
  assert.notEqual(cookieOf(again), cookieOf(answer))
})

test('a wrong password and an unknown account get the same answer', async () => {
  const answers = [await logIn(instance.email, 'wrong'), await logIn('nobody@example.com', 'wrong')]
  for (const { status, json, headers } of answers) {
    assert.deepEqual([status, json.code], [401, 'wrong-credentials'])
    assert.equal(headers['set-cookie'], undefined)
    assert.doesNotMatch(String(headers['www-authenticate']), /^Basic/i)
  }
  const [known, unknown] = answers.map(({ json: { requestId: _, ...problem } }) => problem)
  assert.deepEqual(known, unknown)
  assert.equal((await site('POST', '/site/auth/login', { json: { email: 'x' } })).status, 400)
})

test('a session shows its user until it is logged out', async () => {
  const cookie = cookieOf(await logIn(instance.email, instance.password))
  const session = await site('GET', '/site/auth/session', { cookie })
  assert.deepEqual([session.status, session.json.user.email], [200, instance.email])
  const out = await site('POST', '/site/auth/logout', { cookie })
  assert.equal(out.status, 204)
  assert.match(String(out.headers['set-cookie']), /^postroom_session=; .*Max-Age=0/)
  for (const path of ['/site/auth/session', '/site/workspaces', `${HOME}/webhooks`]) {
    const { status, json } = await site('GET', path, { cookie })
    assert.deepEqual([status, json.code], [401, 'no-session'], path)
  }
  assert.equal((await site('GET', '/site/auth/session', { cookie: owner })).status, 200, 'others go on')
  const again = await site('POST', '/site/auth/logout', { cookie })
  assert.equal(again.status, 204)
  const entries = await instance.sql(`select actor_name from audit_entries where action = 'user.logout'`)
  assert.equal(entries.length, 1, 'whoever has no session any more has logged nobody out')
})

test('without a session, with a made-up one, or with an API token there is a 401', async () => {
  const tries: (Call & { cookie?: string })[] = [
    {},
    { cookie: 'postroom_session=x' },
    { cookie: `postroom_session=${'A'.repeat(43)}` },
    { token: instance.token },
  ]
  for (const given of tries) {
    for (const path of ['/site/auth/session', '/site/workspaces', HOME, `${HOME}/tokens`, '/site/workspaces/nowhere']) {
      assert.equal((await site('GET', path, given)).status, 401, path)
    }
  }
  assert.equal((await send('GET', `${instance.baseUrl}/api/contacts`, { headers: { cookie: owner } })).status, 401)
})

test('the workspaces of a person are listed with their role, and one tells what they may do', async () => {
  const list = await site('GET', '/site/workspaces', { cookie: owner })
  assert.deepEqual(list.json.items, [{ id: '1', slug: 'default', name: 'Default', role: 'owner' }])
  assert.deepEqual([list.json.page, list.json.pageSize, list.json.totalItems, list.json.totalPages], [1, 25, 1, 1])
  const { json } = await site('GET', HOME, { cookie: owner })
  assert.deepEqual([json.id, json.slug], ['1', 'default'])
  assert.ok(json.permissions.includes('webhooks:write'))
})

test('a workspace that one does not belong to answers as one that does not exist', async () => {
  const id = await instance.makeWorkspace('elsewhere')
  const stranger = await member('owner', id)
  for (const slug of ['%00', '%ED%A0%80', '%FF', 'a%00b']) {
    const { status } = await site('GET', `/site/workspaces/${slug}/contacts`, { cookie: owner })
    assert.ok([400, 404].includes(status), `${slug} ${status}`)
  }
  const unknown = await site('GET', '/site/workspaces/nowhere', { cookie: owner })
  assert.equal(unknown.status, 404)
  const paths = ['', '/webhooks', '/tokens', '/audit-entries', '/webhooks/1', '/webhooks/1/deliveries']
  for (const [cookie, slug] of [
    [owner, 'elsewhere'],
    [stranger, 'default'],
  ] as const) {
    for (const path of paths) {
      const { status, json } = await site('GET', `/site/workspaces/${slug}${path}`, { cookie })
      assert.deepEqual([status, json.code], [404, unknown.json.code], `${slug}${path}`)
    }
    const made = await site('POST', `/site/workspaces/${slug}/tokens`, {
      cookie,
      json: { name: 'x', scopes: ['audit:read'] },
    })
    assert.equal(made.status, 404)
  }
  const { json } = await site('GET', '/site/workspaces', { cookie: stranger })
  assert.deepEqual(
    json.items.map(({ slug }: { slug: string }) => slug),
    ['elsewhere'],
  )
})

test('a token made in the dashboard opens the API until it is revoked there', async () => {
  const { status, json } = await site('POST', `${HOME}/tokens`, {
    cookie: owner,
    json: { name: 'from the dashboard', scopes: ['contacts:read'], expiresAt: '2099-01-01T00:00:00+01:00' },
  })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), ['token', 'tokenInfo'])
  assert.equal(json.tokenInfo.expiresAt, '2098-12-31T23:00:00Z')
  const use = async () => (await send('GET', `${instance.baseUrl}/api/contacts`, { token: json.token })).status
  assert.equal(await use(), 200)
  const list = await site('GET', `${HOME}/tokens`, { cookie: owner })
  assert.ok(list.json.items.some(({ id }: { id: string }) => id === json.tokenInfo.id))
  assert.ok(!list.text.includes(json.token))
  assert.equal((await site('DELETE', `${HOME}/tokens/${json.tokenInfo.id}`, { cookie: owner })).status, 204)
  await comesWithin(1_000, 'refused', async () => (await use()) === 401)
})

test('the signing secret is read in the dashboard, and verifies what arrives', async () => {
  const endpoint = await makeEndpoint('/secret', { eventTypes: ['site.event'] })
  assert.equal(endpoint.secret, undefined, 'it is read where the endpoint is')
  const { json } = await site('GET', `${HOME}/webhooks/${endpoint.id}`, { cookie: owner })
  assert.match(json.secret, SECRET)
  assert.ok(Buffer.from(json.secret.slice('whsec_'.length), 'base64').length >= 24)
  const { json: list } = await site('GET', `${HOME}/webhooks`, { cookie: owner })
  assert.ok(list.items.every((item: object) => !('secret' in item)))
  const events = [{ action: 'site.event', subjectId: 'ada', properties: { ключ: '✓' } }]
  await send('POST', `${instance.baseUrl}/api/events`, { token: instance.token, json: { events } })
  const request = await received('/secret')
  const body = verify(request, json.secret)
  assert.equal(body.type, 'site.event')
  assert.throws(() => verify(request, `whsec_${Buffer.alloc(32).toString('base64')}`))
  const changed = { ...request, body: Buffer.from(request.body.toString().replace('ada', 'eve')) }
  assert.throws(() => verify(changed, json.secret))
  const [stored] = await instance.sql<{ row: string }>('select e::text as row from webhook_endpoints e where id = $1', [
    endpoint.id,
  ])
  assert.ok(!stored?.row.includes(json.secret.slice('whsec_'.length)), 'it is stored encrypted')
})

test('a rotated secret is answered once, and both verify for a day', async () => {
  const endpoint = await makeEndpoint('/rotated')
  const before = (await site('GET', `${HOME}/webhooks/${endpoint.id}`, { cookie: owner })).json.secret
  const { status, json } = await site('POST', `${HOME}/webhooks/${endpoint.id}/rotate-secret`, { cookie: owner })
  assert.equal(status, 200)
  assert.match(json.secret, SECRET)
  assert.notEqual(json.secret, before)
  assert.equal((await site('GET', `${HOME}/webhooks/${endpoint.id}`, { cookie: owner })).json.secret, json.secret)
  assert.equal((await site('POST', `${HOME}/webhooks/${endpoint.id}/test`, { cookie: owner })).status, 202)
  const request = await received('/rotated')
  for (const secret of [before, json.secret]) assert.equal(verify(request, secret).type, 'webhook.test')
  await site('DELETE', `${HOME}/webhooks/${endpoint.id}`, { cookie: owner })
})

test('a role may do what it says: a viewer reads and changes nothing, a member runs no tokens', async () => {
  const endpoint = await makeEndpoint('/roles', { enabled: false })
  const path = `${HOME}/webhooks/${endpoint.id}`
  const [viewer, colleague, admin] = [await member('viewer'), await member('member'), await member('admin')]
  const json = { url: `${receiver.url}/x`, enabled: false }
  const token = { name: 'x', scopes: ['contacts:read'] }
  const acts: [method: string, path: string, json: object | undefined, allowed: string[]][] = [
    ['GET', `${HOME}/webhooks`, undefined, ['viewer', 'member', 'admin', 'owner']],
    ['GET', path, undefined, ['viewer', 'member', 'admin', 'owner']],
    ['POST', `${HOME}/webhooks`, json, ['member', 'admin', 'owner']],
    ['PATCH', path, { enabled: false }, ['member', 'admin', 'owner']],
    ['POST', `${path}/rotate-secret`, undefined, ['member', 'admin', 'owner']],
    ['POST', `${path}/test`, undefined, ['member', 'admin', 'owner']],
    ['GET', `${HOME}/tokens`, undefined, ['admin', 'owner']],
    ['POST', `${HOME}/tokens`, token, ['admin', 'owner']],
    ['GET', `${HOME}/audit-entries`, undefined, ['admin', 'owner']],
  ]
  for (const [method, at, body, allowed] of acts) {
    for (const [role, cookie] of Object.entries({ viewer, member: colleague, admin, owner })) {
      const answer = await site(method, at, { cookie, ...(body ? { json: body } : {}) })
      const what = `${role} ${method} ${at}: ${answer.text}`
      if (allowed.includes(role)) assert.ok(answer.status < 300, what)
      else assert.deepEqual([answer.status, answer.json.code], [403, 'missing-permission'], what)
    }
  }
  assert.equal('secret' in (await site('GET', path, { cookie: viewer })).json, false)
  assert.match((await site('GET', path, { cookie: colleague })).json.secret, SECRET)
})

test('a page of another site changes nothing with the cookie, a form neither', async () => {
  const json = { name: 'forged', scopes: ['contacts:read'] }
  const attempts: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${instance.baseUrl}.evil.example` },
    { origin: instance.baseUrl, 'sec-fetch-site': 'cross-site' },
    { origin: instance.baseUrl, 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of attempts) {
    const answer = await site('POST', `${HOME}/tokens`, { cookie: owner, json, headers })
    assert.deepEqual([answer.status, answer.json.code], [403, 'cross-site-request'], JSON.stringify(headers))
    const login = { email: instance.email, password: instance.password }
    assert.equal((await site('POST', '/site/auth/login', { json: login, headers })).status, 403)
    assert.equal((await site('POST', '/site/auth/logout', { cookie: owner, headers })).status, 403)
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const headers = { 'content-type': type }
    const answer = await site('POST', `${HOME}/tokens`, { cookie: owner, body: JSON.stringify(json), headers })
    assert.equal(answer.status, 415, type)
  }
  const { text } = await site('GET', `${HOME}/tokens?pageSize=1000`, { cookie: owner })
  assert.doesNotMatch(text, /forged/)
  const same = { origin: instance.baseUrl, 'sec-fetch-site': 'same-origin' }
  assert.equal((await site('GET', '/site/auth/session', { cookie: owner, headers: same })).status, 200)
})

test('what people do is in the log of their workspace, under their name', async () => {
  const { json } = await site('GET', `${HOME}/audit-entries?actorKind=user&limit=100`, { cookie: owner })
  const actions = new Set(json.items.map((entry: { action: string }) => entry.action))
  for (const action of ['user.login', 'user.login_failed', 'api_token.create', 'webhook_endpoint.rotate_secret']) {
    assert.ok(actions.has(action), action)
  }
  assert.doesNotMatch(JSON.stringify(json), /whsec_|prt_[0-9A-Za-z]{12}_|password of/)
})

test('a changed password ends the other sessions and keeps this one', async () => {
  const cookie = await member('owner')
  const other = cookieOf(await logIn('owner-1@example.com', 'password of owner'))
  const change = (currentPassword: string) =>
    site('POST', '/site/auth/password', { cookie, json: { currentPassword, newPassword: 'a new password' } })
  assert.equal((await change('wrong')).status, 400)
  assert.equal((await change('password of owner')).status, 204)
  assert.equal((await site('GET', '/site/auth/session', { cookie })).status, 200)
  assert.equal((await site('GET', '/site/auth/session', { cookie: other })).status, 401)
  assert.equal((await logIn('owner-1@example.com', 'password of owner')).status, 401)
  assert.equal((await logIn('owner-1@example.com', 'a new password')).status, 200)
})

test('guesses at a password are slowed down, the right one included', async () => {
  const tries = await Promise.all(Array.from({ length: 12 }, () => logIn('guessed@example.com', 'guess')))
  const late = tries.find(({ status }) => status === 429)
  assert.ok(late, 'some have to wait')
  assert.match(String(late.headers['retry-after']), /^[1-9]\d*$/)
  assert.equal(late.json.code, 'too-many-requests')
})
