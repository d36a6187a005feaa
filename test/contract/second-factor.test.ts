import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../support/instance.ts'
import { MAKE_WAITS_LONG } from '../support/long-waits.ts'
import { cookieOf, type Person, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { STEP_MS, totpCode, wrongCode } from '../support/totp.ts'

const BASE = '/site/auth/second-factor'
const RECOVERY_CODE = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/

let instance: TestedInstance
let site: SiteCaller
let owner: string

before(async () => {
  instance = await startTestedInstance({ TRUST_PROXY: 'true' })
  site = siteCaller(instance)
  await instance.sql(MAKE_WAITS_LONG)
  owner = cookieOf(await site.logIn(instance.email, instance.password))
})
after(() => instance.close())

type Enrolled = Person & { secret: string; code: string; recoveryCodes: string[] }

/** Somebody with a second factor. */
async function enrolled(name: string, role = 'member', workspaceId = '1'): Promise<Enrolled> {
  const person = await site.person(name, role, workspaceId)
  const { cookie, password: currentPassword } = person
  const begun = await site.call('POST', `${BASE}/enrol`, { cookie, json: { currentPassword } })
  assert.equal(begun.status, 200, begun.text)
  const { secret } = begun.json
  const code = totpCode(secret)
  const confirmed = await site.call('POST', `${BASE}/confirm`, { cookie, json: { code } })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { ...person, secret, code, recoveryCodes: confirmed.json.recoveryCodes }
}

/** Makes every code of the present new again, as if the last login were long ago. */
const forgetSteps = () => instance.sql('update second_factors set last_step = 0')
const forgetAttempts = () => instance.sql('delete from login_attempts')

async function ticketOf({ email, password }: Person): Promise<string> {
  const answer = await site.logIn(email, password)
  assert.equal(answer.status, 202, answer.text)
  return answer.json.ticket
}

const second = (ticket: string, shown: object, headers: Record<string, string> = {}) =>
  site.call('POST', BASE, { json: { ticket, ...shown }, headers })

test('setting it up takes the password and a first code, answers ten recovery codes, and ends other sessions', async () => {
  const person = await site.person('Ada', 'member')
  const { cookie } = person
  const elsewhere = cookieOf(await site.logIn(person.email, person.password))
  const post = (path: string, json: object) => site.call('POST', BASE + path, { cookie, json })
  assert.deepEqual((await site.call('GET', BASE, { cookie })).json, {
    ...{ enabled: false, enabledAt: null, recoveryCodesLeft: 0 },
  })
  assert.equal((await post('/enrol', { currentPassword: 'wrong' })).json.errors[0].pointer, '/currentPassword')
  assert.equal((await post('/confirm', { code: '123456' })).status, 409)
  await post('/enrol', { currentPassword: person.password })
  const begun = await post('/enrol', { currentPassword: person.password })
  const { secret, otpauthUrl } = begun.json
  assert.equal(new URL(otpauthUrl).searchParams.get('secret'), secret)
  assert.equal((await site.logIn(person.email, person.password)).status, 200, 'it asks for nothing yet')
  const wrong = await post('/confirm', { code: wrongCode(secret) })
  assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [400, '/code'])
  const confirmed = await post('/confirm', { code: totpCode(secret) })
  assert.equal(new Set(confirmed.json.recoveryCodes).size, 10)
  for (const code of confirmed.json.recoveryCodes) assert.match(code, RECOVERY_CODE)
  const state = (await site.call('GET', BASE, { cookie })).json
  assert.deepEqual([state.enabled, state.recoveryCodesLeft], [true, 10])
  assert.equal((await post('/enrol', { currentPassword: person.password })).status, 409)
  assert.equal((await site.call('GET', '/site/auth/session', { cookie: elsewhere })).status, 401)
  const stored = await instance.sql<{ row: string }>(
    'select f::text as row from second_factors f union all select c::text from recovery_codes c',
  )
  for (const { row } of stored) {
    for (const code of [secret, ...confirmed.json.recoveryCodes]) assert.ok(!row.includes(code))
  }
})

