import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { type Challenge, solveChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { pressOnPage } from '../../../test/support/press-on-page.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { statementsOf } from '../../../test/support/statements-of.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { DAY_MS, HOUR_MS } from '../../platform/durations.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { confirmationSource } from '../confirmations/confirmation-source.ts'
import { listConsents } from '../consents/list-consents.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createBindConfirmed } from '../identity/bind-confirmed.ts'
import { createMarks } from '../identity/claims.ts'
import { erasePerson } from '../personal-data/erase-person.ts'
import { exportPerson } from '../personal-data/export-person.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { suppress } from '../suppression/manage-suppressions.ts'
import type { SystemMail } from '../system-mail/system-mailer.ts'
import { guardCollect } from '../trackers/guard-collect.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { unsubscribe } from '../unsubscribes/unsubscribe.ts'
import { forgetVisitor } from '../visitors/forget-visitor.ts'
import { answerFormSubmission } from './answer-form-submission.ts'
import { challengeSecrets } from './challenge.ts'
import { collectForms } from './collect.ts'
import { confirmationsOfForms } from './confirmations-of-forms.ts'
import { dropForm } from './drop-form.ts'
import { expireFormSubmissions } from './expire-form-submissions.ts'
import { forgetBrowser } from './forget-browser.ts'
import { forgetFormSubmissions } from './forget-form-submissions.ts'
import { formPages } from './form-pages.ts'
import { formStats } from './form-stats.ts'
import { formsOfPeople } from './forms-of-people.ts'
import { honeypotOf } from './honeypot.ts'
import { createSubjects, takePlaces } from './mail-budgets.ts'
import { createForm, deleteForm, listForms, readForm, updateForm } from './manage-forms.ts'
import type { Form, FormBody } from './schemas.ts'
import { signUpPath } from './sign-up-link.ts'
import { signUpPages } from './sign-up-pages.ts'
import { tellAttacked } from './tell-attacked.ts'

/**
 * Sign-ups that others make in somebody's name: so many of one address, and as many addresses from a tenth as many networks.
 * `BOMBS=10000 npm test server/modules/forms/forms.test.ts` is the long form.
 */
const BOMBS = Number(process.env.BOMBS ?? 102)

const { pool } = await testWorkspace()
await migrateJobs(pool, ['default'])
const keys = secretKeys([{ id: 'k1', key: randomBytes(32) }])
const linkKeys = createLinkKeys({ sql: pool, keys })
await linkKeys.ready()
const baseUrl = new URL('https://mail.example.com/')
let nowMs = Date.now()
const subjects = createSubjects(keys)
const deps = { sql: pool, pool, keys, secrets: secretBox(keys), subjects, linkKeys, baseUrl, now: () => nowMs }
const app = quietServer({ trustProxy: true, https: true })
const markAliases = createMarks(keys)
const own = { ...deps, ownOrigin: baseUrl.origin, bindVisitor: createBindConfirmed({ markAliases }) }
const tally = { noteRefusal: () => undefined }
guardCollect(app, { sql: pool, find: () => undefined, limits: { tracker: 0, address: 0 }, tally })
collectForms(app, own)
formPages(app, own)
signUpPages(app, own)
await app.ready()
after(() => app.close())

const LANES = 6
/** Does something so many times, some at once, as attackers and the workers of jobs do. */
async function inLanes(times: number, act: (n: number) => Promise<unknown>, lanes = LANES): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < times) await act(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

let networks = 0
const nextIp = () => {
  networks += 1
  return `198.${18 + (networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}`
}
const WORDING = 'Once a month. <b>Promised</b>'

async function world(body: Partial<FormBody> = {}) {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const form = await createForm(deps, caller, { name: 'Footer', consentWording: WORDING, challenge: 'off', ...body })
  const query = <R extends object>(text: string, values: unknown[] = []) =>
    queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
  const path = `/collect/forms/${form.key}`
  const token = async () => {
    const { json } = await got(path)
    nowMs += 3_000
    return json().renderToken as string
  }
  const submissions = () =>
    query<{ id: string; state: string; reason: string | null; messageId: string | null; content: string | null }>(
      `select id, state, reason, message_id as "messageId", content from form_submissions where workspace_id = $1 order by id`,
    )
  const answerAll = async (lanes = 1) => {
    const ids = (await submissions()).map(({ id }) => id)
    await inLanes(ids.length, (n) => answerFormSubmission(deps, { workspaceId, submissionId: ids[n]! }), lanes)
  }
  const mails = () =>
    query<{ id: string; destination: string; state: string }>(
      'select id, destination, state from messages where workspace_id = $1 order by id',
    )
  const linkOf = (submissionId: string) => `/${signUpPath(linkKeys.current(), { workspaceId, submissionId })}`
  const contacts = () =>
    query<Record<string, unknown>>(
      `select email, first_name as "firstName", phone, custom_fields as "customFields" from contacts
       where workspace_id = $1 order by id`,
    )
  const outcomes = async () =>
    Object.fromEntries(
      (
        await query<{ outcome: string; total: string }>(
          'select outcome, sum(total)::text as total from form_hours where workspace_id = $1 group by 1 order by 1',
        )
      ).map(({ outcome, total }) => [outcome, Number(total)]),
    )
  /** Submits as a script does, confirms nothing. */
  const submit = async (fields: Record<string, unknown>, { ip = nextIp(), renderToken = '' } = {}) =>
    posted(path, { ...fields, renderToken: renderToken || (await token()) }, { ip })
  return {
    workspaceId,
    caller,
    form,
    query,
    path,
    token,
    submissions,
    answerAll,
    mails,
    linkOf,
    contacts,
    outcomes,
    submit,
  }
}

const got = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })

