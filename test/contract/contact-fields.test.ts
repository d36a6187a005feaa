import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { CONTACT_FIELDS } from '../../server/catalogue/contact-fields.ts'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const names = CONTACT_FIELDS.map(({ name }) => name)
const person = Object.fromEntries(CONTACT_FIELDS.map(({ name, example }) => [name, example]))
const fieldsOf = (contact: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, contact[name]]))
const contactOf = async (email: string) =>
  (await api.call('GET', `/api/contacts?email=${encodeURIComponent(email)}`)).json.items[0]

/** An address of that many characters whose local part and labels are within limits of their own (64 and 63 octets). */
function addressOf(chars: number): string {
  const beginning = `${'a'.repeat(64)}@${`${'b'.repeat(59)}.`.repeat(3)}`
  const end = '.example'
  return `${beginning}${'b'.repeat(chars - beginning.length - end.length)}${end}`
}

/** Longest values of fields that are more than text; no zone that there is is as long as its field. */
const LONGEST: Readonly<Record<string, (chars: number) => string>> = {
  email: addressOf,
  timeZone: () => 'America/Argentina/ComodRivadavia',
}

async function ended(path: string) {
  const read = async () => {
    const answer = await api.call('GET', path)
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  await eventually('it has ended', async () => (await read()).state !== 'running')
  return await read()
}

test('each field is created, changed, cleared and filled, and has its limit in the table too', async () => {
  const made = await api.call('POST', '/api/contacts', { json: { ...person, subjectId: 'stays' } })
  assert.equal(made.status, 201, made.text)
  const path = `/api/contacts/${made.json.id}`
  for (const { name, example, charsMax } of CONTACT_FIELDS) {
    if (name === 'subjectId') continue
    const change = async (value: string | null) => (await api.call('PATCH', path, { json: { [name]: value } })).status
    assert.equal(await change(null), 200)
    assert.equal((await api.call('GET', path)).json[name], null)
    const item = { subjectId: 'stays', [name]: example }
    const { json } = await api.call('POST', '/api/contacts/batch', { json: { contacts: [item] } })
    assert.equal(json.results[0].status, 'updated')
    const longest = LONGEST[name]?.(charsMax) ?? 'x'.repeat(charsMax)
    assert.equal((await api.call('GET', path)).json[name], example)
    assert.equal(await change(longest), 200, name)
    assert.equal(await change(`${longest}x`), 400, name)
    assert.equal(await change(example), 200)
  }
  assert.deepEqual(fieldsOf((await api.call('GET', path)).json), { ...person, subjectId: 'stays' })
  assert.equal((await api.call('DELETE', path)).status, 204)
})

test('a file with a column for each field imports as it is suggested, and exports the same', async () => {
  for (const { name, importWords } of CONTACT_FIELDS) {
    const csv = `${importWords.join(',')},subjectId\n`
    const { json } = await api.call('POST', '/api/contacts/imports', { json: { csv } })
    assert.equal(json.suggestedMapping[importWords[0]], name)
  }
  const csv = `${names.join(',')}\n${names.map((name) => `"${person[name]}"`).join(',')}\n`
  const { json: begun } = await api.call('POST', '/api/contacts/imports?start=true', { json: { csv } })
  assert.deepEqual(begun.suggestedMapping, Object.fromEntries(names.map((name) => [name, name])))
  await ended(`/api/contacts/imports/${begun.id}`)
  assert.deepEqual(fieldsOf(await contactOf(person.email!)), person)
  const asked = await api.call('POST', '/api/contacts/exports', { json: { columns: names } })
  assert.equal(asked.status, 202, asked.text)
  const { state, failure } = await ended(`/api/contacts/exports/${asked.json.id}`)
  assert.deepEqual({ state, failure }, { state: 'done', failure: null })
  const { text, status } = await api.call('GET', `/api/contacts/exports/${asked.json.id}/file`)
  assert.equal(status, 200, text)
  const [row] = parse(text, { columns: true }) as Record<string, string>[]
  assert.deepEqual(row, { ...person, phone: `'${person.phone}` })
})

test('a segment knows each field by both its names, and a template those that it may write', async () => {
  const { id } = await contactOf(person.email!)
  for (const { name, column, example, mergeSample } of CONTACT_FIELDS) {
    for (const field of [name, column]) {
      const definition = JSON.stringify({ rules: [{ field, operator: '=', value: example }] })
      const { json } = await api.call('POST', '/api/segments/preview', { json: { definition } })
      assert.equal(json.count, 1, field)
    }
    const preview = { subject: `[{{ ${column} }}]`, body: '' }
    const written = await api.call('POST', '/api/templates/preview', { json: { ...preview, contactId: id } })
    assert.equal(written.json.subject, mergeSample === null ? '[]' : `[${example}]`)
    const sample = await api.call('POST', '/api/templates/preview', { json: preview })
    assert.equal(sample.json.subject, `[${mergeSample ?? ''}]`)
  }
})

test('two contacts become one, whose blanks the other filled', async () => {
  const survivor = await api.call('POST', '/api/contacts', { json: { subjectId: 'survivor' } })
  const other = await contactOf(person.email!)
  const { json } = await api.call('POST', `/api/contacts/${survivor.json.id}/merge`, { json: { contactId: other.id } })
  assert.deepEqual(fieldsOf(json), { ...person, subjectId: 'survivor' })
})

test('the table has a column for each field, and no other text', async () => {
  const rows = await instance.sql<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'contacts' and data_type = 'text'`,
  )
  assert.deepEqual(rows.map(({ name }) => name).sort(), CONTACT_FIELDS.map(({ column }) => column as string).sort())
})
