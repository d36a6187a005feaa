import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { pressOnPage } from '../../../test/support/press-on-page.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { sendJobs } from '../../../test/support/turn-jobs.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { listConsents } from '../consents/list-consents.ts'
import { recordConsents } from '../consents/record-consents.ts'
import { createContact } from '../contacts/create-contact.ts'
import { upsertBatch } from '../contacts/upsert-batch.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import type { ClaimedMessage, MessageContent } from '../sending/message-source.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { unsubscribe } from '../unsubscribes/unsubscribe.ts'
import { updateWorkspace } from '../workspaces/manage-workspaces.ts'
import { confirmPages } from './confirm-pages.ts'
import { confirmationSource, confirmPath } from './confirmation-source.ts'
import { grandfatherContacts } from './grandfather-contacts.ts'
import type { RequestRow } from './queries.ts'
import { askNewContacts, requestConfirmation } from './request-confirmations.ts'
import { readSettings, updateSettings } from './update-settings.ts'

const { pool } = await testWorkspace()
await migrateJobs(pool, ['default'])
const keys = createLinkKeys({ sql: pool, keys: secretKeys([{ id: 'k1', key: randomBytes(32) }]) })
await keys.ready()
const contactDeps = { sql: pool, onCreated: askNewContacts }
const app = quietServer({ trustProxy: true, https: true })
confirmPages(app, { sql: pool, keys })
await app.ready()
after(() => app.close())

/** A workspace of the test's own, with double opt-in on or off. */
async function world({ doubleOptIn = true } = {}) {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const settings = { sql: pool }
  const set = (change: Parameters<typeof updateSettings>[2]['change'], ifMatch?: string) =>
    updateSettings(settings, caller, { change, ifMatch })
  if (doubleOptIn) await set({ doubleOptIn })
  const query = <R extends object>(text: string, values: unknown[] = []) =>
    queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
  const contact = async (email: string | null) =>
    (await createContact(contactDeps, caller, { email, subjectId: `s-${email}` })).id
  const requests = () =>
    query<RequestRow>(
      `select id, contact_id as "contactId", destination, message_id as "messageId", requested_at as "requestedAt",
        confirmed_at as "confirmedAt", topic_id as "topicId" from confirmation_requests where workspace_id = $1 order by id`,
    )
  const asked = async () => (await requests()).map(({ destination }) => destination)
  const history = async (contactId: string) => {
    const { items } = await listConsents(pool, workspaceId, { contactId, page: 1, pageSize: 25 })
    return items.map(({ change, byWhom, ip }) => [change, byWhom, ip].filter(Boolean).join(' ')).reverse()
  }
  const consents = () =>
    query<{ id: string; provenance: string }>(
      'select contact_id as id, provenance from contact_consents where workspace_id = $1 order by contact_id',
    )
  const confirmed = async () => {
    const rows = await query<{ data: string }>(
      `delete from outbox where workspace_id = $1 and name = 'marketing.confirmed' returning data`,
    )
    return rows.map(({ data }) => JSON.parse(data))
  }
  const inTx = <T>(work: Parameters<typeof inTransaction<T>>[2]) => inTransaction(pool, workspaceId, work)
  const linkOf = (request: RequestRow) => `/${confirmPath(keys.current(), workspaceId, request)}`
  return {
    workspaceId,
    caller,
    set,
    query,
    contact,
    requests,
    asked,
    history,
    consents,
    confirmed,
    inTx,
    linkOf,
    settings,
  }
}

test('with double opt-in on new contacts are asked once, by a message of the transactional lane', async () => {
  const { caller, contact, asked, query, history } = await world()
  const id = await contact('ada@example.com')
  await contact(null)
  const jobs = await sendJobs(pool)
  assert.equal(jobs.filter(({ workspaceId }) => workspaceId === caller.workspaceId).length, 1)
  const items = [
    { email: 'ada@example.com', firstName: 'Ada' },
    { email: 'bob@example.com' },
    { email: 'BOB@example.com' },
  ]
  await upsertBatch(contactDeps, caller, { contacts: items })
  assert.deepEqual(await asked(), ['ada@example.com', 'bob@example.com'])
  const messages = await query(`select purpose, source_kind, state from messages where workspace_id = $1`)
  assert.deepEqual(messages, Array(2).fill({ purpose: 'system', source_kind: 'confirmation', state: 'pending' }))
  assert.deepEqual(await history(id), ['requested system'])
})

test('without double opt-in nobody is asked, unless somebody of the workspace asks', async () => {
  const { caller, contact, asked, requests } = await world({ doubleOptIn: false })
  const id = await contact('ada@example.com')
  assert.deepEqual(await asked(), [])
  const requested = await requestConfirmation({ sql: pool }, caller, id)
  assert.equal(requested.state, 'pending')
  assert.deepEqual(await requests(), [{ ...(({ state: _, ...row }) => row)(requested) }])
})

