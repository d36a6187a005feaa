import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { MAKE_WAITS_LONG } from '../support/long-waits.ts'
import { linkSecret, mailsOf } from '../support/mailbox.ts'
import { cookieOf, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { ROUNDS_MAX, takeAsLong } from '../support/take-as-long.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { totpCode } from '../support/totp.ts'

const BASE = '/site/auth/password-reset'
const TIMED_PAIRS = 60

let instance: TestedInstance
let site: SiteCaller
let peer: SmtpPeer

before(async () => {
  peer = await startSmtpPeer({ authOptional: true })
  instance = await startTestedInstance({
    TRUST_PROXY: 'true',
    SYSTEM_SMTP_URL: `smtp://127.0.0.1:${peer.port}?tls=none`,
    SYSTEM_MAIL_FROM: 'Postroom <system@example.org>',
  })
  await instance.sql(MAKE_WAITS_LONG)
  site = siteCaller(instance)
})
after(async () => {
  await instance.close()
  await peer.close()
})

let addresses = 0
/** Each from an address of its own. */
function ask(email: string, headers: Record<string, string> = {}) {
  addresses += 1
  const from = `10.0.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
  return site.call('POST', BASE, { json: { email }, headers: { 'x-forwarded-for': from, ...headers } })
}
const read = (token: string) => site.call('GET', `${BASE}/${token}`)
const set = (token: string, password: string) => site.call('POST', `${BASE}/${token}`, { json: { password } })

async function linkTo(email: string): Promise<string> {
  const seen = peer.messages.length
  assert.equal((await ask(email)).status, 202)
  return linkSecret(peer, { to: email, page: 'reset-password', seen })
}

const settled = () =>
  eventually('every request to be looked at', async () => {
    const [row] = await instance.sql<{ open: string }>(
      'select count(*) as open from password_resets where token_hash is null',
    )
    return row?.open === '0'
  })

test('a link sets a new password once, and ends every session', async () => {
  const { email, password, cookie, id } = await site.person('Ada', 'member')
  const token = await linkTo(email)
  const open = await read(token)
  assert.deepEqual([open.status, Object.keys(open.json), open.json.email], [200, ['email', 'expiresAt'], email])
  assert.equal((await set(token, 'short')).json.errors[0].pointer, '/password')
  assert.equal((await site.logIn(email, password)).status, 200, 'asking changed nothing')
  assert.equal((await set(token, 'a new password')).status, 204)
  assert.equal((await site.call('GET', '/site/auth/session', { cookie })).status, 401)
  assert.equal((await site.logIn(email, password)).status, 401)
  assert.equal((await site.logIn(email, 'a new password')).status, 200)
  for (const late of [await read(token), await set(token, 'yet another')]) {
    assert.deepEqual([late.status, late.json.code], [404, 'not-found'])
  }
  const entries = await instance.sql<{ actor_id: string; diff: object }>(
    `select actor_id, diff from audit_entries where action = 'user.password_change'`,
  )
  assert.deepEqual(entries, [{ actor_id: id, diff: { password: 'changed' } }])
  await eventually('the notice', () =>
    mailsOf(peer).some((mail) => mail.to === email && /password of your account was changed/.test(mail.text)),
  )
})

test('whether an address has an account shows neither in the words nor in the time of the answer', async () => {
  const known = Array.from({ length: ROUNDS_MAX * TIMED_PAIRS }, (_, index) => `known${index}@example.com`)
  await instance.sql(
    `insert into users (email, name, password_hash)
     select unnest($1::text[]), 'Known', password_hash from users where email = $2`,
    [known, instance.email],
  )
  const asked = (address: (n: number) => string) => async (n: number) => {
    const answer = await ask(address(n))
    assert.deepEqual([answer.status, answer.text], [202, '{"status":"accepted"}'])
    return settled
  }
  await takeAsLong(
    TIMED_PAIRS,
    asked((n) => known[n]!),
    asked((n) => `nobody${n}@example.com`),
  )
  const [left] = await instance.sql<{ rows: string }>(
    `select count(*) as rows from password_resets where email like 'nobody%'`,
  )
  assert.equal(left?.rows, '0', 'nothing is kept of strangers')
})

test('asking is limited by account and by address, known or not', async () => {
  const { email } = await site.person('Often')
  for (const address of [email, 'nobody@example.com']) {
    const statuses: number[] = []
    for (let tries = 0; tries < 6; tries += 1) statuses.push((await ask(address)).status)
    assert.deepEqual(statuses, [202, 202, 202, 202, 429, 429], address)
  }
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  let last = 202
  for (let tries = 0; tries < 30 && last === 202; tries += 1)
    last = (await ask(`x${tries}@example.com`, headers)).status
  assert.equal(last, 429)
})

test('a second factor is still asked for afterwards', async () => {
  const { email, password: currentPassword, cookie } = await site.person('Grace', 'member')
  const factor = '/site/auth/second-factor'
  const { json } = await site.call('POST', `${factor}/enrol`, { cookie, json: { currentPassword } })
  await site.call('POST', `${factor}/confirm`, { cookie, json: { code: totpCode(json.secret) } })
  await instance.sql('update second_factors set last_step = 0')
  assert.equal((await set(await linkTo(email), 'a new password')).status, 204)
  const login = await site.logIn(email, 'a new password')
  assert.deepEqual([login.status, login.json.secondFactor], [202, 'required'])
  const code = totpCode(json.secret)
  const done = await site.call('POST', factor, { json: { ticket: login.json.ticket, code } })
  assert.equal(done.status, 200)
})

test('a link is over after an hour, and as soon as the password changes in another way', async () => {
  const { email, password, cookie } = await site.person('Lin', 'member')
  const expired = await linkTo(email)
  await instance.sql(`update password_resets set expires_at = now() where email = $1`, [email])
  assert.equal((await set(expired, 'a new password')).status, 404)
  const overtaken = await linkTo(email)
  assert.equal((await read(overtaken)).status, 200)
  const json = { currentPassword: password, newPassword: 'changed by hand' }
  assert.equal((await site.call('POST', '/site/auth/password', { cookie, json })).status, 204)
  assert.equal((await read(overtaken)).status, 404)
  assert.equal((await set(overtaken, 'a new password')).status, 404)
  assert.equal((await site.logIn(email, 'changed by hand')).status, 200)
})

test('of several who come with one link at once, one sets the password', async () => {
  const { email } = await site.person('Raced')
  const token = await linkTo(email)
  const answers = await Promise.all([0, 1, 2].map((index) => set(token, `password number ${index}`)))
  const statuses = answers.map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [204, 404, 404])
})

test('a link opens nothing from the database, from a mere guess, or from another site', async () => {
  const { email } = await site.person('Kept')
  const token = await linkTo(email)
  const rows = await instance.sql<{ row: string }>(
    'select r::text as row from password_resets r union all select m::text from system_mails m',
  )
  for (const { row } of rows) assert.ok(!row.includes(token))
  for (const wrong of ['x', 'A'.repeat(43), `${token.slice(0, -1)}_`]) assert.equal((await read(wrong)).status, 404)
  const headers = { origin: 'https://evil.example' }
  const forged = await site.call('POST', `${BASE}/${token}`, { json: { password: 'a new password' }, headers })
  assert.equal(forged.json.code, 'cross-site-request')
  assert.equal((await ask(email, headers)).json.code, 'cross-site-request')
  assert.equal((await ask('not an address')).status, 400)
})

test('an invitation comes by mail, and its link is nowhere else', async () => {
  const cookie = cookieOf(await site.logIn(instance.email, instance.password))
  const path = '/site/workspaces/default/invitations'
  const json = { email: 'guest@example.com', role: 'viewer' }
  const made = await site.call('POST', path, { cookie, json })
  assert.deepEqual([made.status, made.json.link], [201, null])
  const token = await linkSecret(peer, { to: 'guest@example.com', page: 'accept-invitation' })
  assert.equal((await site.call('GET', `/site/invitations/${token}`)).json.email, 'guest@example.com')
  const mail = mailsOf(peer).find(({ to }) => to === 'guest@example.com')
  assert.equal(mail?.subject, 'Invitation to Default')
})
