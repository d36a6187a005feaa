import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Decisions 11, custom fields. */
const FIELDS = ['id', 'key', 'name', 'type', 'createdAt', 'updatedAt']
const REPORT = ['type', 'dryRun', 'state', 'examined', 'fitting', 'unfit', 'samples', 'startedAt', 'finishedAt']
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const declare = (json: object) => api.call('POST', '/api/custom-fields', { json })
const change = (id: string, json: object, headers = {}) =>
  api.call('PATCH', `/api/custom-fields/${id}`, { json, headers })
const contact = (subjectId: string, customFields: object) =>
  api.call('POST', '/api/contacts', { json: { subjectId, customFields } })
const fieldsOf = async (id: string) => (await api.call('GET', `/api/contacts/${id}`)).json.customFields
const fieldNamed = async (key: string) => (await api.call('GET', `/api/custom-fields?key=${key}`)).json.items[0]

test('a field has its key, its name and its type', async () => {
  const { status, json, headers } = await declare({ key: 'plan', name: ' Plan ', type: 'string' })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), FIELDS)
  assert.match(json.id, /^[0-9]+$/)
  assert.match(json.createdAt, UTC)
  assert.equal(json.updatedAt, json.createdAt)
  assert.deepEqual([json.key, json.name, json.type], ['plan', 'Plan', 'string'])
  const read = await api.call('GET', `/api/custom-fields/${json.id}`)
  assert.deepEqual([read.status, read.json, read.headers.etag], [200, json, headers.etag])
  assert.equal((await declare({ key: 'unnamed', type: 'number' })).json.name, 'unnamed')
})

test('fields that contacts bring are there too, with the type of their first value, and refuse none', async () => {
  const values = { seats: 3, vip: true, since: '2026-11-21T05:00:00+02:00', note: 'x', list: [1] }
  await contact('inferring', values)
  const { json } = await api.call('GET', '/api/custom-fields?pageSize=1000')
  assert.deepEqual(Object.keys(json), ['items', 'page', 'pageSize', 'totalItems', 'totalPages'])
  const types = Object.fromEntries(json.items.map((item: { key: string; type: string }) => [item.key, item.type]))
  for (const [key, type] of Object.entries({
    seats: 'number',
    vip: 'boolean',
    since: 'datetime',
    note: 'string',
    list: 'string',
  })) {
    assert.equal(types[key], type, key)
  }
  for (const item of json.items) assert.deepEqual(Object.keys(item), FIELDS)
  const other = { seats: 'three', vip: { a: 1 }, since: 1.5, note: [], list: false }
  const { json: created } = await contact('contrary', other)
  assert.deepEqual(created.customFields, other)
  assert.deepEqual((await contact('inferring-2', values)).json.customFields, values)
})

test('values of a declared type are converted without loss, or refused where they stand', async () => {
  await declare({ key: 'age', type: 'number' })
  await declare({ key: 'a/b', type: 'boolean' })
  const fitting = await contact('fitting', { age: '42', 'a/b': 'true', free: '42' })
  assert.deepEqual(fitting.json.customFields, { age: 42, 'a/b': true, free: '42' })
  const unfit = await contact('unfit', { age: '007', 'a/b': 1 })
  assert.equal(unfit.status, 422)
  assert.deepEqual(unfit.json.errors, [
    { pointer: '/customFields/age', detail: 'must be a number' },
    { pointer: '/customFields/a~1b', detail: 'must be true or false' },
  ])
  const batch = await api.call('POST', '/api/contacts/batch', {
    json: {
      contacts: [
        { subjectId: 'batch-1', customFields: { age: '5' } },
        { subjectId: 'batch-2', customFields: { age: 'x' } },
      ],
    },
  })
  assert.deepEqual(
    batch.json.results.map(({ status }: { status: string }) => status),
    ['created', 'failed'],
  )
})