test('nobody is asked twice within ten minutes, without an address, or after they have confirmed', async () => {
  const { caller, contact, workspaceId, inTx, query } = await world({ doubleOptIn: false })
  const ask = (id: string) => requestConfirmation({ sql: pool }, caller, id)
  const id = await contact('ada@example.com')
  const answers = await Promise.allSettled([ask(id), ask(id), ask(id)])
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1)
  await assert.rejects(ask(id), { statusCode: 429 })
  await query(
    `update confirmation_requests set requested_at = requested_at - interval '11 minutes' where workspace_id = $1`,
  )
  await ask(id)
  await assert.rejects(ask(await contact(null)), { statusCode: 422 })
  await assert.rejects(ask('99999'), { statusCode: 404 })
  const bob = await contact('bob@example.com')
  await inTx((tx) => recordConsents(tx, workspaceId, [{ contactId: bob, provenance: 'double_opt_in', facts: {} }]))
  await assert.rejects(ask(bob), { statusCode: 422 })
})

test('an address that is suppressed or wants nothing is not mailed', async () => {
  const { caller, contact, query } = await world({ doubleOptIn: false })
  await query(`insert into suppressions (workspace_id, destination, reason) values ($1, 'gone@example.com', 'bounce')`)
  await query(
    `insert into unsubscribes (workspace_id, destination, sending_source) values ($1, 'no@example.com', 'everything')`,
  )
  const ask = async (email: string) => (await requestConfirmation({ sql: pool }, caller, await contact(email))).state
  assert.deepEqual([await ask('gone@example.com'), await ask('no@example.com')], ['suppressed', 'skipped'])
})

test('the mail asks by a link that shows a page, and only its button confirms', async () => {
  const { workspaceId, contact, requests, inTx, consents, confirmed, history } = await world()
  const id = await contact('ada@example.com')
  const [request] = await requests()
  const source = confirmationSource({ keys, baseUrl: new URL('https://mail.example.com/'), ofForms: async () => [] })
  const message = { workspaceId, id: request!.messageId, destination: 'ada@example.com' } as ClaimedMessage
  const prepared = await inTx((tx) =>
    source.prepare(tx, { workspaceId, messages: [message], sender: { email: 'hello@shop.example', name: null } }),
  )
  await prepared.finish?.()
  const { contentOf } = prepared
  const content = (await contentOf(message)) as MessageContent
  assert.deepEqual(content.to, [{ address: 'ada@example.com', name: null }])
  assert.match(content.subject, /confirm/)
  const [url = ''] = content.text!.match(/https:\S+/) ?? []
  assert.ok(content.html!.includes(url))
  assert.ok(!('oneClickUrl' in content), 'it is no marketing mail')
  assert.deepEqual(await contentOf({ ...message, id: '999999' }), {
    fault: 'contact_gone',
    detail: 'the contact is no more',
  })

  const path = new URL(url).pathname
  for (const method of ['GET', 'HEAD'] as const) {
    assert.equal((await app.inject({ method, url: path })).statusCode, 200)
  }
  assert.deepEqual(await consents(), [])
  const post = () => pressOnPage(app, { url: path, headers: { 'x-forwarded-for': '203.0.113.9' } })
  const answers = await Promise.all([post(), post(), post()])
  for (const { statusCode, body } of answers) assert.ok(statusCode === 200 && body.includes('Thank you'))
  assert.deepEqual(await consents(), [{ id, provenance: 'double_opt_in' }])
  const common = { workspaceId: Number(workspaceId), contactId: Number(id), email: 'ada@example.com' }
  assert.deepEqual(await confirmed(), [{ ...common, provenance: 'double_opt_in', ip: '203.0.113.9' }])
  assert.deepEqual(await history(id), ['requested system', 'confirmed person 203.0.113.9'])
})

