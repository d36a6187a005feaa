import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cookieOf, type Person, type SiteCall, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const MEMBER_FIELDS = ['id', 'email', 'name', 'role', 'secondFactor', 'createdAt', 'updatedAt']
const HOME = '/site/workspaces/default'
const RACES = 10

let instance: TestedInstance
let site: SiteCaller
let owner: Person
let admin: Person
let member: Person
let viewer: Person

before(async () => {
  instance = await startTestedInstance()
  site = siteCaller(instance)
  const { json, ...answer } = await site.logIn(instance.email, instance.password)
  const { email, password } = instance
  owner = { id: json.user.id, name: json.user.name, email, password, cookie: cookieOf({ json, ...answer }) }
  admin = await site.person('Grace', 'admin')
  member = await site.person('Lin', 'member')
  viewer = await site.person('Vi', 'viewer')
})
after(() => instance.close())

const as = ({ cookie }: Person, method: string, path: string, call: SiteCall = {}) =>
  site.call(method, HOME + path, { cookie, ...call })
const setRole = (by: Person, whose: Person, role: string, headers = {}) =>
  as(by, 'PATCH', `/members/${whose.id}`, { json: { role }, headers })

async function audited(action: string) {
  const { json } = await as(owner, 'GET', `/audit-entries?action=${action}&limit=100`)
  return json.items
}

test('members are listed with role and name, for everybody in the workspace and nobody else', async () => {
  for (const person of [owner, admin, member, viewer]) {
    const { status, json } = await as(person, 'GET', '/members?pageSize=1000')
    assert.deepEqual([status, json.totalItems], [200, 4])
    assert.deepEqual(Object.keys(json.items[0]), MEMBER_FIELDS)
    assert.deepEqual(
      json.items.map((item: { role: string }) => item.role),
      ['owner', 'admin', 'member', 'viewer'],
    )
  }
  const page = (await as(owner, 'GET', '/members?page=2&pageSize=3')).json
  assert.deepEqual([page.items.length, page.totalPages], [1, 2])
  const stranger = await site.person('Stranger')
  assert.equal((await as(stranger, 'GET', '/members')).status, 404)
  assert.equal((await as(owner, 'GET', `/members/${stranger.id}`)).status, 404)
  assert.equal((await setRole(owner, stranger, 'viewer')).status, 404)
})

test('a role is changed by those who run the workspace, and counts at the next request of an open session', async () => {
  for (const person of [member, viewer]) {
    const refused = await setRole(person, viewer, 'member')
    assert.deepEqual([refused.status, refused.json.code], [403, 'missing-permission'])
  }
  assert.equal((await as(viewer, 'GET', '/tokens')).status, 403)
  const read = await as(owner, 'GET', `/members/${viewer.id}`)
  assert.equal((await setRole(admin, viewer, 'admin', { 'if-match': '"stale"' })).status, 412)
  const changed = await setRole(admin, viewer, 'admin', { 'if-match': String(read.headers.etag) })
  assert.deepEqual([changed.status, changed.json.role], [200, 'admin'])
  assert.equal((await as(viewer, 'GET', '/tokens')).status, 200, 'the session that was open may do more')
  assert.equal((await setRole(admin, viewer, 'viewer')).status, 200)
  assert.equal((await as(viewer, 'GET', '/tokens')).status, 403)
  const [last] = await audited('membership.update')
  assert.deepEqual(last.target, { type: 'user', id: viewer.id, name: 'Vi' })
  assert.deepEqual(last.diff, { role: { from: 'admin', to: 'viewer' } })
  assert.deepEqual(last.actor, { kind: 'user', id: admin.id, name: 'Grace' })
})

test('nobody gives a role above their own or changes somebody above them', async () => {
  for (const answer of [
    await setRole(admin, member, 'owner'),
    await setRole(admin, admin, 'owner'),
    await setRole(admin, owner, 'viewer'),
    await as(admin, 'DELETE', `/members/${owner.id}`),
  ]) {
    assert.deepEqual([answer.status, answer.json.code], [403, 'role-above-own'])
  }
})

test('the last owner can neither be demoted, nor removed, nor leave', async () => {
  for (const answer of [
    await setRole(owner, owner, 'admin'),
    await as(owner, 'DELETE', `/members/${owner.id}`),
    await as(owner, 'POST', '/leave'),
  ]) {
    assert.deepEqual([answer.status, answer.json.code], [409, 'last-owner'])
  }
})

