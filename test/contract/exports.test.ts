import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const BASE = '/api/contacts/exports'
const CORE = [
  'id',
  'subjectId',
  'email',
  'phone',
  'firstName',
  'lastName',
  'timeZone',
  'status',
  'tags',
  'createdAt',
  'updatedAt',
]

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

type As = { token?: string }

async function newWorkspace(slug: string): Promise<As> {
  return { token: await instance.makeToken(undefined, await instance.makeWorkspace(slug)) }
}

async function exported(json: object, as: As = {}) {
  const { status, json: begun } = await api.call('POST', BASE, { ...as, json })
  assert.equal(status, 202, JSON.stringify(begun))
  const read = async () => (await api.call('GET', `${BASE}/${begun.id}`, as)).json
  await eventually('the export has ended', async () => (await read()).state !== 'running')
  return await read()
}

async function rowsOf(id: string, as: As = {}): Promise<Record<string, string>[]> {
  const { status, text, headers } = await api.call('GET', `${BASE}/${id}/file`, as)
  assert.equal(status, 200)
  assert.equal(headers['content-disposition'], `attachment; filename="contacts-${id}.csv"`)
  return parse(text, { columns: true })
}

async function importFile(csv: string, as: As) {
  const { json } = await api.call('POST', '/api/contacts/imports?start=true', {
    ...as,
    body: csv,
    headers: { 'content-type': 'text/csv' },
  })
  const read = async () => (await api.call('GET', `/api/contacts/imports/${json.id}`, as)).json
  await eventually('the import has ended', async () => (await read()).state === 'done')
  return await read()
}

const people = [
  {
    subjectId: '=cmd|calc',
    email: 'formula@example.com',
    phone: '+44 20 7946 0958',
    firstName: '@Ada',
    lastName: '-Lovelace, "the first"',
    customFields: { plan: 'pro', seats: 3, big: 1.5, note: '=1+1', list: ['a'] },
  },
  { email: 'plain@example.com', timeZone: 'Europe/London', customFields: { plan: "'quoted" } },
  { subjectId: 'only-id' },
]

test('a file holds everybody with all columns, no value is a formula, and imports back as it was', async () => {
  const as = await newWorkspace('export-all')
  await api.call('POST', '/api/contacts/batch', { ...as, json: { contacts: people } })
  const first = await importFile('email,tags\nplain@example.com,"""London, UK"",VIP"\n', as)
  assert.deepEqual([first.rows.updated, first.rows.unchanged], [0, 1])
  const done = await exported({}, as)
  const custom = ['custom:big', 'custom:list', 'custom:note', 'custom:plan', 'custom:seats']
  assert.deepEqual(done.columns, [...CORE, ...custom])
  assert.deepEqual([done.state, done.rows, done.filter, done.failure], ['done', { total: 3, written: 3 }, {}, null])
  const { text } = await api.call('GET', `${BASE}/${done.id}/file`, as)
  assert.equal(Buffer.byteLength(text), done.bytes)
  const rows = await rowsOf(done.id, as)
  for (const value of rows.flatMap(Object.values)) assert.doesNotMatch(String(value), /^[=+\-@\t\r]/)
  const [formula, plain] = rows
  assert.equal(formula!.subjectId, "'=cmd|calc")
  assert.equal(plain!.tags, '"London, UK",VIP')

  const other = await newWorkspace('export-back')
  const back = await importFile(text, other)
  assert.deepEqual([back.rows.created, back.rows.failed], [3, 0])
  const list = async (of: As) => (await api.call('GET', '/api/contacts', of)).json.items
  const [before, after] = [await list(as), await list(other)]
  const same = ({ subjectId, email, phone, firstName, lastName, timeZone }: Record<string, unknown>) => ({
    ...{ subjectId, email, phone, firstName, lastName, timeZone },
  })
  assert.deepEqual(after.map(same), before.map(same))
  assert.equal(after[0].customFields.note, '=1+1')
  const again = await rowsOf((await exported({ columns: ['email', 'tags', 'custom:plan'] }, other)).id, other)
  assert.deepEqual(again[1], { email: 'plain@example.com', tags: '"London, UK",VIP', 'custom:plan': "'quoted" })
})