test('mail and pages carry the mark of the workspace, and who has confirmed goes on where it says', async () => {
  const { workspaceId, contact, requests, inTx, linkOf, query } = await world()
  await contact('ada@example.com')
  await query(`update workspaces set name = 'Ada & Söhne', language = 'de', color = '#ffee00',
    logo_url = 'https://cdn.example/l.png', confirmed_url = 'https://shop.example/danke' where id = $1`)
  const [request] = await requests()
  const source = confirmationSource({ keys, baseUrl: new URL('https://mail.example.com/'), ofForms: async () => [] })
  const message = { workspaceId, id: request!.messageId, destination: 'ada@example.com' } as ClaimedMessage
  const sender = { email: 'hello@shop.example', name: null }
  const { contentOf } = await inTx((tx) => source.prepare(tx, { workspaceId, messages: [message], sender }))
  const { subject, html, text, from } = (await contentOf(message)) as MessageContent
  assert.equal(from.name, 'Ada & Söhne')
  assert.equal(subject, 'Bitte bestätigen: Mails von Ada & Söhne')
  assert.match(text!, /Der Link gilt 7 Tage\./)
  assert.match(String(html), /lang="de".*https:\/\/cdn\.example\/l\.png.*background:#ffee00;color:#000000/s)
  const page = await app.inject({ method: 'GET', url: linkOf(request!) })
  assert.match(page.body, /Sind diese Mails erwünscht\?/)
  assert.match(String(page.headers['content-security-policy']), /form-action 'self' https:\/\/shop\.example;/)
  const done = await app.inject({ method: 'POST', url: linkOf(request!) })
  assert.deepEqual([done.statusCode, done.headers.location], [303, 'https://shop.example/danke'])
  assert.match((await app.inject({ method: 'GET', url: linkOf(request!) })).body, /Danke/)
  await query(`update workspaces set confirmed_url = 'https://shop.example/спасибо' where id = $1`)
  const far = await app.inject({ method: 'POST', url: linkOf(request!) })
  assert.deepEqual(
    [far.statusCode, far.headers.location],
    [303, 'https://shop.example/%D1%81%D0%BF%D0%B0%D1%81%D0%B8%D0%B1%D0%BE'],
  )
})

test('addresses that readers are led to are kept as they go over the wire, and colours by names of their own', async () => {
  const { caller } = await world()
  const set = (confirmedUrl: string) =>
    updateWorkspace({ sql: pool }, caller, { change: { confirmedUrl }, requireMatchOf: () => undefined })
  const { confirmedUrl } = await set('https://shöp.example/ありがとう')
  assert.equal(confirmedUrl, 'https://xn--shp-tna.example/%E3%81%82%E3%82%8A%E3%81%8C%E3%81%A8%E3%81%86')
  await assert.rejects(set('https://'), { statusCode: 400 })
  const colors = (...names: string[]) =>
    updateWorkspace({ sql: pool }, caller, {
      change: { palette: names.map((name) => ({ name, color: '#2F6F4F' })) },
      requireMatchOf: () => undefined,
    })
  assert.deepEqual((await colors('Moss')).palette, [{ name: 'Moss', color: '#2f6f4f' }])
  await assert.rejects(colors('Moss', 'Sun', 'moss'), { statusCode: 400 })
  await assert.rejects(set(`https://shop.example/${'あ'.repeat(1_000)}`), { statusCode: 400 })
})

test('who confirms after an unsubscribe gets mail again, and an imported consent becomes a seen one', async () => {
  const { workspaceId, contact, requests, inTx, consents, linkOf, query } = await world()
  const id = await contact('ada@example.com')
  await inTx((tx) => recordConsents(tx, workspaceId, [{ contactId: id, provenance: 'imported', facts: {} }]))
  const wish = { destination: 'ada@example.com', messageId: null, byWhom: 'person', ip: null } as const
  await inTx((tx) => unsubscribe(tx, workspaceId, { ...wish, sendingSource: 'broadcasts' }))
  const [request] = await requests()
  await app.inject({ method: 'POST', url: linkOf(request!) })
  assert.deepEqual(await query('select from unsubscribes where workspace_id = $1'), [])
  assert.deepEqual(await consents(), [{ id, provenance: 'double_opt_in' }])
})

test('who confirms while the address is suppressed is not told that mail comes, nor led to a page that may say so', async () => {
  const { contact, requests, linkOf, query } = await world()
  await contact('ada@example.com')
  const [request] = await requests()
  await query(`update workspaces set confirmed_url = 'https://shop.example/' where id = $1`)
  await query(
    `insert into suppressions (workspace_id, destination, reason) values ($1, 'ada@example.com', 'manual') returning id`,
  )
  const page = (await pressOnPage(app, { url: linkOf(request!) })).body
  assert.match(page, /It is confirmed\. For now, though, .* sends nothing to this address/)
  assert.doesNotMatch(page, /writes to you|manual|suppress/i)
  await query('delete from suppressions where workspace_id = $1 returning id')
  assert.match((await app.inject(linkOf(request!))).body, /writes to you from now on/)
})

test('what a contact was asked is asked of the one that it becomes part of, with its address', async () => {
  const { caller, contact, requests, consents, linkOf } = await world()
  const asked = await contact('ada@example.com')
  const survivor = await contact(null)
  await mergeContacts({ sql: pool, enqueueSweep: async () => undefined }, caller, { id: survivor, otherId: asked })
  const [request] = await requests()
  assert.equal(request?.contactId, survivor)
  assert.equal((await pressOnPage(app, { url: linkOf(request) })).statusCode, 200)
  assert.deepEqual(await consents(), [{ id: survivor, provenance: 'double_opt_in' }])
})

test('a link that is over confirms nothing, and sends another one on demand', async () => {
  const { contact, requests, consents, query, linkOf } = await world()
  await contact('ada@example.com')
  await query(
    `update confirmation_requests set requested_at = requested_at - interval '8 days' where workspace_id = $1`,
  )
  const [request] = await requests()
  const url = linkOf(request!)
  assert.match((await pressOnPage(app, { url })).body, /This link is over/)
  assert.deepEqual(await consents(), [])
  const again = () =>
    pressOnPage(app, {
      url,
      payload: 'again=yes',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  assert.match((await again()).body, /Look into your mail/)
  assert.equal((await again()).statusCode, 429)
  const all = await requests()
  assert.equal(all.length, 2)
  assert.match((await pressOnPage(app, { url: linkOf(all[1]!) })).body, /Thank you/)
})

test('a link to an address that the contact no longer has, of a contact that is gone, or forged leads nowhere', async () => {
  const { contact, requests, query, linkOf } = await world()
  const ada = await contact('ada@example.com')
  const bob = await contact('bob@example.com')
  const [first, second] = (await requests()).map(linkOf)
  await query(`update contacts set email = 'new@example.com' where workspace_id = $1 and id = $2`, [ada])
  await query('delete from contacts where workspace_id = $1 and id = $2', [bob])
  for (const url of [first!, second!, `${first!.slice(0, -2)}AA`, '/e/confirm/x']) {
    for (const method of ['GET', 'POST'] as const)
      assert.equal((await app.inject({ method, url })).statusCode, 404, url)
  }
})

test('who is a contact when double opt-in is switched on has agreed, save who wants nothing', async () => {
  const { workspaceId, contact, set, query, consents, history } = await world({ doubleOptIn: false })
  const ids = [await contact('a@example.com'), await contact('b@example.com'), await contact(null)]
  await query(
    `insert into unsubscribes (workspace_id, destination, sending_source) values ($1, 'b@example.com', 'everything')`,
  )
  const { updatedAt } = await set({ doubleOptIn: true })
  const later = await contact('c@example.com')
  const jobs = await pool.query(
    `select data -> 'payload' as payload from jobs.job_common where data ->> 'kind' = 'grandfather_contacts'
      and data -> 'payload' ->> 'workspaceId' = $1`,
    [workspaceId],
  )
  assert.equal(jobs.rows.length, 1)
  const input = { workspaceId, createdBefore: updatedAt! }
  assert.equal(await grandfatherContacts(pool, input, () => false), true)
  assert.equal(await grandfatherContacts(pool, input, () => false), true)
  assert.deepEqual(await consents(), [
    { id: ids[0]!, provenance: 'grandfathered' },
    { id: ids[2]!, provenance: 'grandfathered' },
  ])
  assert.deepEqual(await history(ids[0]!), ['grandfathered system'])
  assert.deepEqual(await history(later), ['requested system'])
})

test('settings are merged, audited and kept from being overwritten', async () => {
  const { set, settings, workspaceId, query } = await world({ doubleOptIn: false })
  const read = () => readSettings(settings, workspaceId)
  const defaults = {
    ...{ doubleOptIn: false, trackOpens: true, trackClicks: true, postalAddress: null },
    ...{ quietHours: null, frequencyCap: null, updatedAt: null },
  }
  assert.deepEqual(await read(), defaults)
  const changed = await set({ trackOpens: false, postalAddress: '1 Example Street' })
  assert.deepEqual(
    { ...changed, updatedAt: null },
    { ...defaults, trackOpens: false, postalAddress: '1 Example Street' },
  )
  assert.deepEqual(await set({ trackOpens: false }), changed, 'nothing changes')
  const quietHours = { from: '21:00', until: '08:00', zone: 'europe/berlin' }
  const quiet = await set({ quietHours })
  assert.deepEqual(quiet.quietHours, { ...quietHours, zone: 'Europe/Berlin' })
  assert.deepEqual(await set({ quietHours }), quiet, 'nothing changes')
  await assert.rejects(set({ quietHours: { ...quietHours, until: '21:00' } }), { statusCode: 422 })
  await assert.rejects(set({ quietHours: { ...quietHours, zone: 'Nowhere/Land' } }), { statusCode: 422 })
  await set({ quietHours: null })
  await assert.rejects(set({ trackOpens: true }, '"other"'), { statusCode: 412 })
  await Promise.all([set({ trackClicks: false }), set({ postalAddress: null })])
  assert.deepEqual({ ...(await read()), updatedAt: null }, { ...defaults, trackOpens: false, trackClicks: false })
  const entries = await query(`select action, diff from audit_entries where workspace_id = $1`)
  assert.equal(entries.length, 5)
})