function posted(url: string, body: object, { ip = nextIp(), ...headers }: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url, payload: body, headers: { 'x-forwarded-for': ip!, ...headers } })
}

/** Of the page that a link in a mail leads to. */
function pressedOn(url: string, fields: Record<string, string>, { ip = nextIp() }: { ip?: string | undefined } = {}) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': ip! }
  return pressOnPage(app, { url, payload: new URLSearchParams(fields).toString(), headers })
}

function pressed(
  url: string,
  fields: Record<string, string>,
  { ip = nextIp(), ...headers }: Record<string, string> = {},
) {
  return app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': ip!, ...headers },
  })
}

test('somebody signs up on the page of a form, and is a contact once they have confirmed', async () => {
  const { form, workspaceId, submissions, answerAll, mails, linkOf, contacts, query, outcomes } = await world({
    fields: [{ field: 'firstName', label: '<img src=x onerror=alert(1)>' }],
    tags: ['Newsletter'],
    locale: 'de',
  })
  const page = await got(`/f/${form.key}`)
  assert.equal(page.statusCode, 200)
  assert.deepEqual([page.headers['set-cookie'], /<script/i.test(page.body)], [undefined, false])
  assert.match(page.body, /<html lang="de">[\s\S]*E-Mail-Adresse[\s\S]*Once a month\. &lt;b&gt;Promised/)
  assert.match(page.body, /&lt;img src=x onerror=alert\(1\)&gt;/)
  const renderToken = /name="renderToken" value="([^"]+)"/.exec(page.body)![1]!
  nowMs += 3_000
  const visitorId = '0f8b2c6de1a94f0bb1f0c3d2e4a59687'
  const firstName = '<b>Buy pills</b> http://spam.example'
  const fields = { email: 'Ada@Example.com', firstName, renderToken, visitorId }
  const sent = await pressed(`/collect/forms/${form.key}`, fields, { origin: baseUrl.origin })
  assert.deepEqual([sent.statusCode, sent.headers.location], [303, `/f/${form.key}/done`])
  assert.match((await got(sent.headers.location as string)).body, /Eine Mail mit einem Link ist unterwegs/)
  assert.deepEqual([await contacts(), await mails()], [[], []])

  await answerAll()
  await answerAll()
  const [submission] = await submissions()
  assert.doesNotMatch(JSON.stringify(submission), /example\.com|pills/i)
  const [mail] = await mails()
  assert.deepEqual([mail!.destination, mail!.state, submission!.messageId], ['ada@example.com', 'pending', mail!.id])
  const source = confirmationSource({ keys: linkKeys, baseUrl, ofForms: confirmationsOfForms })
  const content = await inTransaction(pool, workspaceId, async (tx) => {
    const sender = { email: 'news@shop.example', name: null }
    const message = { id: mail!.id, destination: mail!.destination } as never
    const prepared = await source.prepare(tx, { workspaceId, messages: [message], sender })
    await prepared.finish?.()
    return JSON.stringify(await prepared.contentOf(message))
  })
  assert.match(content, /Bitte bestätigen|bestätige/i)
  assert.doesNotMatch(content, /pills|spam\.example|onerror|Promised/)
  const link = linkOf(submission!.id)
  assert.ok(content.includes(`${baseUrl.origin}${link}`))

  for (const method of ['GET', 'HEAD'] as const) assert.equal((await app.inject({ method, url: link })).statusCode, 200)
  assert.deepEqual(await contacts(), [])
  nowMs += HOUR_MS
  const confirmed = await pressedOn(link, {}, { ip: '203.0.113.77' })
  assert.match(confirmed.body, /Bestätigt[\s\S]*&lt;b&gt;Promised/)
  assert.equal((await pressedOn(link, {})).statusCode, 200)
  const [contact, ...others] = await contacts()
  assert.deepEqual(others, [])
  assert.deepEqual([contact!.email, contact!.firstName], ['ada@example.com', fields.firstName])
  const visitors = await query('select visitor_id as id, proof from visitors where workspace_id = $1')
  assert.deepEqual(visitors, [{ id: visitorId, proof: 'confirmed' }])
  assert.deepEqual(await query('select from form_submissions where workspace_id = $1 and visitor_id is not null'), [])
  const consent = await query(
    `select provenance, host(confirm_ip) as ip, opted_in_at < confirmed_at as after from contact_consents where workspace_id = $1`,
  )
  assert.deepEqual(consent, [{ provenance: 'double_opt_in', ip: '203.0.113.0', after: true }])
  const names = await query<{ name: string }>(`select name from outbox where workspace_id = $1 order by position`)
  assert.deepEqual(
    names.map(({ name }) => name),
    ['contact.created', 'contact.tagged', 'form.confirmed', 'marketing.confirmed'],
  )
  assert.equal((await submissions())[0]!.content, null)
  assert.deepEqual(await outcomes(), { confirmed: 1, mailed: 1, submitted: 1 })
})

