import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../support/instance.ts'
import { MAKE_WAITS_LONG } from '../support/long-waits.ts'
import { cookieOf, type Person, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const INVITATION_FIELDS = [
  ...['id', 'email', 'role', 'inviterName', 'expired', 'overBecause', 'expiresAt', 'sentAt', 'createdAt', 'updatedAt'],
]
const HOME = '/site/workspaces/default/invitations'
const LINK = /^http:\/\/localhost:\d+\/app\/accept-invitation#([\w-]{43})$/
const WEEK_MS = 7 * 24 * 3_600_000

let instance: TestedInstance
let site: SiteCaller
let owner: string
let admin: Person

before(async () => {
  instance = await startTestedInstance({ LOG_LEVEL: 'debug' })
  await instance.sql(MAKE_WAITS_LONG)
  site = siteCaller(instance)
  owner = cookieOf(await site.logIn(instance.email, instance.password))
  admin = await site.person('Grace', 'admin')
})
after(() => instance.close())

const invite = (email: string, role = 'member', cookie = owner) =>
  site.call('POST', HOME, { cookie, json: { email, role } })

/** The secret of a new invitation's link. */
async function invited(email: string, role = 'member'): Promise<{ id: string; token: string }> {
  const { status, json, text } = await invite(email, role)
  assert.equal(status, 201, text)
  return { id: json.id, token: LINK.exec(json.link)?.[1] ?? '' }
}

const read = (token: string) => site.call('GET', `/site/invitations/${token}`)
const accept = (token: string, json: object, cookie?: string) =>
  site.call('POST', `/site/invitations/${token}`, { json, cookie })

async function audited(action: string) {
  const path = `/site/workspaces/default/audit-entries?action=${action}&limit=100`
  return (await site.call('GET', path, { cookie: owner })).json.items
}

test('an invited stranger sees where to, chooses name and password, and is in', async () => {
  const made = await invite(' New.Comer@Example.com ', 'viewer')
  assert.equal(made.status, 201)
  assert.deepEqual(Object.keys(made.json), [...INVITATION_FIELDS, 'link'])
  const lifeMs = Date.parse(made.json.expiresAt) - Date.parse(made.json.sentAt)
  assert.equal(lifeMs, WEEK_MS)
  const token = LINK.exec(made.json.link)?.[1] as string
  const seen = await read(token)
  assert.deepEqual(seen.json, {
    ...{ workspace: { name: 'Default' }, email: 'new.comer@example.com', role: 'viewer' },
    ...{ inviterName: 'bench', accountExists: false, expiresAt: made.json.expiresAt },
  })
  for (const [body, pointer] of [
    [{}, '/password'],
    [{ password: 'short' }, '/password'],
    [{ name: '', password: 'long enough' }, '/name'],
    [{ role: 'owner', password: 'long enough' }, '/role'],
  ] as const) {
    const refused = await accept(token, body)
    assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, pointer])
  }
  const accepted = await accept(token, { name: 'New Comer', password: 'long enough' })
  assert.equal(accepted.status, 200)
  assert.deepEqual(accepted.json.workspaces, [{ id: '1', slug: 'default', name: 'Default', role: 'viewer' }])
  const cookie = cookieOf(accepted)
  assert.equal((await site.call('GET', '/site/workspaces/default/members', { cookie })).status, 200)
  assert.equal((await site.logIn('new.comer@example.com', 'long enough')).status, 200)
  for (const late of [await read(token), await accept(token, { password: 'long enough' })]) {
    assert.deepEqual([late.status, late.json.code], [404, 'not-found'], 'the link works once')
  }
  const [entry] = await audited('invitation.accept')
  assert.equal(entry.actor.name, 'New Comer')
  assert.doesNotMatch(JSON.stringify(await audited('invitation.create')), /example\.com/i)
})

test('who has an account must be logged in as the invited address', async () => {
  const known = await site.person('Known')
  const other = await site.person('Other')
  const { token } = await invited(known.email)
  assert.equal((await read(token)).json.accountExists, true)
  const anonymous = await accept(token, { name: 'x', password: 'a password of mine' })
  assert.deepEqual([anonymous.status, anonymous.json.code], [401, 'no-session'])
  const foreign = await accept(token, {}, other.cookie)
  assert.deepEqual([foreign.status, foreign.json.code], [403, 'other-account'])
  assert.equal((await accept(token, { password: 'a new password' }, known.cookie)).status, 400)
  assert.equal((await site.logIn(known.email, known.password)).status, 200, 'the password is what it was')
  const accepted = await accept(token, {}, known.cookie)
  assert.deepEqual([accepted.status, accepted.headers['set-cookie']], [200, undefined])
  assert.equal((await site.call('GET', '/site/workspaces/default', { cookie: known.cookie })).status, 200)
})

