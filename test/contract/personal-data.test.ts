import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Reference, contact export document. */
const DOCUMENT = [
  'contact',
  'tags',
  // Ours.
  'topics',
  'visitors',
  'unsubscribes',
  'suppressions',
  'confirmations',
  // Ours.
  'consentChanges',
  'events',
  'outboundMessages',
  'broadcastRecipients',
  'automationRuns',
  // Ours.
  'formSubmissions',
]
const EVENT = [
  'id',
  'type',
  'action',
  'subjectId',
  'email',
  'phone',
  'visitorId',
  'source',
  'proof',
  'properties',
  'occurredAt',
  'recordedAt',
]
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/

let instance: TestedInstance
let api: DescribedApi
let n = 0

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

async function create(json: object = {}): Promise<{ id: string; subjectId: string }> {
  n++
  const { status, json: contact } = await api.call('POST', '/api/contacts', {
    json: { subjectId: `person-${n}`, ...json },
  })
  assert.equal(status, 201)
  return contact
}

async function record(subjectId: string, events: object[]): Promise<void> {
  const json = { events: events.map((event) => ({ subjectId, ...event })) }
  assert.equal((await api.call('POST', '/api/events', { json })).status, 204)
}

const timeline = (id: string, query = '') => api.call('GET', `/api/contacts/${id}/events${query}`)
const actionsOf = (answer: { json: { items: { action: string }[] } }) => answer.json.items.map(({ action }) => action)
const stored = (id: string, count: number) =>
  eventually(`${count} events in the timeline of ${id}`, async () => (await timeline(id)).json.items.length === count)
const merge = (id: string, contactId: string, given = {}) =>
  api.call('POST', `/api/contacts/${id}/merge`, { json: { contactId }, ...given })
const audited = (action: string) =>
  instance.sql<{ target_id: string; diff: object }>(
    'select target_id, diff from audit_entries where action = $1 order by id desc limit 1',
    [action],
  )

test('a timeline has the events of a contact with all their fields, newest first', async () => {
  const { id, subjectId } = await create({ email: 'timeline@example.com' })
  const body = `{"events":[{"subjectId":"${subjectId}","action":"order.paid","occurredAt":"2026-01-02T03:04:05+01:00",
    "properties":{"order":12345678901234567890}}]}`
  const headers = { 'content-type': 'application/json' }
  assert.equal((await api.call('POST', '/api/events', { body, headers })).status, 204)
  await stored(id, 2)
  const { json, text } = await timeline(id)
  assert.deepEqual(actionsOf({ json }), ['order.paid', 'contact.created'])
  const [paid, created] = json.items
  assert.deepEqual(Object.keys(paid), EVENT)
  assert.deepEqual([paid.type, paid.subjectId, paid.email, paid.phone], ['event.recorded', subjectId, null, null])
  assert.equal(paid.occurredAt, '2026-01-02T02:04:05Z')
  assert.match(paid.recordedAt, UTC)
  assert.match(text, /"order":12345678901234567890}/)
  assert.deepEqual([created.type, created.email], ['contact.created', 'timeline@example.com'])
  assert.equal('nextCursor' in json, false)
})

test('a timeline is paged by cursor and filtered by action and time', async () => {
  const { id, subjectId } = await create()
  const events = Array.from({ length: 7 }, (_, day) => ({
    action: day % 2 ? 'odd' : 'even',
    occurredAt: `2026-03-0${day + 1}T00:00:00Z`,
  }))
  for (const event of events) await record(subjectId, [event])
  await stored(id, 8)
  const days: string[] = []
  let cursor: string | undefined
  do {
    const { json } = await timeline(id, `?action=even&limit=3${cursor ? `&cursor=${cursor}` : ''}`)
    days.push(...json.items.map((item: { occurredAt: string }) => item.occurredAt.slice(8, 10)))
    cursor = json.nextCursor
  } while (cursor)
  assert.deepEqual(days, ['07', '05', '03', '01'])
  const between = await timeline(id, '?from=2026-03-02T00:00:00Z&to=2026-03-04T00:00:00Z')
  assert.deepEqual(actionsOf(between), ['even', 'odd'])
  assert.deepEqual((await timeline(id, '?action=nothing')).json, { items: [] })
})

