import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const batch = async (contacts: unknown[]) => {
  const { status, json } = await api.call('POST', '/api/contacts/batch', { json: { contacts } })
  assert.equal(status, 200)
  return json.results
}
const read = async (id: string) => (await api.call('GET', `/api/contacts/${id}`)).json

test('items are created, completed or failed by themselves, in their order', async () => {
  const results = await batch([
    { subjectId: 'b-1', email: ' B1@Example.com ', customFields: { plan: 'free', seats: 3 } },
    { email: 'b1@example.com', firstName: 'Bea', customFields: { plan: 'pro', seats: null } },
    { firstName: 'nobody' },
    { email: 'not an address' },
    { subjectId: 'b-2', verified: true },
    { subjectId: 7 },
    'text',
    null,
    { subjectId: 'b-2', firstName: null, lastName: ' ', customFields: null },
    { subjectId: 'b-2', email: 'b1@example.com' },
    { subjectId: 'b-1', email: 'other@example.com', firstName: 'Eve' },
  ])
  const [first, , , , , , , , second] = results
  assert.deepEqual(results, [
    { index: 0, status: 'created', contactId: first.contactId },
    { index: 1, status: 'updated', contactId: first.contactId, changed: true },
    { index: 2, status: 'failed', error: 'needs at least one of subjectId, email, phone' },
    { index: 3, status: 'failed', error: '/email must be an email address' },
    { index: 4, status: 'failed', error: '/verified is not a known field' },
    { index: 5, status: 'failed', error: '/subjectId must be text or null' },
    { index: 6, status: 'failed', error: 'must be an object' },
    { index: 7, status: 'failed', error: 'must be an object' },
    { index: 8, status: 'created', contactId: second.contactId },
    { index: 9, status: 'failed', error: '/email belongs to another contact of this workspace' },
    { index: 10, status: 'updated', contactId: first.contactId, changed: false },
  ])
  const { id, createdAt, updatedAt, ...contact } = await read(first.contactId)
  assert.deepEqual(contact, {
    subjectId: 'b-1',
    email: 'b1@example.com',
    phone: null,
    firstName: 'Bea',
    lastName: null,
    timeZone: null,
    customFields: { plan: 'pro' },
    ...{ tags: [], consent: null, topics: [], unsubscribedFrom: [], isUnproven: false, suppression: null },
  })
})

test('a batch that overwrites replaces what items state, hands aliases on, and gives tags', async () => {
  const overwrite = async (contacts: unknown[]) =>
    (await api.call('POST', '/api/contacts/batch', { json: { contacts, mode: 'overwrite' } })).json.results
  const [one, two] = await batch([
    { subjectId: 'o-1', email: 'o1@example.com', firstName: 'Ada', lastName: 'King' },
    { subjectId: 'o-2', email: 'o2@example.com' },
  ])
  const results = await overwrite([
    { subjectId: 'o-1', email: 'other@example.com', firstName: 'Bea', lastName: null, tags: ['Moved'] },
    { subjectId: 'o-2', email: 'o1@example.com', tags: ['moved', 'Second'] },
    { subjectId: 'o-1', email: 'o2@example.com' },
    { subjectId: 'o-1', email: 'o1@example.com' },
    { subjectId: 'o-1', tags: [''] },
  ])
  assert.deepEqual(
    results.map((result: { status: string; error?: string }) => result.error ?? result.status),
    [
      'updated',
      'updated',
      'updated',
      '/email belongs to another contact of this workspace',
      '/tags/0 must not be empty',
    ],
  )
  const facts = async ({ contactId }: { contactId: string }) => {
    const { email, firstName, lastName, tags } = await read(contactId)
    return { email, firstName, lastName, tags }
  }
  assert.deepEqual(await facts(one), { email: 'o2@example.com', firstName: 'Bea', lastName: null, tags: ['Moved'] })
  assert.deepEqual(await facts(two), {
    email: 'o1@example.com',
    firstName: null,
    lastName: null,
    tags: ['Moved', 'Second'],
  })
})

test('what a batch changes and changes back is no change', async () => {
  const [{ contactId }] = await batch([{ subjectId: 'same', firstName: 'Ada' }])
  const before = await read(contactId)
  const contacts = [
    { subjectId: 'same', firstName: 'Bea' },
    { subjectId: 'same', firstName: 'Ada' },
  ]
  await api.call('POST', '/api/contacts/batch', { json: { contacts, mode: 'overwrite' } })
  assert.deepEqual(await read(contactId), before)
  const events = await instance.sql(`select name from outbox where contact_id = ${contactId}`)
  assert.deepEqual(events, [{ name: 'contact.created' }])
})

test('a thousand items are one batch, with one audit entry and an event each', async () => {
  const people = Array.from({ length: 1_000 }, (_, n) => ({ subjectId: `thousand-${n}` }))
  const results = await batch(people)
  assert.equal(results.filter((one: { status: string }) => one.status === 'created').length, 1_000)
  assert.deepEqual(
    results.map((one: { index: number }) => one.index),
    people.map((_, n) => n),
  )
  const [events] = await instance.sql<{ count: string }>(
    `select count(*) from outbox where type = 'contact.created' and subject like 'thousand-%'`,
  )
  assert.equal(events?.count, '1000')
  const { json } = await api.call('GET', '/api/audit-entries?action=contact.import&limit=1')
  const [entry] = json.items
  assert.deepEqual(entry.target, { type: 'contact', id: null, name: null })
  assert.deepEqual(entry.diff, {
    created: { from: null, to: 1_000 },
    updated: { from: null, to: 0 },
    failed: { from: null, to: 0 },
  })
})

test('a body that is not a batch of 1 to 1000 is refused as a whole', async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => ({ subjectId: `many-${n}` }))
  for (const json of [{ contacts: [] }, { contacts: many }, { contacts: {} }, {}, { contacts: [{}], more: 1 }]) {
    assert.equal((await api.call('POST', '/api/contacts/batch', { json })).status, 400)
  }
  assert.equal((await api.call('GET', '/api/contacts?subjectId=many-0')).json.totalItems, 0)
})

test('a batch of one workspace neither finds nor changes the contacts of another', async () => {
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('batch-neighbour'))
  const [own] = await batch([{ email: 'shared@example.com' }])
  const { json } = await api.call('POST', '/api/contacts/batch', {
    token,
    json: { contacts: [{ email: 'shared@example.com', firstName: 'Theirs' }] },
  })
  assert.equal(json.results[0].status, 'created')
  assert.notEqual(json.results[0].contactId, own.contactId)
  assert.equal((await read(own.contactId)).firstName, null)
})