test('somebody logged in does not accept for a new address', async () => {
  const { token } = await invited('fresh@example.com')
  const answer = await accept(token, { name: 'x', password: 'a password of mine' }, admin.cookie)
  assert.deepEqual([answer.status, answer.json.code], [403, 'other-account'])
})

test('an invitation counts while whoever sent it may invite to its role', async () => {
  const chief = await site.person('Chief', 'owner')
  const links: string[] = []
  for (const role of ['owner', 'admin', 'viewer']) {
    const { json } = await invite(`${role}-of-chief@example.com`, role, chief.cookie)
    links.push(LINK.exec(json.link)?.[1] as string)
  }
  const statuses = async () => Promise.all(links.map(async (token) => (await read(token)).status))
  const become = async (role: string) => {
    const path = `/site/workspaces/default/members/${chief.id}`
    const { status, text } = await site.call('PATCH', path, { cookie: owner, json: { role } })
    assert.equal(status, 200, text)
  }
  assert.deepEqual(await statuses(), [200, 200, 200])
  await become('admin')
  assert.deepEqual(await statuses(), [404, 200, 200])
  await become('member')
  assert.deepEqual(await statuses(), [404, 404, 404])
  assert.equal((await accept(links[1]!, { name: 'x', password: 'a password of mine' })).status, 404)
  const listed = async () => {
    const { json } = await site.call('GET', `${HOME}?pageSize=100`, { cookie: owner })
    return json.items.filter(({ inviterName }: { inviterName: string }) => inviterName === 'Chief')
  }
  for (const { expired, overBecause } of await listed()) assert.deepEqual([expired, overBecause], [true, 'inviter'])
  await instance.sql(`update invitations set sent_at = now() - interval '2 minutes' where inviter_name = 'Chief'`)
  const [{ id }] = await listed()
  const again = await site.call('POST', `${HOME}/${id}/resend`, { cookie: owner })
  assert.deepEqual([again.status, again.json.expired, again.json.overBecause], [200, false, null])
  assert.equal((await read(LINK.exec(again.json.link)?.[1] as string)).status, 200)
  assert.equal((await invite('viewer-of-chief@example.com', 'viewer')).status, 201, 'one that is over makes way')
  const gone = await site.call('DELETE', `/site/workspaces/default/members/${chief.id}`, { cookie: owner })
  assert.equal(gone.status, 204)
  assert.deepEqual(await statuses(), [404, 404, 404])
})

test('of many who come with one link at once, one has it', async () => {
  const { token } = await invited('twice@example.com')
  const tries = await Promise.all(
    Array.from({ length: 6 }, (_, index) => accept(token, { name: `No ${index}`, password: 'a password of mine' })),
  )
  const statuses = tries.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join())
  assert.ok(
    statuses.every((status) => [200, 404, 409].includes(status)),
    statuses.join(),
  )
  const rows = await instance.sql(`select from users where email = 'twice@example.com'`)
  assert.equal(rows.length, 1)
})

test('a member and an address with an open invitation are not invited again, a role above is not given', async () => {
  const member = await invite(admin.email)
  assert.deepEqual([member.status, member.json.errors], [409, [{ pointer: '/email', detail: 'is a member already' }]])
  await invited('open@example.com')
  assert.equal((await invite('OPEN@example.com')).status, 409)
  const above = await invite('boss@example.com', 'owner', admin.cookie)
  assert.deepEqual([above.status, above.json.code], [403, 'role-above-own'])
  assert.equal((await invite('boss@example.com', 'admin', admin.cookie)).status, 201)
  for (const email of ['nobody', 'a@', '@b', 'a b@example.com', 'a@b\r\nBcc: c@d.example'])
    assert.equal((await invite(email)).status, 400, email)
  for (const role of ['member', 'viewer']) {
    const { cookie } = await site.person(`Only-${role}`, role)
    assert.equal((await invite('x@example.com', 'viewer', cookie)).status, 403)
    assert.equal((await site.call('GET', HOME, { cookie })).status, 403)
  }
})