test('a login needs password and code, sets its cookie with the second step only, and each code works once', async () => {
  const person = await enrolled('Grace')
  await forgetSteps()
  const first = await site.logIn(person.email, person.password)
  assert.deepEqual([first.status, first.json.secondFactor], [202, 'required'])
  assert.deepEqual(Object.keys(first.json), ['secondFactor', 'ticket', 'expiresAt'])
  assert.equal(first.headers['set-cookie'], undefined)
  const cookie = `postroom_session=${first.json.ticket}`
  assert.equal((await site.call('GET', '/site/auth/session', { cookie })).status, 401, 'a ticket is no session')
  const code = totpCode(person.secret)
  const done = await second(first.json.ticket, { code }, { cookie: person.cookie })
  assert.equal(done.status, 200)
  assert.equal(done.json.user.email, person.email)
  assert.notEqual(cookieOf(done), person.cookie, 'under a new id')
  const before = await site.call('GET', '/site/auth/session', { cookie: person.cookie })
  assert.equal(before.status, 401, 'the session that was presented is over')
  assert.equal((await site.call('GET', '/site/auth/session', { cookie: cookieOf(done) })).status, 200)
  const again = await second(first.json.ticket, { code })
  assert.deepEqual([again.status, again.json.code], [401, 'login-expired'], 'the ticket was used')
  const replayed = await second(await ticketOf(person), { code })
  assert.deepEqual([replayed.status, replayed.json.code], [401, 'wrong-code'], 'the code was used')
  const early = await second(await ticketOf(person), { code: totpCode(person.secret, Date.now() - STEP_MS) })
  assert.equal(early.json.code, 'wrong-code', 'a code before the last one is none')
  const next = await second(await ticketOf(person), { code: totpCode(person.secret, Date.now() + STEP_MS) })
  assert.equal(next.status, 200, 'the next one is')
})

test('of one code shown many times at once, one login comes through', async () => {
  const person = await enrolled('Race')
  await forgetSteps()
  const tickets = [await ticketOf(person), await ticketOf(person), await ticketOf(person)]
  const code = totpCode(person.secret)
  const answers = await Promise.all(tickets.map((ticket) => second(ticket, { code })))
  const statuses = answers.map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 401, 401], answers.map(({ text }) => text).join())
})

test('of several recovery codes shown at once, one logs in and ends the other logins', async () => {
  const person = await enrolled('Hasty')
  const logins = await Promise.all(
    person.recoveryCodes.slice(0, 4).map(async (recoveryCode) => ({ recoveryCode, ticket: await ticketOf(person) })),
  )
  const answers = await Promise.all(logins.map(({ ticket, recoveryCode }) => second(ticket, { recoveryCode })))
  const codes = answers.map(({ status, json }) => json.code ?? status)
  assert.deepEqual(codes.toSorted(), [200, 'login-expired', 'login-expired', 'login-expired'])
  const [left] = await instance.sql<{ used: string }>(
    'select count(*) as used from recovery_codes where user_id = $1 and used_at is not null',
    [person.id],
  )
  assert.equal(left!.used, '1')
})

test('wrong, used and made-up codes and tickets get answers that tell nothing apart', async () => {
  const person = await enrolled('Hedy')
  const plain = (answer: { status: number; json: Record<string, unknown> }) => {
    const { requestId: _, ...problem } = answer.json
    return { status: answer.status, ...problem }
  }
  const ticket = await ticketOf(person)
  const wrong = plain(await second(ticket, { code: wrongCode(person.secret) }))
  const used = plain(await second(ticket, { code: person.code }))
  const recovery = plain(await second(ticket, { recoveryCode: 'AAAA-AAAA-AAAA-AAAA' }))
  assert.deepEqual(used, wrong)
  assert.deepEqual(recovery, wrong)
  const unknown = plain(await second('A'.repeat(43), { code: '123456' }))
  await instance.sql('update login_tickets set expires_at = now()')
  assert.deepEqual(plain(await second(ticket, { code: '123456' })), unknown)
  for (const json of [{}, { code: '123456', recoveryCode: 'AAAA-AAAA-AAAA-AAAA' }, { code: '12345' }, { code: 123456 }])
    assert.equal((await second(ticket, json)).status, 400)
})

test('codes cannot be guessed: a ticket is over after five, the account waits, over all tickets and addresses', async () => {
  const person = await enrolled('Guessed')
  await forgetSteps()
  let ticket = await ticketOf(person)
  const code = wrongCode(person.secret)
  let address = 0
  const guess = (from: string) => {
    address += 1
    return second(from, { code }, { 'x-forwarded-for': `192.0.2.${address}` })
  }
  const statuses: number[] = []
  for (let tries = 0; tries < 5; tries += 1) statuses.push((await guess(ticket)).status)
  assert.deepEqual(statuses, [401, 401, 401, 401, 401])
  assert.equal((await guess(ticket)).json.code, 'login-expired')
  const answers: number[] = []
  for (let tries = 0; tries < 4; tries += 1) {
    ticket = await ticketOf(person)
    answers.push((await guess(ticket)).status)
  }
  assert.ok(answers.includes(429), answers.join())
  const right = await second(ticket, { code: totpCode(person.secret) })
  assert.deepEqual([right.status, right.json.code], [429, 'too-many-requests'], 'the right one waits too')
  assert.match(String(right.headers['retry-after']), /^[1-9]\d*$/)
  await forgetAttempts()
  assert.equal((await second(ticket, { code: totpCode(person.secret) })).status, 200)
})