test('a body that is no field is a 400 that names what is wrong, a key in use a 409', async () => {
  for (const [json, pointer] of [
    [{ type: 'string' }, '/key'],
    [{ key: 'x' }, '/type'],
    [{ key: 'x', type: 'place' }, '/type'],
    [{ key: '', type: 'string' }, '/key'],
    [{ key: 'a\nb', type: 'string' }, '/key'],
    [{ key: 'x'.repeat(101), type: 'string' }, '/key'],
    [{ key: 'x', name: ' ', type: 'string' }, '/name'],
    [{ key: 'x', type: 'string', declared: true }, '/declared'],
  ] as const) {
    const answer = await declare(json)
    assert.deepEqual([answer.status, answer.json.errors[0].pointer], [400, pointer], JSON.stringify(json))
  }
  await declare({ key: 'used', type: 'string' })
  const clash = await declare({ key: 'used', type: 'number' })
  assert.deepEqual([clash.status, clash.json.errors[0].pointer], [409, '/key'])
  const { json: other } = await declare({ key: 'other', type: 'string' })
  assert.equal((await change(other.id, { key: 'used' })).status, 409)
  assert.equal((await change(other.id, { type: 'number' })).status, 400)
})

test('a new key counts at once, and the values of contacts follow', async () => {
  const { json: field, headers } = await declare({ key: 'town', type: 'string' })
  const { json: person } = await contact('mover', { town: 'Ulm' })
  const renamed = await change(field.id, { key: 'city', name: 'City' }, { 'if-match': headers.etag })
  assert.equal(renamed.status, 200)
  assert.deepEqual([renamed.json.key, renamed.json.name], ['city', 'City'])
  assert.equal((await change(field.id, { name: 'x' }, { 'if-match': headers.etag })).status, 412)
  await eventually('the value to move', async () => (await fieldsOf(person.id)).city === 'Ulm')
  assert.deepEqual(await fieldsOf(person.id), { city: 'Ulm' })
  assert.equal(await fieldNamed('town'), undefined)
})

/** A preview of a subject for a contact. */
const shown = async (subject: string, contactId: string) =>
  (await api.call('POST', '/api/templates/preview', { json: { subject, body: '<p>x</p>', contactId } })).json

test('a former key means its field, for programs and in templates, until another field takes it', async () => {
  const { json: field } = await declare({ key: 'home', type: 'string' })
  const { json: ann } = await contact('ann', { home: 'Ulm' })
  for (const key of ['base', 'seat']) {
    await eventually('the rename before to end', async () => (await change(field.id, { key })).status === 200)
  }
  await eventually('the value to move', async () => 'seat' in (await fieldsOf(ann.id)))
  const { json: bob } = await contact('bob', { home: 'Rome' })
  assert.deepEqual(bob.customFields, { seat: 'Rome' })
  assert.deepEqual(
    (await api.call('PATCH', `/api/contacts/${ann.id}`, { json: { customFields: { base: 'Bern' } } })).json
      .customFields,
    { seat: 'Bern' },
  )
  const both = await shown('{{ home }} {{ base }} {{ seat }}', ann.id)
  assert.deepEqual([both.subject, both.unknownVariables], ['Bern Bern Bern', []])
  assert.deepEqual([await fieldNamed('home'), await fieldNamed('base')], [undefined, undefined])

  assert.equal((await declare({ key: 'home', type: 'number' })).status, 201)
  assert.deepEqual((await contact('cid', { home: 5 })).json.customFields, { home: 5 })
  assert.equal((await shown('{{ home }}{{ base }}', ann.id)).subject, 'Bern')
})

test('a field that others name is not deleted, and the answer says which', async () => {
  const { json: field } = await declare({ key: 'asked', type: 'string' })
  const rules = [{ field: 'custom:asked', operator: 'notNull' }]
  const definition = JSON.stringify({ op: 'and', rules })
  const segment = await api.call('POST', '/api/segments', { json: { name: 'Asked', definition } })
  const nodes = { a: { type: 'field', set: { asked: 'yes' }, to: 'end' } }
  const automation = await api.call('POST', '/api/automations', {
    json: { name: 'Sets it', definition: { format: 1, enter: { on: [{ event: 'x.y' }] }, start: 'a', nodes } },
  })
  const form = await api.call('POST', '/api/forms', {
    json: { name: 'Asks', consentWording: 'Monthly', fields: [{ field: 'custom:asked' }] },
  })
  for (const { status, json } of [segment, automation, form]) assert.equal(status, 201, JSON.stringify(json))
  const refused = await api.call('DELETE', `/api/custom-fields/${field.id}`)
  assert.deepEqual([refused.status, refused.json.code], [409, 'in-use'])
  const uses = refused.json.usedBy.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)
  assert.deepEqual(uses, [`segment ${segment.json.id}`, `automation ${automation.json.id}`, `form ${form.json.id}`])
  for (const path of [`/api/segments/${segment.json.id}`, `/api/automations/${automation.json.id}`]) {
    assert.equal((await api.call('DELETE', path)).status, 204)
  }
})