test('two owners who go at the same moment do not leave the workspace without one', async () => {
  const id = await instance.makeWorkspace('race')
  const pair = [await site.person('Castor', 'owner', id), await site.person('Pollux', 'owner', id)] as const
  for (let race = 0; race < RACES; race += 1) {
    await instance.sql(
      `insert into memberships (workspace_id, user_id, role) select $1, unnest($2::bigint[]), 'owner'
       on conflict (workspace_id, user_id) do update set role = 'owner'`,
      [id, pair.map((one) => one.id)],
    )
    const [castor, pollux] = pair
    const leave = site.call('POST', '/site/workspaces/race/leave', { cookie: castor.cookie })
    const demote = site.call('PATCH', `/site/workspaces/race/members/${pollux.id}`, {
      cookie: pollux.cookie,
      json: { role: 'viewer' },
    })
    const statuses = (await Promise.all([leave, demote])).map(({ status }) => status).sort()
    assert.ok(['200,409', '204,409'].includes(statuses.join()), statuses.join())
    const [left] = await instance.sql<{ owners: number }>(
      `select count(*)::int as owners from memberships where workspace_id = $1 and role = 'owner'`,
      [id],
    )
    assert.equal(left?.owners, 1)
  }
})

test('who was removed or has left finds the workspace gone with the next request', async () => {
  const [gone, left] = [await site.person('Gone', 'member'), await site.person('Left', 'viewer')]
  assert.equal((await as(gone, 'GET', '/members')).status, 200)
  const stale = { headers: { 'if-match': '"older"' } }
  assert.equal((await as(admin, 'DELETE', `/members/${gone.id}`, stale)).status, 412)
  assert.equal((await as(admin, 'DELETE', `/members/${gone.id}`)).status, 204)
  assert.equal((await as(gone, 'GET', '/members')).status, 404)
  assert.equal((await as(admin, 'DELETE', `/members/${gone.id}`)).status, 404)
  assert.equal((await as(left, 'POST', '/leave')).status, 204)
  assert.equal((await as(left, 'GET', '')).status, 404)
  assert.equal((await site.call('GET', '/site/auth/session', { cookie: left.cookie })).status, 200, 'the account stays')
  const [byItself, byAdmin] = await audited('membership.delete')
  assert.deepEqual([byItself.actor.id, byItself.target.id], [left.id, left.id])
  assert.deepEqual([byAdmin.actor.id, byAdmin.target.id], [admin.id, gone.id])
})

test('name and settings of a workspace are changed by those who run it, and by nobody who saw an older state', async () => {
  const read = await as(owner, 'GET', '')
  assert.equal(read.json.requireSecondFactor, false)
  const etag = String(read.headers.etag)
  const change = (by: Person, json: object, headers = {}) => as(by, 'PATCH', '', { json, headers })
  assert.equal((await change(member, { name: 'Mine' })).status, 403)
  const changed = await change(admin, { name: 'Engines' })
  assert.deepEqual([changed.status, changed.json.name, changed.json.slug], [200, 'Engines', 'default'])
  assert.equal((await change(owner, { name: 'Late' }, { 'if-match': etag })).status, 412)
  for (const name of ['', ' ', 'two\nlines', 'x'.repeat(201)]) assert.equal((await change(owner, { name })).status, 400)
  assert.equal((await change(owner, { slug: 'other' })).status, 400)
  const policy = await change(owner, { requireSecondFactor: true })
  assert.deepEqual([policy.status, policy.json.code], [403, 'second-factor-needed'], 'not without having one')
  const [entry] = await audited('workspace.update')
  assert.deepEqual(entry.diff, { name: { from: 'Default', to: 'Engines' } })
})

test('who owns a workspace may make more, and owns them', async () => {
  const make = (by: Person, json: object) => site.call('POST', '/site/workspaces', { cookie: by.cookie, json })
  assert.equal((await make(admin, { slug: 'mine', name: 'Mine' })).status, 403)
  const made = await make(owner, { slug: 'second', name: 'Second' })
  assert.equal(made.status, 201)
  assert.deepEqual(made.json, { id: made.json.id, slug: 'second', name: 'Second', role: 'owner' })
  assert.equal((await site.call('GET', '/site/workspaces/second/members', { cookie: owner.cookie })).status, 200)
  const again = await make(owner, { slug: 'second', name: 'Again' })
  assert.deepEqual([again.status, again.json.errors[0].pointer], [409, '/slug'])
  for (const slug of ['', 'With Space', '-x', 'UPPER', 'x'.repeat(64)])
    assert.equal((await make(owner, { slug, name: 'x' })).status, 400, slug)
})