test('a recovery code works once, however it is typed, and new ones end the old', async () => {
  const person = await enrolled('Lost')
  const [first = '', another = ''] = person.recoveryCodes
  const done = await second(await ticketOf(person), { recoveryCode: first.toLowerCase().replaceAll('-', ' ') })
  assert.equal(done.status, 200)
  const cookie = cookieOf(done)
  assert.equal((await second(await ticketOf(person), { recoveryCode: first })).json.code, 'wrong-code')
  assert.equal((await site.call('GET', BASE, { cookie })).json.recoveryCodesLeft, 9)
  const regenerate = (json: object) => site.call('POST', `${BASE}/recovery-codes`, { cookie, json })
  const { password: currentPassword } = person
  await forgetSteps()
  assert.equal((await regenerate({ currentPassword: 'wrong', code: totpCode(person.secret) })).status, 400)
  assert.equal((await regenerate({ currentPassword })).status, 400)
  assert.equal((await regenerate({ currentPassword, code: wrongCode(person.secret) })).status, 400)
  const made = await regenerate({ currentPassword, code: totpCode(person.secret) })
  assert.equal(made.json.recoveryCodes.length, 10)
  assert.equal((await second(await ticketOf(person), { recoveryCode: another })).status, 401)
  const fresh = await second(await ticketOf(person), { recoveryCode: made.json.recoveryCodes[0] })
  assert.equal(fresh.status, 200)
})

test('switching it off takes password and code', async () => {
  const person = await enrolled('Off')
  await forgetSteps()
  const { cookie, password: currentPassword } = person
  const disable = (json: object) => site.call('POST', `${BASE}/disable`, { cookie, json })
  assert.equal((await disable({ currentPassword: 'wrong', code: totpCode(person.secret) })).status, 400)
  assert.equal((await disable({ currentPassword, code: wrongCode(person.secret) })).status, 400)
  assert.equal((await disable({ currentPassword })).status, 400)
  assert.equal((await disable({ currentPassword, code: totpCode(person.secret) })).status, 204)
  assert.equal((await site.logIn(person.email, person.password)).status, 200)
})