test('an invitation that is revoked, over or sent again opens nothing with its old link', async () => {
  const revoked = await invited('revoked@example.com')
  const path = `${HOME}/${revoked.id}`
  assert.equal((await site.call('DELETE', path, { cookie: owner })).status, 204)
  assert.equal((await site.call('DELETE', path, { cookie: owner })).status, 404)
  assert.equal((await read(revoked.token)).status, 404)

  const over = await invited('over@example.com')
  await instance.sql(`update invitations set expires_at = now() where id = $1`, [over.id])
  assert.equal((await read(over.token)).status, 404)
  assert.equal((await accept(over.token, { password: 'a password of mine' })).status, 404)
  const { json: list } = await site.call('GET', `${HOME}?pageSize=1000`, { cookie: owner })
  const shown = list.items.find((item: { id: string }) => item.id === over.id)
  assert.deepEqual([Object.keys(shown), shown.expired], [INVITATION_FIELDS, true])
  assert.equal(list.totalItems, list.items.length)
  assert.ok(!JSON.stringify(list).includes(over.token))

  const resend = () => site.call('POST', `${HOME}/${over.id}/resend`, { cookie: owner })
  const soon = await resend()
  assert.deepEqual([soon.status, soon.json.code], [429, 'too-many-requests'])
  await instance.sql(`update invitations set sent_at = now() - interval '1 minute' where id = $1`, [over.id])
  const again = await resend()
  assert.deepEqual([again.status, again.json.expired], [200, false])
  const token = LINK.exec(again.json.link)?.[1] as string
  assert.equal((await read(over.token)).status, 404)
  assert.equal((await read(token)).status, 200)
})

test('nobody is mailed again and again by revoking and inviting', async () => {
  const statuses: number[] = []
  for (let times = 0; times < 8; times += 1) {
    const { status, json } = await invite('bombed@example.com')
    statuses.push(status)
    if (status === 201) await site.call('DELETE', `${HOME}/${json.id}`, { cookie: owner })
  }
  assert.deepEqual(statuses.slice(0, 5), [201, 201, 201, 201, 201])
  assert.equal(statuses.at(-1), 429)
  const mails = await instance.sql(`select from system_mails where recipient = 'bombed@example.com'`)
  assert.ok(mails.length <= 6)
})

test('nobody is mailed again and again by resending, a minute after each time', async () => {
  const { id } = await invited('resent@example.com')
  const statuses: number[] = []
  for (let times = 0; times < 6; times += 1) {
    await instance.sql(`update invitations set sent_at = now() - interval '2 minutes' where id = $1`, [id])
    statuses.push((await site.call('POST', `${HOME}/${id}/resend`, { cookie: owner })).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
  const mails = await instance.sql(`select from system_mails where recipient = 'resent@example.com'`)
  assert.equal(mails.length, 6)
})

test('an address may be invited anew when its invitation is over', async () => {
  const first = await invited('anew@example.com')
  await instance.sql(`update invitations set expires_at = now() where id = $1`, [first.id])
  const second = await invited('anew@example.com', 'viewer')
  assert.notEqual(second.id, first.id)
})

test('a link is of no use to whoever reads the database or the log', async () => {
  const { id, token } = await invited('secret@example.com')
  const rows = await instance.sql<{ row: string }>(
    `select i::text as row from invitations i where id = $1 union all select m::text from system_mails m`,
    [id],
  )
  assert.ok(rows.length > 1)
  for (const { row } of rows) assert.ok(!row.includes(token))
  for (const one of [token, 'A'.repeat(43)]) {
    await read(one)
    await accept(one, { password: 'a password of mine' })
    await until('the lines of the log', async () => instance.output().includes('/site/invitations/{token}'), 60_000)
    assert.ok(!instance.output().includes(one))
  }
})

test('an invitation of another workspace is not there', async () => {
  const { id } = await invited('mine@example.com')
  const elsewhere = await instance.makeWorkspace('elsewhere')
  const { cookie } = await site.person('Stranger', 'owner', elsewhere)
  const there = '/site/workspaces/elsewhere/invitations'
  assert.equal((await site.call('DELETE', `${there}/${id}`, { cookie })).status, 404)
  assert.equal((await site.call('POST', `${there}/${id}/resend`, { cookie })).status, 404)
  assert.equal((await site.call('GET', there, { cookie })).json.totalItems, 0)
})

test('another site can neither invite nor accept', async () => {
  const { token } = await invited('forged@example.com')
  const headers = { origin: 'https://evil.example' }
  const json = { email: 'evil@example.com', role: 'owner' }
  assert.equal((await site.call('POST', HOME, { cookie: owner, json, headers })).status, 403)
  const password = { password: 'a password of theirs' }
  assert.equal((await site.call('POST', `/site/invitations/${token}`, { json: password, headers })).status, 403)
})