test('the answer is the same for every address, whatever becomes of it', async () => {
  const { caller, workspaceId, form, path, token, submit, submissions, mails, answerAll, linkOf } = await world()
  await createContact({ sql: pool }, caller, { email: 'known@example.com' })
  await suppress({ sql: pool }, caller, { destination: 'suppressed@example.com' })
  await inTransaction(pool, workspaceId, (tx) =>
    unsubscribe(tx, workspaceId, {
      ...{ destination: 'gone@example.com', sendingSource: 'everything', messageId: null },
      ...{ byWhom: 'person', ip: null },
    }),
  )
  await submit({ email: 'blocked@example.com' })
  await submit({ email: 'asked@example.com' })
  await answerAll()
  assert.match(
    (await pressedOn(linkOf((await submissions())[0]!.id), { notMe: 'yes' })).body,
    /do not write to this address/,
  )
  const answers: { statusCode: number; statements: string[]; [more: string]: unknown }[] = []
  for (const name of ['new', 'known', 'suppressed', 'gone', 'blocked', 'asked']) {
    const fields = { email: `${name}@example.com`, renderToken: await token() }
    const statements = await statementsOf(async () => {
      const { statusCode, headers, body } = await posted(path, fields)
      const { date: _, 'x-request-id': __, ...same } = headers
      answers.push({ statusCode, body, same, statements: [] })
    })
    answers.at(-1)!.statements = statements
  }
  assert.equal(answers[0]!.statusCode, 202)
  // One walk for all of them takes one time for all of them, and looks at nobody.
  assert.ok(answers[0]!.statements.includes('insert_form_submission'))
  assert.ok(answers[0]!.statements.every((statement) => !/contact|block|suppress|unsub|people/.test(statement)))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  await answerAll()
  assert.deepEqual(
    (await submissions()).map(({ state, reason, content }) => [state, reason, content !== null]),
    [
      ['refused', 'blocked', false],
      ['pending', null, true],
      ['pending', null, true],
      ['pending', null, true],
      ['refused', 'suppressed', false],
      ['refused', 'unsubscribed', false],
      ['refused', 'blocked', false],
      ['refused', 'address_budget', false],
    ],
  )
  const addresses = (await mails()).map(({ destination }) => destination)
  assert.deepEqual(addresses, ['', 'asked@example.com', 'new@example.com', 'known@example.com', '', ''])
  assert.equal(form.state, 'active')
})

test('a confirmation fills the blanks of a contact, changes nothing else, and takes nobody’s number', async () => {
  const { caller, workspaceId, query, form, submit, submissions, linkOf, contacts } = await world()
  await query(`insert into custom_fields (workspace_id, key, name, type, declared)
    values ($1, 'company', 'Company', 'string', true), ($1, 'size', 'Size', 'number', true)`)
  const fields = ['firstName', 'phone', 'custom:company', 'custom:size'].map((field) => ({ field }))
  await updateForm(deps, caller, { id: form.id, change: { fields } })
  await createContact({ sql: pool }, caller, { email: 'ada@example.com', customFields: { company: 'Engines' } })
  await createContact({ sql: pool }, caller, { phone: '+44 1' })
  const refused = await submit({ email: 'ada@example.com', 'custom:size': 'many' })
  assert.deepEqual([refused.statusCode, refused.json().errors[0].pointer], [400, '/custom:size'])
  for (const email of ['ada@example.com', 'eve@example.com']) {
    await submit({ email, firstName: 'X', phone: '+44 1', 'custom:company': 'Spam', 'custom:size': '12' })
    const { id } = (await submissions()).at(-1)!
    assert.equal((await pressedOn(linkOf(id), {})).statusCode, 200)
  }
  assert.deepEqual(
    (await contacts()).map((one) => ({ ...one, customFields: JSON.parse(one.customFields as string) })),
    [
      { email: 'ada@example.com', firstName: 'X', phone: null, customFields: { company: 'Engines', size: 12 } },
      { email: null, firstName: null, phone: '+44 1', customFields: {} },
      { email: 'eve@example.com', firstName: 'X', phone: null, customFields: { company: 'Spam', size: 12 } },
    ],
  )
  assert.ok(workspaceId)
})