test('filters narrow the file as they narrow the list', async () => {
  const as = await newWorkspace('export-some')
  const contacts = Array.from({ length: 30 }, (_, n) => ({ subjectId: `s${n}`, email: `e${n}@example.com` }))
  await api.call('POST', '/api/contacts/batch', { ...as, json: { contacts } })
  await importFile('email,tags\ne3@example.com,VIP\ne4@example.com,VIP\n', as)
  const definition = JSON.stringify({
    combinator: 'and',
    rules: [{ field: 'email', operator: 'beginsWith', value: 'e1' }],
  })
  const { json: segment } = await api.call('POST', '/api/segments', { ...as, json: { name: 'e1', definition } })
  const found = async (filter: object) => {
    const done = await exported({ filter, columns: ['subjectId'] }, as)
    assert.deepEqual([done.state, done.filter], ['done', filter])
    const rows = await rowsOf(done.id, as)
    assert.equal(done.rows.written, rows.length)
    return rows.map((row) => row.subjectId)
  }
  assert.deepEqual(await found({ tag: 'vip' }), ['s3', 's4'])
  assert.deepEqual(await found({ email: 'E7@Example.com' }), ['s7'])
  assert.deepEqual(await found({ search: 'e2', tag: 'VIP' }), [])
  assert.deepEqual(await found({ segmentId: segment.id }), ['s1', ...Array.from({ length: 10 }, (_, n) => `s1${n}`)])
})

test('a column or a segment that is not there is a 422, another field a 400', async () => {
  const wrong: [json: object, status: number, pointer: string][] = [
    [{ columns: ['email', 'nonsense'] }, 422, '/columns/1'],
    [{ columns: ['custom:'] }, 422, '/columns/0'],
    [{ filter: { segmentId: '900000000' } }, 422, '/segmentId'],
    [{ filter: { colour: 'red' } }, 400, '/filter/colour'],
    [{ columns: [] }, 400, '/columns'],
  ]
  for (const [json, status, pointer] of wrong) {
    const answer = await api.call('POST', BASE, { json })
    assert.deepEqual([answer.status, answer.json.errors[0].pointer], [status, pointer], answer.text)
  }
})

test('a file goes after its time, and each export and download stands in the audit log', async () => {
  const done = await exported({ columns: ['email'] })
  await rowsOf(done.id)
  const { json } = await api.call('GET', `/api/audit-entries?targetType=contact_export&targetId=${done.id}`)
  assert.deepEqual(
    json.items.map((entry: { action: string }) => entry.action),
    ['contact_export.download', 'contact.export'],
  )
  const inAWeek = Date.now() + 7 * 86_400_000
  assert.ok(Math.abs(Date.parse(done.expiresAt) - inAWeek) < 600_000)
  await instance.sql('delete from stored_files')
  const { json: expired } = await api.call('GET', `${BASE}/${done.id}`)
  assert.deepEqual([expired.state, expired.expiresAt], ['expired', null])
  const gone = await api.call('GET', `${BASE}/${done.id}/file`)
  assert.deepEqual([gone.status, gone.json.code], [422, 'unprocessable'])
})

test('a custom field that is being deleted is in no export any more', async () => {
  const as = await newWorkspace('deleting-field')
  const json = { email: 'leftover@example.com', customFields: { gone: 'x', stays: 'y' } }
  assert.equal((await api.call('POST', '/api/contacts', { ...as, json })).status, 201)
  await instance.sql(`update custom_fields set deleted_at = now() where key = 'gone'`)
  const { columns } = await exported({}, as)
  assert.deepEqual(columns, [...CORE, 'custom:stays'])
})