test('an erasure needs its own scope, heeds If-Match and happens once', async () => {
  const { id } = await create()
  const erase = (given: object) => api.call('DELETE', `/api/contacts/${id}`, given)
  const writer = await instance.makeToken(['contacts:read', 'contacts:write'])
  assert.equal((await erase({ token: writer })).status, 403)
  assert.equal((await erase({ headers: { 'if-match': '"older"' } })).status, 412)
  const { headers } = await api.call('GET', `/api/contacts/${id}`)
  assert.deepEqual(
    [(await erase({ headers: { 'if-match': headers.etag } })).status, (await erase({})).status],
    [204, 404],
  )
  for (const path of ['', '/events', '/merges', '/export']) {
    assert.equal((await api.call('GET', `/api/contacts/${id}${path}`)).status, 404, path)
  }
  assert.deepEqual(await audited('contact.erase'), [{ target_id: id, diff: {} }])
})

test('a merge fills blanks of the survivor, moves tags, enrollments and events, and leaves the other nowhere', async () => {
  const survivor = await create({ email: 'kept@example.com', firstName: 'Ada', customFields: { plan: 'gold' } })
  const other = await create({
    email: 'dropped@example.com',
    phone: '+1 555 0100',
    firstName: 'Augusta',
    lastName: 'Lovelace',
    customFields: { plan: 'free', city: 'London' },
  })
  const [tag] = await instance.sql<{ id: string }>(
    `insert into tags (workspace_id, name) values (1, 'vip') returning id`,
  )
  await instance.sql('insert into contact_tags (workspace_id, tag_id, contact_id) values (1, $1, $2)', [
    tag!.id,
    other.id,
  ])
  await instance.sql(
    `with a as (insert into automations (workspace_id, name, draft) values (1, 'a', '{}') returning id)
     insert into enrollments (workspace_id, automation_id, contact_id, entry_key) select 1, id, $1, '' from a`,
    [other.id],
  )
  await record(other.subjectId, [{ action: 'theirs' }])
  await record(survivor.subjectId, [{ action: 'own' }])
  await stored(other.id, 2)
  await stored(survivor.id, 2)

  const { status, json, headers } = await merge(survivor.id, other.id)
  assert.equal(status, 200)
  assert.deepEqual(
    [json.id, json.subjectId, json.email, json.phone],
    [survivor.id, survivor.subjectId, 'kept@example.com', '+1 555 0100'],
  )
  assert.deepEqual([json.firstName, json.lastName], ['Ada', 'Lovelace'])
  assert.deepEqual(json.customFields, { plan: 'gold', city: 'London' })
  assert.equal((await api.call('GET', `/api/contacts/${survivor.id}`)).headers.etag, headers.etag)
  assert.equal((await api.call('GET', `/api/contacts/${other.id}`)).status, 404)
  await stored(survivor.id, 5)
  assert.deepEqual(actionsOf(await timeline(survivor.id)), [
    'contact.merged',
    'own',
    'theirs',
    'contact.created',
    'contact.created',
  ])
  const [event] = (await timeline(survivor.id)).json.items
  assert.deepEqual(event.properties.mergedContactId, Number(other.id))
  assert.deepEqual(event.properties.changed, ['phone', 'lastName', 'customFields'])
  for (const table of ['contact_tags', 'enrollments']) {
    assert.deepEqual(
      await instance.sql(`select contact_id from ${table} where contact_id = any ($1)`, [[survivor.id, other.id]]),
      [{ contact_id: survivor.id }],
    )
  }
  const { json: merges } = await api.call('GET', `/api/contacts/${survivor.id}/merges`)
  assert.deepEqual(
    [merges.totalItems, merges.items[0].contactId, merges.items[0].mergedIntoId],
    [1, other.id, survivor.id],
  )
  assert.match(merges.items[0].mergedAt, UTC)
  const [entry] = await audited('contact.merge')
  assert.deepEqual(entry, {
    target_id: survivor.id,
    diff: {
      mergedContactId: { from: null, to: other.id },
      phone: 'changed',
      lastName: 'changed',
      customFields: 'changed',
    },
  })
})

test('a contact merges with another of its workspace only', async () => {
  const [one, two] = [await create(), await create()]
  const stranger = await instance.makeToken(undefined, await instance.makeWorkspace('merge-neighbour'))
  const foreign = await api.call('POST', '/api/contacts', { token: stranger, json: { subjectId: 'foreign' } })
  for (const contactId of [one.id, '900000000', '9223372036854775808', foreign.json.id]) {
    const { status, json } = await merge(one.id, contactId)
    assert.equal(status, 422, contactId)
    assert.equal(json.errors[0].pointer, '/contactId')
  }
  for (const id of ['900000000', foreign.json.id]) assert.equal((await merge(id, two.id)).status, 404, id)
  assert.equal((await merge(one.id, two.id, { headers: { 'if-match': '"older"' } })).status, 412)
  assert.equal((await api.call('GET', `/api/contacts/${foreign.json.id}`, { token: stranger })).status, 200)
})