test('both doors have every check, and a form that we have not shown is shown first', async () => {
  const { path, form, token, mails, submissions, answerAll, outcomes } = await world({
    allowedOrigins: ['https://*.shop.example'],
  })
  const own = { origin: 'https://www.shop.example' }
  const trap = honeypotOf(form.key)
  const good = await token()
  const other = await (await world()).token()
  const email = 'ada@example.com'
  const young = (await got(path, own)).json().renderToken
  const cases: [Record<string, string>, Record<string, string>, number, number][] = [
    [{ email, renderToken: good }, { origin: 'https://shop.example.evil.example' }, 403, 403],
    [{ email, renderToken: good }, {}, 403, 403],
    [{ email }, own, 422, 422],
    [{ email, renderToken: other }, own, 422, 422],
    [{ email, renderToken: `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}` }, own, 422, 422],
    [{ email, renderToken: good.replace(/^1\./, '11.') }, own, 422, 422],
    [{ email, renderToken: young }, own, 422, 422],
    [{ email, renderToken: good, [trap]: 'http://spam.example' }, own, 202, 303],
    [{ email: 'ada@', renderToken: good }, own, 400, 422],
    [{ email: 'ada@example.com\u0000', renderToken: good }, own, 400, 422],
    [{ renderToken: good }, own, 400, 422],
    [{ email: 'a'.repeat(16 * 1_024), renderToken: good }, own, 413, 413],
  ]
  for (const [fields, headers, json, plain] of cases) {
    assert.equal((await posted(path, fields, headers)).statusCode, json, `JSON ${JSON.stringify([fields, headers])}`)
    assert.equal((await pressed(path, fields, headers)).statusCode, plain, `plain ${JSON.stringify([fields, headers])}`)
  }
  assert.deepEqual(await submissions(), [])
  const again = await pressed(path, { email: '"><script>alert(1)</script>' }, own)
  assert.doesNotMatch(again.body, /<script/)
  const shown = await pressed(path, { email }, own)
  assert.match(shown.body, /value="ada@example\.com"[\s\S]*renderToken/)
  assert.ok((await pressed(path, { email, renderToken: young }, own)).body.includes(`value="${young}"`))
  nowMs += DAY_MS
  assert.equal((await posted(path, { email, renderToken: good }, own)).statusCode, 422)
  await answerAll()
  assert.deepEqual([await submissions(), await mails(), (await outcomes()).honeypot], [[], [], 2])
})

test('pages of allowed origins may read the definition, and nobody is led elsewhere', async () => {
  const { path, caller, form } = await world({
    allowedOrigins: ['https://shop.example'],
    successUrl: 'https://shop.example/ok',
  })
  const { headers, body } = await got(path, { origin: 'https://shop.example' })
  assert.equal(headers['access-control-allow-origin'], 'https://shop.example')
  assert.equal(headers['access-control-allow-credentials'], undefined)
  assert.equal(JSON.parse(body).fields[0].label, 'Email address')
  const evil = await got(path, { origin: 'https://evil.example' })
  assert.deepEqual([evil.statusCode, evil.headers['access-control-allow-origin']], [403, undefined])
  const asked = await app.inject({ method: 'OPTIONS', url: path, headers: { origin: 'https://shop.example' } })
  assert.deepEqual([asked.statusCode, asked.headers['access-control-max-age']], [204, '7200'])
  const page = await got(`/f/${form.key}?successUrl=https://evil.example&next=//evil.example`)
  assert.doesNotMatch(page.body, /evil/)
  assert.match(page.headers['content-security-policy'] as string, /form-action 'self' https:\/\/shop\.example;/)
  for (const url of ['http://shop.example', 'javascript:alert(1)', 'https://user@shop.example', '//evil.example']) {
    await assert.rejects(
      updateForm(deps, caller, { id: form.id, change: { successUrl: url } }),
      /must be an https address/,
    )
  }
  await updateForm(deps, caller, { id: form.id, change: { state: 'paused' } })
  assert.match((await got(`/f/${form.key}`)).body, /This form is closed/)
  assert.equal((await posted(path, {}, { origin: 'https://shop.example' })).statusCode, 404)
  for (const url of ['/f/prf_nobody', `/f/${form.key.slice(0, -1)}`, '/collect/forms/x']) {
    assert.equal((await got(url)).statusCode, 404, url)
  }
})

test('bombing an address, or many from many networks, stays within the budgets of mails', async () => {
  const worlds: Awaited<ReturnType<typeof world>>[] = []
  while (worlds.length < 7) worlds.push(await world())
  const renderTokens = await Promise.all(worlds.map(({ token }) => token()))
  const spellings = (n: number) => ['victim@example.com', `vic.tim+${n}@example.com`, 'VICTIM@example.com'][n % 3]!
  const bomb = async (times: number) => {
    await inLanes(times, async (n) => {
      const at = n % worlds.length
      await worlds[at]!.submit({ email: spellings(n) }, { renderToken: renderTokens[at]! })
    })
    for (const { answerAll } of worlds) await answerAll(LANES)
  }
  await bomb(BOMBS)
  const sums = await Promise.all(worlds.map(async ({ mails }) => (await mails()).length))
  assert.deepEqual(sums, [1, 1, 1, 1, 1, 0, 0])
  const many: number[] = []
  const { submit, answerAll, mails, outcomes } = worlds[0]!
  for (let n = 0; n < 30; n++) {
    const renderToken = renderTokens[0]!
    many.push((await submit({ email: `p${n}@many.example` }, { ip: `203.0.113.${n % 2}`, renderToken })).statusCode)
  }
  await answerAll()
  assert.deepEqual(
    [many.filter((status) => status === 202).length, many.filter((status) => status === 429).length],
    [20, 10],
  )
  assert.equal((await mails()).length, 21)
  assert.equal((await outcomes()).crowd, 10)
  nowMs += HOUR_MS
  const later = await worlds[0]!.token()
  assert.equal((await submit({ email: 'q@many.example' }, { ip: '203.0.113.1', renderToken: later })).statusCode, 202)
})