test('a field that others name by a key of before is not deleted either', async () => {
  const { json: field } = await declare({ key: 'street', type: 'string' })
  assert.equal((await change(field.id, { key: 'road' })).status, 200)
  const nodes = { a: { type: 'field', set: { street: 'Elm' }, to: 'end' } }
  const { json: automation } = await api.call('POST', '/api/automations', {
    json: { name: 'Of an older file', definition: { format: 1, enter: { on: [{ event: 'x.y' }] }, start: 'a', nodes } },
  })
  const refused = await api.call('DELETE', `/api/custom-fields/${field.id}`)
  assert.deepEqual([refused.status, refused.json.code], [409, 'in-use'])
  assert.deepEqual(refused.json.usedBy, [{ type: 'automation', id: automation.id, name: 'Of an older file' }])
  assert.equal((await api.call('DELETE', `/api/automations/${automation.id}`)).status, 204)
  assert.equal((await api.call('DELETE', `/api/custom-fields/${field.id}`)).status, 204)
})

test('a retype reports what does not fit, dry or not', async () => {
  const { json: one } = await contact('retyped-1', { size: '40' })
  const { json: two } = await contact('retyped-2', { size: 'XL' })
  const field = await fieldNamed('size')
  const path = `/api/custom-fields/${field.id}/retype`
  assert.equal((await api.call('GET', path)).status, 404)
  for (const dryRun of [true, false]) {
    const begun = await api.call('POST', path, { json: { type: 'number', dryRun } })
    assert.equal(begun.status, 202)
    assert.deepEqual(Object.keys(begun.json), REPORT)
    await eventually('the retype to end', async () => (await api.call('GET', path)).json.state === 'finished')
    const { json } = await api.call('GET', path)
    assert.deepEqual([json.type, json.dryRun, json.fitting, json.unfit], ['number', dryRun, 1, 1])
    assert.deepEqual(json.samples, [{ contactId: two.id, value: 'XL' }])
    assert.match(json.finishedAt, UTC)
    assert.deepEqual(await fieldsOf(one.id), { size: dryRun ? '40' : 40 })
  }
  assert.equal((await fieldNamed('size')).type, 'number')
  assert.equal((await contact('retyped-3', { size: 'S' })).status, 422)
  for (const json of [{}, { type: 'place' }, { type: 'number', dryRun: 'yes' }]) {
    assert.equal((await api.call('POST', path, { json })).status, 400)
  }
})

test('a deleted field is gone at once, its values soon after', async () => {
  const { json: person } = await contact('forgetful', { bygone: 1, stays: 2 })
  const field = await fieldNamed('bygone')
  assert.equal((await api.call('DELETE', `/api/custom-fields/${field.id}`)).status, 204)
  assert.equal((await api.call('DELETE', `/api/custom-fields/${field.id}`)).status, 404)
  assert.equal(await fieldNamed('bygone'), undefined)
  await eventually('its values to go', async () => !('bygone' in (await fieldsOf(person.id))))
  assert.deepEqual(await fieldsOf(person.id), { stays: 2 })
})

test('reading needs custom_fields:read, changing custom_fields:write', async () => {
  const { json: field } = await declare({ key: 'scoped', type: 'string' })
  const reader = await instance.makeToken(['custom_fields:read'])
  const writer = await instance.makeToken(['custom_fields:write'])
  for (const [method, path, json] of [
    ['GET', '/api/custom-fields'],
    ['GET', `/api/custom-fields/${field.id}`],
    ['GET', `/api/custom-fields/${field.id}/retype`],
    ['POST', '/api/custom-fields', { key: 'no', type: 'string' }],
    ['PATCH', `/api/custom-fields/${field.id}`, { name: 'no' }],
    ['DELETE', `/api/custom-fields/${field.id}`],
    ['POST', `/api/custom-fields/${field.id}/retype`, { type: 'number' }],
  ] as const) {
    const token = method === 'GET' ? writer : reader
    assert.equal((await api.call(method, path, { token, ...(json ? { json } : {}) })).status, 403, `${method} ${path}`)
  }
})