test('merges follow each other: what was merged twice is listed with the last survivor', async () => {
  const [a, b, c] = [await create(), await create(), await create()]
  assert.equal((await merge(b.id, a.id)).status, 200)
  assert.equal((await merge(c.id, b.id)).status, 200)
  const { json } = await api.call('GET', `/api/contacts/${c.id}/merges?pageSize=1&page=2`)
  assert.deepEqual([json.totalItems, json.items.length, json.items[0].mergedIntoId], [2, 1, c.id])
  assert.equal((await api.call('GET', `/api/contacts/${b.id}/merges`)).status, 404)
})

test('the export holds what is known of a person, as a file, and is recorded', async () => {
  const { id, subjectId } = await create({ email: 'export@example.com' })
  await instance.sql(
    `with t as (insert into tags (workspace_id, name) values (1, 'exported') returning id)
     insert into contact_tags (workspace_id, tag_id, contact_id) select 1, id, $1 from t`,
    [id],
  )
  await instance.sql(
    `insert into suppressions (workspace_id, destination, reason) values (1, 'export@example.com', 'manual')`,
  )
  await instance.sql(
    `insert into contact_consents (workspace_id, contact_id, provenance, opt_in_ip) values (1, $1, 'imported', '192.0.2.7')`,
    [id],
  )
  const events = Array.from({ length: 1_000 }, () => ({ action: 'visit' }))
  await record(subjectId, events)
  await eventually(
    'all events',
    async () => (await instance.sql('select from events where contact_id = $1', [id])).length === 1_001,
  )
  const { status, json, headers } = await api.call('GET', `/api/contacts/${id}/export`)
  assert.equal(status, 200)
  assert.equal(headers['content-disposition'], `attachment; filename="contact-${id}.json"`)
  assert.deepEqual(Object.keys(json), [...DOCUMENT, 'nextCursor'])
  assert.deepEqual(json.contact, (await api.call('GET', `/api/contacts/${id}`)).json)
  assert.deepEqual(
    json.tags.map((tag: { name: string }) => tag.name),
    ['exported'],
  )
  assert.deepEqual([json.suppressions[0].destination, json.suppressions[0].reason], ['export@example.com', 'manual'])
  assert.equal(json.events.length, 1_000)
  const [consent] = json.confirmations
  assert.deepEqual([consent.provenance, consent.optInIp, consent.confirmedAt], ['imported', '192.0.2.7', null])
  for (const key of [
    'topics',
    'visitors',
    'unsubscribes',
    'consentChanges',
    'outboundMessages',
    'broadcastRecipients',
    'automationRuns',
  ]) {
    assert.deepEqual(json[key], [], key)
  }
  const { json: rest } = await api.call('GET', `/api/contacts/${id}/export?cursor=${json.nextCursor}`)
  assert.deepEqual(Object.keys(rest), DOCUMENT)
  assert.deepEqual(
    rest.events.map((event: { action: string }) => event.action),
    ['contact.created'],
  )
  assert.deepEqual(await audited('contact.export_data'), [{ target_id: id, diff: {} }])
})

test('the export needs the scopes of contacts and of events', async () => {
  const { id } = await create()
  for (const scopes of [['contacts:read'], ['events:read']] as const) {
    const { status, json } = await api.call('GET', `/api/contacts/${id}/export`, {
      token: await instance.makeToken(scopes),
    })
    assert.deepEqual([status, json.code], [403, 'missing-scope'], scopes[0])
  }
  const token = await instance.makeToken(['contacts:read', 'events:read'])
  assert.equal((await api.call('GET', `/api/contacts/${id}/export`, { token })).status, 200)
})

test('the dashboard has the same operations under the permissions of a role', async () => {
  const credentials = { email: instance.email, password: instance.password }
  const login = await send('POST', `${instance.baseUrl}/site/auth/login`, { json: credentials })
  const cookie = String(login.headers['set-cookie']).split(';')[0]!
  const headers = { cookie, origin: instance.baseUrl }
  const site = (method: string, path: string, json?: object) =>
    send(method, `${instance.baseUrl}/site/workspaces/default${path}`, { headers, ...(json ? { json } : {}) })
  const [one, two] = [await create(), await create()]
  assert.equal((await site('POST', `/contacts/${one.id}/merge`, { contactId: two.id })).status, 200)
  assert.equal((await site('GET', `/contacts/${one.id}/merges`)).json.totalItems, 1)
  assert.ok((await site('GET', `/contacts/${one.id}/export`)).json.contact)
  assert.ok(Array.isArray((await site('GET', `/contacts/${one.id}/events`)).json.items))
  assert.equal((await site('DELETE', `/contacts/${one.id}`)).status, 204)
  assert.equal((await site('DELETE', `/contacts/${one.id}`)).status, 404)
})