/** As a browser of ALTCHA does it. */
async function solved(path: string, renderToken: string): Promise<{ altcha: string; challenge: Challenge }> {
  const challenge = (await posted(`${path}/challenge`, { renderToken })).json() as Challenge
  const solution = await solveChallenge({ challenge, deriveKey })
  return { challenge, altcha: Buffer.from(JSON.stringify({ challenge, solution })).toString('base64') }
}

test('who has confirmed is asked again on the same day, and nobody else is', async () => {
  const { submit, submissions, linkOf, mails, answerAll } = await world()
  const signUp = async () => {
    await submit({ email: 'ada@example.com' })
    await answerAll()
    return (await submissions()).at(-1)!
  }
  await pressedOn(linkOf((await signUp()).id), {})
  assert.deepEqual([(await signUp()).state, (await mails()).length], ['pending', 2])
  assert.equal((await signUp()).reason, 'address_budget')
})

test('a challenge is ALTCHA’s, and its solution is good once, for one form as it was shown', async () => {
  const { path, token, submissions, outcomes } = await world({ challenge: 'adaptive' })
  const other = await world({ challenge: 'adaptive' })
  const renderToken = await token()
  const { altcha, challenge } = await solved(path, renderToken)
  const { solution } = JSON.parse(Buffer.from(altcha, 'base64').toString())
  const [secrets] = challengeSecrets(keys)
  const hmacs = { hmacSignatureSecret: secrets!.challenge, hmacKeySignatureSecret: secrets!.key }
  const verified = await verifySolution({ challenge, solution, deriveKey, ...hmacs })
  assert.equal(verified.verified, true)

  const bent = (change: object, from: object = solution) =>
    Buffer.from(
      JSON.stringify({
        challenge: { ...challenge, parameters: { ...challenge.parameters, ...change } },
        solution: from,
      }),
    ).toString('base64')
  const email = 'ada@example.com'
  const cases: [string, string, string, unknown][] = [
    ['none', path, renderToken, undefined],
    ['no base64', path, renderToken, '%%%'],
    ['no solution', path, renderToken, bent({}, {})],
    ['a wrong key', path, renderToken, bent({}, { counter: 1, derivedKey: '00'.repeat(32) })],
    ['less work', path, renderToken, bent({ cost: 1 })],
    ['more time', path, renderToken, bent({ expiresAt: 9_999_999_999 })],
    ['spliced', path, renderToken, bent({ nonce: challenge.parameters.nonce + challenge.parameters.salt, salt: '' })],
    ['of another showing', path, await token(), altcha],
    ['of another form', other.path, await other.token(), altcha],
  ]
  for (const [what, to, shown, given] of cases) {
    const body = { email, renderToken: shown, ...(given === undefined ? {} : { altcha: given }) }
    assert.deepEqual([what, (await posted(to, body)).json().code], [what, 'challenge-failed'])
    const plain = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
    const page = await pressed(to, plain, { origin: given === undefined ? 'https://shop.example' : baseUrl.origin })
    assert.deepEqual([what, page.statusCode], [what, 422])
  }
  const faulty = await posted(path, { email: 'ada@', renderToken, altcha })
  assert.deepEqual([faulty.statusCode, faulty.json().code], [400, 'invalid-request'])
  assert.equal((await posted(path, { email, renderToken, altcha })).statusCode, 202)
  assert.equal((await posted(path, { email: 'eve@example.com', renderToken, altcha })).json().code, 'challenge-failed')
  assert.equal((await submissions()).length, 1)
  assert.ok((await outcomes()).challenge! > cases.length)

  const late = await solved(path, renderToken)
  nowMs += HOUR_MS
  assert.equal((await posted(path, { email, renderToken, altcha: late.altcha })).json().code, 'challenge-failed')
})

test('a form that is filled in far more than usual is under attack, and asks for more work', async () => {
  const { form, workspaceId, query } = await world({ challenge: 'adaptive' })
  const stats = () => formStats(deps, workspaceId, { id: form.id, days: 7 })
  const count = (hours: number, total: number) =>
    query(
      `insert into form_hours (workspace_id, form_id, hour, outcome, total)
       values ($1, $2, date_trunc('hour', $3::timestamptz, 'UTC'), 'honeypot', $4)`,
      [form.id, new Date(nowMs - hours * HOUR_MS).toISOString(), total],
    )
  assert.equal((await stats()).underAttack, false)
  await count(0, 61)
  assert.equal((await stats()).underAttack, true)
  await count(50, 84 * 30)
  assert.equal((await stats()).underAttack, false)
  await count(1, 30)
  assert.equal((await stats()).underAttack, true)
})