test('what a stolen session must not do takes a code where there is a factor, no password, and guesses wait as at a login', async () => {
  const person = await enrolled('Stepping', 'owner')
  const plain = await site.person('Plain', 'owner')
  const [token] = await instance.sql<{ id: string }>('select id from api_tokens limit 1')
  const budget = { recipientsPerSend: 1_001, recipientsPerDay: 2_000, sendsPerDay: 1 }
  const set = (shown: object, { cookie }: Person = person, headers: Record<string, string> = {}) =>
    site.call('PUT', `/site/workspaces/default/tokens/${token!.id}/send-policy`, {
      ...{ cookie, headers },
      json: { mode: 'budget', budget, ...shown },
    })
  const refused = async (answer: ReturnType<typeof set>) => {
    const { status, json } = await answer
    return [status, json.errors[0].pointer]
  }
  await forgetSteps()
  const { password } = person
  for (const shown of [{}, { password }, { code: wrongCode(person.secret) }, { recoveryCode: 'AAAA-AAAA-AAAA-AAAA' }])
    assert.deepEqual(await refused(set(shown)), [400, '/code'], JSON.stringify(shown))
  const both = { code: totpCode(person.secret), recoveryCode: person.recoveryCodes[0] }
  assert.deepEqual(await refused(set(both)), [400, '/code'])
  const code = totpCode(person.secret, Date.now() + STEP_MS)
  assert.equal((await set({ code })).status, 200)
  assert.deepEqual(await refused(set({ code })), [400, '/code'], 'it was used')
  const recoveryCode = person.recoveryCodes[0]
  assert.equal((await set({ recoveryCode })).status, 200)
  assert.deepEqual(await refused(set({ recoveryCode })), [400, '/code'], 'it was used')
  assert.deepEqual(await refused(set({ code }, plain)), [400, '/password'], 'somebody without a factor')
  assert.equal((await set({ password: plain.password }, plain)).status, 200)

  await forgetAttempts()
  const statuses: number[] = []
  for (let tries = 1; tries <= 8; tries += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${100 + tries}` }
    statuses.push((await set({ code: wrongCode(person.secret) }, person, headers)).status)
  }
  assert.ok(statuses.includes(429), statuses.join())
  await forgetSteps()
  assert.equal((await set({ code: totpCode(person.secret) })).status, 429, 'the right one waits too')
  await forgetAttempts()
  assert.equal((await set({ code: totpCode(person.secret) })).status, 200)
})

test('a changed password ends logins that wait for a code', async () => {
  const person = await enrolled('Changed')
  await forgetSteps()
  const ticket = await ticketOf(person)
  const json = { currentPassword: person.password, newPassword: 'another password' }
  assert.equal((await site.call('POST', '/site/auth/password', { cookie: person.cookie, json })).status, 204)
  assert.equal((await second(ticket, { code: totpCode(person.secret) })).json.code, 'login-expired')
  assert.equal((await site.logIn(person.email, 'another password')).status, 202, 'the second factor stays')
})

test('who runs the workspace resets a member, in the log of that workspace only, and not a door elsewhere', async () => {
  const home = '/site/workspaces/default/members'
  const reset = (by: string, { id }: Person) => site.call('DELETE', `${home}/${id}/second-factor`, { cookie: by })
  const person = await enrolled('Helpless')
  const colleague = await site.person('Colleague', 'member')
  assert.equal((await reset(colleague.cookie, person)).status, 403)
  assert.equal((await reset(owner, person)).status, 204)
  assert.equal((await reset(owner, person)).status, 404)
  assert.equal((await site.call('GET', '/site/auth/session', { cookie: person.cookie })).status, 401)
  assert.equal((await site.logIn(person.email, person.password)).status, 200)

  const admin = await enrolled('Admin', 'admin')
  const own = await reset(admin.cookie, admin)
  assert.equal(own.status, 400, 'a stolen session must not switch off what guards it')
  const away = await enrolled('Twofold')
  const elsewhere = await instance.makeWorkspace('elsewhere')
  await instance.sql(`insert into memberships (workspace_id, user_id, role) values ($1, $2, 'owner')`, [
    elsewhere,
    away.id,
  ])
  assert.equal((await reset(owner, away)).status, 422)
  const boss = await enrolled('Boss', 'owner')
  assert.equal((await reset(admin.cookie, boss)).json.code, 'role-above-own')
  const entries = await instance.sql(
    `select workspace_id, target_id from audit_entries where action = 'user.second_factor_reset'`,
  )
  assert.deepEqual(entries, [{ workspace_id: '1', target_id: person.id }])
  const notices = await instance.sql<{ subject: string }>(`select subject from system_mails where recipient = $1`, [
    person.email,
  ])
  assert.equal(notices.length, 2, 'set up, and removed')
})

test('a workspace may keep out who has none, until they have', async () => {
  const id = await instance.makeWorkspace('strict')
  const strict = '/site/workspaces/strict'
  const boss = await enrolled('Strict-boss', 'owner', id)
  const person = await site.person('Strict-member', 'member', id)
  const patch = { cookie: boss.cookie, json: { requireSecondFactor: true } }
  assert.equal((await site.call('PATCH', strict, patch)).status, 200)
  const out = await site.call('GET', `${strict}/webhooks`, { cookie: person.cookie })
  assert.deepEqual([out.status, out.json.code], [403, 'second-factor-needed'])
  assert.equal((await site.call('GET', `${strict}/webhooks`, { cookie: boss.cookie })).status, 200)
  assert.equal((await site.call('GET', '/site/workspaces', { cookie: person.cookie })).status, 200)
  const { cookie, password: currentPassword } = person
  const { json } = await site.call('POST', `${BASE}/enrol`, { cookie, json: { currentPassword } })
  await site.call('POST', `${BASE}/confirm`, { cookie, json: { code: totpCode(json.secret) } })
  assert.equal((await site.call('GET', `${strict}/webhooks`, { cookie })).status, 200)
})

test('another site can complete no login, and what happened is in the log without codes', async () => {
  const person = await enrolled('Crossed')
  await forgetSteps()
  const ticket = await ticketOf(person)
  const forged = await second(ticket, { code: totpCode(person.secret) }, { origin: 'https://evil.example' })
  assert.equal(forged.json.code, 'cross-site-request')
  const actions = ['enroll', 'disable', 'reset', 'failed'].map((verb) => `user.second_factor_${verb}`)
  const path = '/site/workspaces/default/audit-entries?limit=100'
  await until(
    'every action',
    async () => {
      const rows = await instance.sql<{ action: string }>('select distinct action from audit_entries')
      const seen = new Set(rows.map(({ action }) => action))
      return [...actions, 'user.recovery_codes_regenerate', 'user.recovery_code_use'].every((one) => seen.has(one))
    },
    60_000,
  )
  const { text } = await site.call('GET', path, { cookie: owner })
  assert.ok(!text.includes(person.secret) && !person.recoveryCodes.some((code) => text.includes(code)))
})

test('the page that asks for a code leads back to the password when its time or its tries are over', async () => {
  const body = 'ticket=long+over&code=123456&next=%2Fapp%2Fdefault%2Fcontacts'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, text } = await site.call('POST', '/app/login/code', { headers, body })
  assert.equal(status, 401)
  assert.match(text, /Begin again with email and password\./)
  assert.match(text, /<form class="stack" method="post" action="\/app\/login">/)
  assert.match(text, /name="next" value="\/app\/default\/contacts"/)
  assert.match(text, /type="password"/)
})
