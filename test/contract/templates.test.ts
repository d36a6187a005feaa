import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const FIELDS = ['id', 'name', 'key', 'subject', 'body', 'text', 'version', 'createdAt', 'updatedAt']
const BODY =
  '<mjml>\n  <mj-body><mj-section><mj-column><mj-text>Hi {{ first_name }}</mj-text></mj-column></mj-section></mj-body>\n</mjml>\n'

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const create = (json: object) => api.call('POST', '/api/templates', { json })
const change = (id: string, json: object) => api.call('PATCH', `/api/templates/${id}`, { json })
const read = async (path: string) => (await api.call('GET', `/api/templates${path}`)).json

test('a template comes back as it was given, to the character', async () => {
  const { status, json } = await create({ name: ' Welcome ', subject: 'Hi {{ first_name }}', body: BODY })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), FIELDS)
  const { id, createdAt } = json
  const times = { createdAt, updatedAt: createdAt }
  const expected = {
    id,
    name: 'Welcome',
    key: null,
    subject: 'Hi {{ first_name }}',
    body: BODY,
    text: null,
    version: 1,
    ...times,
  }
  assert.deepEqual(json, expected)
  assert.deepEqual(await read(`/${id}`), expected)
  const { body: _body, text: _text, ...summary } = expected
  const list = await read('?search=WELC')
  assert.deepEqual(list.items, [summary])
  assert.deepEqual([list.totalItems, (await read('?search=nothing')).totalItems], [1, 0])
})

test('a name is enough to begin with', async () => {
  const { status, json } = await create({ name: 'Empty' })
  assert.deepEqual([status, json.subject, json.body, json.text], [201, '', '', null])
  for (const name of ['  ', 'a\u0007b']) {
    const refused = await create({ name })
    assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/name'])
  }
})

test('a template that cannot be sent is refused, naming fields and lines, and nothing is stored', async () => {
  const { totalItems } = await read('')
  const body = '<mjml><mj-body>\n<mj-section>\n{{ x | shout }}</mj-section></mj-body></mjml>'
  const refused = await create({ name: 'Faulty', subject: '{{ a', body, text: '\n{% if %}x{% endif %}' })
  assert.equal(refused.status, 422)
  assert.deepEqual(refused.json.errors, [
    { pointer: '/subject', detail: 'line 1: output "{{ a" not closed' },
    { pointer: '/body', detail: 'line 3: undefined filter: shout' },
    { pointer: '/text', detail: 'line 2: invalid value expression: ""' },
  ])
  assert.equal((await read('')).totalItems, totalItems)
  const { json } = await create({ name: 'Sound', body: BODY })
  assert.equal((await change(json.id, { body: '{% include "x" %}' })).json.errors[0].pointer, '/body')
  assert.deepEqual(await read(`/${json.id}`), json)
})

test('each change of content is a version, and an earlier one can be put in force again', async () => {
  const { json: first } = await create({ name: 'Versions', subject: 'one', body: '<p>1</p>', text: '1' })
  const { json: renamed } = await change(first.id, { name: 'Renamed' })
  assert.deepEqual([renamed.name, renamed.version], ['Renamed', 1])
  const { json: second } = await change(first.id, { subject: 'two', text: null })
  assert.deepEqual([second.version, second.subject, second.body, second.text], [2, 'two', '<p>1</p>', null])
  assert.deepEqual((await change(first.id, { subject: 'two' })).json, second)
  const versions = await read(`/${first.id}/versions`)
  assert.equal(versions.totalItems, 2)
  assert.deepEqual(
    versions.items.map((item: { version: number; subject: string }) => [item.version, item.subject]),
    [
      [2, 'two'],
      [1, 'one'],
    ],
  )
  const { createdAt, ...content } = await read(`/${first.id}/versions/1`)
  assert.deepEqual(content, { version: 1, subject: 'one', body: '<p>1</p>', text: '1' })
  const restored = await api.call('POST', `/api/templates/${first.id}/versions/1/restore`)
  assert.deepEqual({ ...restored.json, updatedAt: null }, { ...first, name: 'Renamed', version: 3, updatedAt: null })
  assert.equal((await api.call('GET', `/api/templates/${first.id}/versions/9`)).status, 404)
  assert.equal((await api.call('DELETE', `/api/templates/${first.id}`)).status, 204)
  assert.equal((await api.call('GET', `/api/templates/${first.id}/versions`)).status, 404)
})