test('without a script our own page takes one submission a day from a network, and asks ten minutes later', async () => {
  const { form, path, workspaceId, submissions } = await world({ challenge: 'adaptive' })
  const page = await got(`/f/${form.key}`)
  const renderToken = /name="renderToken" value="([^"]+)"/.exec(page.body)![1]!
  nowMs += 3_000
  const { rows: began } = await pool.query<{ at: string }>('select clock_timestamp()::text as at')
  const beganAt = began[0]!.at
  const press = (email: string) => pressed(path, { email, renderToken }, { ip: '192.0.2.7', origin: baseUrl.origin })
  assert.deepEqual([(await press('a@example.com')).statusCode, (await press('b@example.com')).statusCode], [303, 429])
  const host = { host: 'mail.internal', origin: 'http://mail.internal' }
  const own = await pressed(path, { email: 'a@example.com', renderToken }, host)
  const stranger = await pressed(
    path,
    { email: 'a@example.com', renderToken },
    { ...host, origin: 'http://x.internal' },
  )
  assert.deepEqual([own.statusCode, stranger.statusCode, (await submissions()).length], [303, 422, 2])
  const { rows } = await pool.query(
    `select start_after >= $2::timestamptz + interval '10 minutes' as late from jobs.job_common
     where data ->> 'kind' = 'answer_form_submission' and group_id = $1`,
    [workspaceId, beganAt],
  )
  assert.deepEqual(rows, [{ late: true }, { late: true }])
  const { submitted, mailed, waiting } = await formStats(deps, workspaceId, { id: form.id, days: 2 })
  assert.deepEqual([submitted, mailed, waiting], [2, 0, 2])
})

test('mails beyond what goes to a domain or of a form in an hour go in the hours after, and no more in any', async () => {
  const cases = [{ domains: 1, anHour: 100 }, ...(BOMBS > 500 ? [{ domains: 1_000, anHour: 500 }] : [])]
  for (const { domains, anHour } of cases) {
    const { submit, token, answerAll, query, submissions } = await world()
    const renderToken = await token()
    const networks = Array.from({ length: Math.ceil(BOMBS / 10) }, nextIp)
    await inLanes(BOMBS, async (n) => {
      const email = `p${n}@${domains}-${n % domains}.example`
      await submit({ email }, { renderToken, ip: networks[n % networks.length]! })
    })
    assert.equal((await submissions()).length, BOMBS)
    await answerAll(LANES)
    const due = await query<{ late: number; count: number }>(
      `select round(extract(epoch from due_at - $2::timestamptz) / 3600)::int as late, count(*)::int as count
       from message_queue where workspace_id = $1 group by 1 order by 1`,
      [new Date(nowMs).toISOString()],
    )
    const hours = Array.from({ length: Math.ceil(BOMBS / anHour) }, (_, late) => {
      return { late, count: Math.min(anHour, BOMBS - late * anHour) }
    })
    assert.deepEqual(due, hours)
  }
})

test('places that wait are counted until they are gone, and nobody waits for longer than may be', async () => {
  const subject = randomBytes(32)
  const pace = { subject, limit: 2, seconds: 3_600 }
  const beganMs = Math.floor(nowMs / 1_000) * 1_000
  const hoursAt = async (nowHours: number, times: number) => {
    const hours: (number | undefined)[] = []
    for (let n = 0; n < times; n++) {
      const at = { nowMs: beganMs + nowHours * HOUR_MS, waitMsMax: 3 * HOUR_MS }
      const placeMs = await inTransaction(pool, ALL_WORKSPACES, (tx) => takePlaces(tx, [pace], at))
      hours.push(placeMs && Math.round(((placeMs - beganMs) / HOUR_MS) * 100) / 100)
    }
    return hours
  }
  assert.deepEqual(await hoursAt(0, 5), [0, 0, 1, 1, 2])
  // An hour on, the places that were taken before are still taken.
  assert.deepEqual(await hoursAt(1.5, 4), [2, 3, 3, 4])
  assert.deepEqual(await hoursAt(1.5, 3), [4, undefined, undefined])
  assert.deepEqual(await hoursAt(2, 3), [5, 5, undefined])
  assert.deepEqual(await hoursAt(9.5, 3), [9.5, 9.5, 10.5])
})

