import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cookieOf, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const SESSION_FIELDS = ['id', 'createdAt', 'lastSeenAt', 'ip', 'userAgent', 'current']

let instance: TestedInstance
let site: SiteCaller

before(async () => {
  instance = await startTestedInstance()
  site = siteCaller(instance)
})
after(() => instance.close())

async function auditedIn(workspaceId: string, action: string) {
  return instance.sql<{ actor_id: string; diff: object; ip: string | null }>(
    'select actor_id, diff, ip from audit_entries where workspace_id = $1 and action = $2 order by id',
    [workspaceId, action],
  )
}

test('a person reads their account and changes how they are shown', async () => {
  const { cookie, email } = await site.person('Ada', 'member')
  const read = await site.call('GET', '/site/auth/me', { cookie })
  assert.deepEqual(Object.keys(read.json), [
    ...['id', 'email', 'name', 'secondFactor', 'passwordChangedAt', 'createdAt', 'updatedAt'],
  ])
  assert.deepEqual([read.json.email, read.json.name, read.json.secondFactor], [email, 'Ada', false])
  const change = (json: object, headers = {}) => site.call('PATCH', '/site/auth/me', { cookie, json, headers })
  const changed = await change({ name: ' Ada Lovelace ' }, { 'if-match': String(read.headers.etag) })
  assert.deepEqual([changed.status, changed.json.name], [200, 'Ada Lovelace'])
  assert.equal((await change({ name: 'Late' }, { 'if-match': String(read.headers.etag) })).status, 412)
  assert.equal((await change({ email: 'other@example.com' })).status, 400)
  assert.equal((await change({ name: 'a\r\nBcc: b' })).status, 400)
  assert.equal((await site.call('GET', '/site/auth/me')).status, 401)
  assert.deepEqual((await auditedIn('1', 'user.update'))[0]?.diff, { name: 'changed' })
})

test('a person sees their own sessions, ends one, and ends all others', async () => {
  const { email, password, cookie, id } = await site.person('Grace', 'member')
  const stranger = await site.person('Stranger', 'member')
  const phone = cookieOf(await site.logIn(email, password, { 'user-agent': 'Phone' }))
  const tablet = cookieOf(await site.logIn(email, password, { 'user-agent': 'Tablet' }))
  const list = await site.call('GET', '/site/auth/sessions', { cookie })
  assert.deepEqual([list.status, list.json.totalItems], [200, 3])
  assert.deepEqual(Object.keys(list.json.items[0]), SESSION_FIELDS)
  assert.deepEqual(
    list.json.items.map((item: { userAgent: string; current: boolean }) => [item.userAgent, item.current]),
    [
      ['Tablet', false],
      ['Phone', false],
      [list.json.items[2].userAgent, true],
    ],
  )
  assert.equal(list.json.items[0].ip, '127.0.0.1')
  const [, { id: phoneId }] = list.json.items
  const end = (by: string) => site.call('DELETE', `/site/auth/sessions/${phoneId}`, { cookie: by })
  assert.equal((await end(stranger.cookie)).status, 404, "another person's session is not there")
  assert.equal((await end(cookie)).status, 204)
  assert.equal((await end(cookie)).status, 404)
  const alive = async (one: string) => (await site.call('GET', '/site/auth/session', { cookie: one })).status
  assert.deepEqual([await alive(phone), await alive(tablet)], [401, 200])
  assert.equal((await site.call('POST', '/site/auth/sessions/end-others', { cookie })).status, 204)
  assert.deepEqual([await alive(tablet), await alive(cookie), await alive(stranger.cookie)], [401, 200, 200])
  const [entry] = await auditedIn('1', 'user.sign_out_everywhere')
  assert.deepEqual([entry?.actor_id, entry?.ip], [id, '127.0.0.1'])
})

test('what changes an account is refused from another site', async () => {
  const { cookie } = await site.person('Mallory', 'member')
  const headers = { origin: 'https://evil.example' }
  for (const [method, path] of [
    ['PATCH', '/site/auth/me'],
    ['POST', '/site/auth/sessions/end-others'],
    ['DELETE', '/site/auth/sessions/1'],
  ] as const) {
    const answer = await site.call(method, path, { cookie, headers, json: {} })
    assert.deepEqual([answer.status, answer.json.code], [403, 'cross-site-request'], path)
  }
})