test('two changes at once make two versions, and If-Match lets only one of them pass', async () => {
  const made = await create({ name: 'Raced', subject: 'start' })
  const { id } = made.json
  const answers = await Promise.all(['a', 'b', 'c'].map((subject) => change(id, { subject })))
  assert.deepEqual(answers.map(({ json }) => json.version).sort(), [2, 3, 4])
  assert.equal((await read(`/${id}/versions`)).totalItems, 4)
  const stale = { headers: { 'if-match': String(made.headers.etag) } }
  for (const [method, path] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/versions/1/restore'],
  ] as const) {
    const call = method === 'PATCH' ? { json: { subject: 'late' }, ...stale } : stale
    assert.equal((await api.call(method, `/api/templates/${id}${path}`, call)).status, 412)
  }
})

test('a preview shows what one person would get, and tells of names that nobody has', async () => {
  await api.call('POST', '/api/custom-fields', { json: { key: 'plan', name: 'Plan', type: 'string' } })
  const body =
    '<p>{{ first_name }} {{ plan }} {{ frist_name }} {{ coupon }} <a href="https://x.example/{{ plan }}">x</a> <a href="{{ unsubscribe_url }}">u</a></p>'
  const preview = (json: object) =>
    api.call('POST', '/api/templates/preview', { json: { subject: '{{ last_name }}', body, ...json } })
  const sample = (await preview({ variables: { coupon: 'C-1' } })).json
  assert.equal(sample.subject, 'Sample')
  assert.equal(sample.html, '<p>Alex Plan  C-1 <a href="https://x.example/Plan">x</a> <a href="#unsubscribe">u</a></p>')
  assert.deepEqual(sample.links, ['https://x.example/Plan'])
  assert.deepEqual(sample.variables, ['coupon', 'first_name', 'frist_name', 'last_name', 'plan', 'unsubscribe_url'])
  assert.deepEqual(sample.unknownVariables, ['frist_name'])
  const person = { firstName: '<Ada>', lastName: 'L', email: 'ada@x.example', customFields: { plan: 'gold' } }
  const { json: contact } = await api.call('POST', '/api/contacts', { json: person })
  const shown = (await preview({ contactId: contact.id })).json
  assert.equal(shown.subject, 'L')
  assert.match(shown.html, /^<p>&lt;Ada&gt; gold /)
  const unknown = await preview({ contactId: '900000000' })
  assert.deepEqual([unknown.status, unknown.json.errors[0].pointer], [422, '/contactId'])
  const token = await instance.makeToken(['templates:read'])
  const json = { body, contactId: contact.id }
  const refused = await api.call('POST', '/api/templates/preview', { token, json })
  assert.deepEqual([refused.status, refused.json.code], [403, 'missing-scope'])
  const beyond = await preview({ body: '{% for i in (1..99999999) %}{% endfor %}' })
  assert.deepEqual([beyond.status, beyond.json.errors[0].pointer], [422, '/body'])
})

test('previews that take long are refused where too many of them wait', async () => {
  const list = Array.from({ length: 300 }, (_, n) => n)
  const body = '{% for i in list %}{% for j in list %}{% endfor %}{% endfor %}'
  const json = { subject: 'x', body, text: '', variables: { list } }
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => api.call('POST', '/api/templates/preview', { json })),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 503])
  const refused = answers.find(({ status }) => status === 503)
  assert.deepEqual([refused?.json.code, refused?.headers['retry-after']], ['overloaded', '2'])
})

test('a stored template is previewed as it is, or as it was', async () => {
  const { json } = await create({ name: 'Seen', subject: 'one {{ n }}', body: '' })
  await change(json.id, { subject: 'two' })
  const preview = async (given: object) =>
    (await api.call('POST', `/api/templates/${json.id}/preview`, { json: given })).json
  assert.equal((await preview({})).subject, 'two')
  const before = await preview({ version: 1, variables: { n: 12345678901234567890n.toString() } })
  assert.deepEqual([before.subject, before.unknownVariables], ['one 12345678901234567890', []])
  assert.deepEqual(before.warnings, [{ pointer: '/body', line: null, detail: 'is empty' }])
})

test('each sample is sound as it is: it can be created and shows every value', async () => {
  const { items } = await read('/samples')
  const keys = items.map(({ key }: { key: string }) => key)
  assert.ok(keys.length >= 12 && new Set(keys).size === keys.length, keys.join())
  for (const key of ['newsletter', 'welcome', 'receipt']) assert.ok(keys.includes(key), key)
  for (const { key, kind, description, variables, ...template } of items) {
    assert.ok(description.length > 20)
    assert.equal((await create(template)).status, 201, key)
    const { name: _name, ...source } = template
    const { json } = await api.call('POST', '/api/templates/preview', { json: { ...source, variables } })
    assert.deepEqual([json.warnings, json.unknownVariables], [[], []], key)
    assert.ok(json.text.length > 100, key)
    assert.doesNotMatch(json.subject + json.text, /\{\{|\{%|undefined/, key)
    if (kind !== 'transactional') assert.ok(json.variables.includes('unsubscribe_url'), key)
  }
})