test('nobody can confirm after seven days, and then nothing of what was filled in is left', async () => {
  const { submit, answerAll, submissions, linkOf, mails, contacts, outcomes } = await world()
  await submit({ email: 'late@example.com' })
  await answerAll()
  const id = (await submissions())[0]!.id
  nowMs += 7 * DAY_MS
  assert.match((await pressedOn(linkOf(id), {})).body, /came too late[\s\S]*href="\/f\/prf_/)
  assert.ok(await expireFormSubmissions(deps, () => false))
  const [submission] = await submissions()
  assert.deepEqual([submission!.state, submission!.content], ['expired', null])
  assert.deepEqual([(await mails())[0]!.destination, await contacts()], ['', []])
  assert.equal((await outcomes()).expired, 1)
  nowMs += 90 * DAY_MS
  assert.ok(await expireFormSubmissions(deps, () => false))
  assert.deepEqual(await submissions(), [])
})

test('however many budgets an attack has left, they go in steps', async () => {
  await pool.query(`create table budgets_gone (rows int not null);
    create function note_gone() returns trigger language plpgsql as $$ begin
      insert into budgets_gone select count(*) from gone; return null; end $$;
    create trigger noted after delete on form_budgets referencing old table as gone
      for each statement execute function note_gone();
    insert into form_budgets (subject, ends_at, used)
      select sha256(n::text::bytea), '2020-01-01', 1 from generate_series(1, 12000) n`)
  assert.ok(await expireFormSubmissions(deps, () => false))
  const { rows } = await pool.query('select sum(rows)::int as gone, max(rows) as most from budgets_gone')
  assert.ok(rows[0].gone >= 12_000 && rows[0].most <= 5_000, JSON.stringify(rows[0]))
  await pool.query('drop trigger noted on form_budgets')
})

test('a browser that is forgotten while its form waits is nobody’s once that is confirmed', async () => {
  const { workspaceId, submit, answerAll, submissions, linkOf, contacts, query } = await world()
  const visitorId = 'f'.repeat(32)
  for (const email of ['one@example.com', 'two@example.com']) await submit({ email, visitorId })
  await answerAll()
  await forgetVisitor({ sql: pool, forgetBrowser }, { workspaceId }, visitorId)
  for (const { id } of await submissions()) assert.match((await pressedOn(linkOf(id), {})).body, /Thank you/)
  assert.equal((await contacts()).length, 2)
  assert.deepEqual(await query('select from visitors where workspace_id = $1'), [])
})

test('a version that knows of no browsers ends submissions as it did, and their browsers are cleared', async () => {
  const { submit, query } = await world()
  const visitorId = 'e'.repeat(32)
  for (const n of [1, 2, 3, 4]) await submit({ email: `${n}@example.com`, visitorId })
  const ends = [`'confirmed', confirmed_at = now()`, `'refused', reason = 'blocked'`, `'expired'`]
  for (const end of ends) {
    await query(
      `update form_submissions set content = null, state = ${end} where workspace_id = $1 and id = (
        select min(id) from form_submissions where workspace_id = $1 and state = 'pending')`,
    )
  }
  assert.ok(await expireFormSubmissions(deps, () => false))
  const left = await query('select state from form_submissions where workspace_id = $1 and visitor_id is not null')
  assert.deepEqual(left, [{ state: 'pending' }])
})

test('versions keep what somebody agreed to', async () => {
  const { caller, form, token, submit, submissions, linkOf } = await world()
  const renderToken = await token()
  const changed: Form = await updateForm(deps, caller, { id: form.id, change: { consentWording: 'Every hour.' } })
  assert.deepEqual([changed.version, changed.consentWording], [2, 'Every hour.'])
  await submit({ email: 'ada@example.com' }, { renderToken })
  const id = (await submissions())[0]!.id
  assert.match((await pressedOn(linkOf(id), {})).body, /Once a month/)
})

test('the history of a person has each form that they confirmed by, with its words, also when it is deleted', async () => {
  const { caller, form, workspaceId, query, submit, submissions, linkOf } = await world()
  const signUp = async () => {
    await submit({ email: 'ada@example.com' })
    await pressedOn(linkOf((await submissions()).at(-1)!.id), {})
  }
  await signUp()
  await updateForm(deps, caller, { id: form.id, change: { name: 'Header', consentWording: 'Twice a month.' } })
  await signUp()
  const [contact] = await query<{ id: string }>('select id from contacts where workspace_id = $1')
  const isTold = async (formName: string | null) => {
    const { items } = await listConsents(pool, workspaceId, { contactId: contact!.id, page: 1, pageSize: 5 })
    const told = items.map((one) => [one.change, one.formId, one.formName, one.wording])
    const words = ['Twice a month.', WORDING].map((wording) => ['confirmed', form.id, formName, wording])
    assert.deepEqual(told, words)
  }
  await isTold('Header')
  await deleteForm(deps, caller, { id: form.id })
  await dropForm(pool, { workspaceId, formId: form.id }, () => false)
  await isTold(null)
})

test('who says that it was not they speaks for one spelling, which others are not', async () => {
  const { submit, submissions, answerAll, mails, linkOf } = await world()
  for (const email of ['a.da@example.com', 'a.da@example.com', 'ada@example.com']) {
    await submit({ email })
    await answerAll()
    nowMs += DAY_MS
  }
  const ids = (await submissions()).map(({ id }) => id)
  assert.equal((await pressedOn(linkOf(ids[0]!), { notMe: 'yes' })).statusCode, 200)
  assert.deepEqual(
    (await submissions()).map(({ reason, content }) => [reason, content !== null]),
    [
      ['blocked', false],
      ['blocked', false],
      [null, true],
    ],
  )
  assert.deepEqual(
    (await mails()).map(({ destination }) => destination),
    ['', '', 'ada@example.com'],
  )
  assert.match((await pressedOn(linkOf(ids[2]!), {})).body, /Once a month/)
})

test('a form that is deleted is nobody’s at once, and its submissions go in steps', async () => {
  const { workspaceId, caller, form, path, submit, submissions, answerAll, mails, linkOf, query, contacts } =
    await world()
  for (const email of ['yes@example.com', 'later@example.com', 'unasked@example.com']) {
    await submit({ email })
    if (email !== 'unasked@example.com') await answerAll()
  }
  const [yes, later] = await submissions()
  await pressedOn(linkOf(yes!.id), {})
  const second = await createForm(deps, caller, { name: 'Other', consentWording: WORDING })
  await deleteForm(deps, caller, { id: form.id })
  await assert.rejects(readForm(deps, workspaceId, form.id), { code: 'not-found' })
  const { items, total } = await listForms(deps, workspaceId, { page: 1, pageSize: 10 })
  assert.deepEqual([items.map(({ id }) => id), total], [[second.id], 1])
  assert.deepEqual([(await got(path)).statusCode, (await got(`/f/${form.key}`)).statusCode], [404, 404])
  await answerAll()
  assert.equal((await mails()).length, 2)
  assert.equal((await got(linkOf(later!.id))).statusCode, 404)
  assert.equal(await dropForm(pool, { workspaceId, formId: form.id }, () => true), 'more')
  assert.equal(await dropForm(pool, { workspaceId, formId: form.id }, () => false), 'done')
  const left = await query(
    `select id from forms where workspace_id = $1 and id = $2 union all select form_id from form_versions
     where workspace_id = $1 and form_id = $2 union all select form_id from form_hours where workspace_id = $1 and form_id = $2`,
    [form.id],
  )
  assert.deepEqual([left, await submissions()], [[], []])
  assert.deepEqual(
    (await mails()).map(({ destination }) => destination),
    ['yes@example.com', ''],
  )
  assert.equal((await contacts()).length, 1)
})

test('a receipt follows its contact, is shown to the person, and goes with them', async () => {
  const { workspaceId, caller, submit, submissions, answerAll, mails, linkOf, query } = await world()
  const forms = formsOfPeople({ keys, secrets: deps.secrets })
  const personal = { sql: pool, forms, enqueueSweep: async () => undefined }
  await submit({ email: 'ada@example.com' })
  await answerAll()
  await pressedOn(linkOf((await submissions())[0]!.id), {})
  nowMs += DAY_MS
  await submit({ email: 'Ada@example.com' })
  await submit({ email: 'a.da@example.com' })
  const [old] = await query<{ id: string }>('select id from contacts where workspace_id = $1')
  const survivor = await createContact({ sql: pool }, caller, { subjectId: 'shop-1' })
  await mergeContacts(personal, caller, { id: survivor.id, otherId: old!.id })
  const { formSubmissions } = await exportPerson(personal, caller, { id: survivor.id })
  assert.deepEqual(
    formSubmissions.map(({ state, consentWording, values }) => [state, consentWording, values?.email]),
    [
      ['pending', WORDING, 'ada@example.com'],
      ['confirmed', WORDING, undefined],
    ],
  )
  await answerAll()
  await erasePerson(personal, caller, { id: survivor.id })
  const { rows } = await pool.query<{ payload: string }>(
    `select data ->> 'payload' as payload from jobs.job_common
     where data ->> 'kind' = 'forget_form_submissions' and group_id = $1`,
    [workspaceId],
  )
  assert.doesNotMatch(rows[0]!.payload, /example/)
  // The clock of the process that took them in is ahead of the database's. Somebody new fills in the form afterwards.
  const [last] = await query<{ at: string }>(
    'select max(created_at) as at from form_submissions where workspace_id = $1',
  )
  assert.ok(Date.parse(last!.at) > Date.now())
  await submit({ email: 'ada@example.com' })
  const payload = JSON.parse(rows[0]!.payload) as Parameters<typeof forgetFormSubmissions>[1]
  assert.equal(await forgetFormSubmissions(pool, payload, () => false), 'done')
  assert.equal((await submissions()).length, 2, 'of another address, and of somebody new')
  assert.deepEqual(
    (await mails()).map(({ destination }) => destination),
    ['ada@example.com', ''],
  )
})

test('owners are told once a day that a form is filled in far more than usual', async () => {
  const popular = await world()
  await popular.query(
    `insert into form_hours (workspace_id, form_id, hour, outcome, total)
     select $1, $2, date_trunc('hour', $3::timestamptz, 'UTC') - make_interval(hours => ago), 'submitted', total
     from (values (0, 61), (50, 84 * 30)) h (ago, total)`,
    [popular.form.id, new Date(nowMs).toISOString()],
  )
  const { form, workspaceId, query } = await world()
  await query(
    `with u as (insert into users (email, name, password_hash) values ('form-owner@example.com', 'Owner', '$argon2id$none') returning id)
     insert into memberships (workspace_id, user_id, role) select $1, id, 'owner' from u`,
  )
  const told: string[] = []
  const mailer = { queue: async (_tx: unknown, mail: SystemMail) => void told.push(mail.recipient) }
  const look = () => tellAttacked({ pool, mailer, now: () => nowMs, pageSize: 1 })
  const attack = (outcome: string) =>
    query(
      `insert into form_hours (workspace_id, form_id, hour, outcome, total)
       values ($1, $2, date_trunc('hour', $3::timestamptz, 'UTC'), $4, 61)`,
      [form.id, new Date(nowMs).toISOString(), outcome],
    )
  await look()
  await attack('honeypot')
  for (let n = 0; n < 2; n++) await look()
  assert.deepEqual(told, ['form-owner@example.com'])
  nowMs += 40 * DAY_MS
  await look()
  await attack('crowd')
  await look()
  assert.equal(told.length, 2)
  assert.ok(workspaceId)
})
