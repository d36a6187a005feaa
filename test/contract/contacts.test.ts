import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Contact. */
const FIELDS = [
  'id',
  'subjectId',
  'email',
  'phone',
  'firstName',
  'lastName',
  'timeZone',
  'customFields',
  'createdAt',
  'updatedAt',
]
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const create = (json: object) => api.call('POST', '/api/contacts', { json })
const change = (id: string, json: object) => api.call('PATCH', `/api/contacts/${id}`, { json })
const read = async (id: string) => (await api.call('GET', `/api/contacts/${id}`)).json
const list = async (query: string) => (await api.call('GET', `/api/contacts?${query}`)).json

test('a contact has all its fields, those that are not set as null', async () => {
  const { status, json } = await create({ subjectId: 'bare' })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), FIELDS)
  const { id, createdAt, updatedAt, ...rest } = json
  assert.match(id, /^[0-9]+$/)
  assert.match(createdAt, UTC)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, {
    subjectId: 'bare',
    email: null,
    phone: null,
    firstName: null,
    lastName: null,
    timeZone: null,
    customFields: {},
  })
  assert.deepEqual(await read(id), json)
})

test('every field comes back as it was given, numbers beyond 2^53 and any text included', async () => {
  const given = {
    subjectId: 'user 42/ä',
    email: 'full@example.com',
    phone: '+44 20 7946 0958',
    firstName: 'Ада 👩‍💻',
    lastName: "O'Neill; drop table contacts",
    timeZone: 'Europe/London',
  }
  const body = `{${JSON.stringify(given).slice(1, -1)},"customFields":{"big":12345678901234567890,"nested":{"a":[1,null]}}}`
  const headers = { 'content-type': 'application/json' }
  const answer = await api.call('POST', '/api/contacts', { body, headers })
  assert.equal(answer.status, 201)
  const { customFields, id, createdAt, updatedAt, ...fields } = answer.json
  assert.deepEqual(fields, given)
  assert.deepEqual(customFields.nested, { a: [1, null] })
  for (const text of [answer.text, (await api.call('GET', `/api/contacts/${id}`)).text]) {
    assert.match(text, /"big":12345678901234567890[,}]/)
  }
})

test('identifiers are trimmed, the email lower-cased with its domain in ASCII, and an empty string is unset', async () => {
  const { json } = await create({
    subjectId: ' s-1 ',
    email: ' Ada.Lovelace@Bücher.Example ',
    phone: '  ',
    firstName: '',
  })
  assert.equal(json.subjectId, 's-1')
  assert.equal(json.email, 'ada.lovelace@xn--bcher-kva.example')
  assert.equal(json.phone, null)
  assert.equal(json.firstName, null)
})

test('a contact needs an identifier, and each field that does not fit is named', async () => {
  for (const json of [{}, { firstName: 'Ada' }, { subjectId: ' ', email: '', phone: null }]) {
    const { status, json: problem } = await create(json)
    assert.equal(status, 400)
    assert.match(problem.detail, /subjectId, email, phone/)
  }
  const wrong: [field: string, value: unknown][] = [
    ['email', 'nobody'],
    ['email', 'a@b@c'],
    ['email', 'Ada <ada@example.com>'],
    ['email', 'a@example.com, b@example.com'],
    ['email', `${'x'.repeat(250)}@example.com`],
    ['subjectId', 'x'.repeat(201)],
    ['subjectId', 42],
    ['subjectId', 'a\nb'],
    ['phone', '1'.repeat(41)],
    ['firstName', 'x'.repeat(201)],
    ['timeZone', {}],
    ['customFields', []],
    ['customFields', 'text'],
    ['verified', true],
    ['id', '7'],
  ]
  for (const [field, value] of wrong) {
    const { status, json: problem } = await create({ subjectId: 'wrong', [field]: value })
    assert.equal(status, 400, `${field} ${JSON.stringify(value)}`)
    const [pointer] = problem.errors.map((error: { pointer: string }) => error.pointer)
    assert.equal(pointer, `/${field}`, JSON.stringify(problem))
  }
  const { status, json } = await create({ subjectId: 'wrong\u0000' })
  assert.deepEqual([status, json.code], [400, 'invalid-json'], 'no text column can hold U+0000')
  assert.equal((await list('subjectId=wrong')).totalItems, 0)
})

test('an identifier that another contact has is a 409 that names it', async () => {
  const taken = { subjectId: 'taken', email: 'taken@example.com', phone: '+1' }
  const { json: first } = await create(taken)
  const { json: second } = await create({ subjectId: 'second' })
  for (const [field, value] of Object.entries({ ...taken, email: 'TAKEN@Example.com' })) {
    for (const answer of [await create({ [field]: value }), await change(second.id, { [field]: value })]) {
      assert.equal(answer.status, 409, field)
      assert.equal(answer.json.code, 'conflict')
      assert.deepEqual(
        answer.json.errors.map((error: { pointer: string }) => error.pointer),
        [`/${field}`],
      )
      assert.doesNotMatch(answer.text, new RegExp(`"${first.id}"`), 'says nothing about whose it is')
    }
  }
  const neighbour = await instance.makeToken(undefined, await instance.makeWorkspace('neighbour'))
  assert.equal((await api.call('POST', '/api/contacts', { token: neighbour, json: taken })).status, 201)
})

test('of many who create the same contact at once one succeeds', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create({ email: 'race@example.com' })))
  const statuses = answers.map((answer) => answer.status).sort()
  assert.deepEqual(statuses, [201, ...Array(19).fill(409)])
  assert.equal((await list('email=race@example.com')).totalItems, 1)
})

test('a change keeps what is absent, clears what is null and merges custom fields by key', async () => {
  const { json: before } = await create({
    subjectId: 'p',
    email: 'p@example.com',
    lastName: 'P',
    customFields: { a: 1, b: 2 },
  })
  const { status, json } = await change(before.id, {
    email: null,
    firstName: 'New',
    customFields: { b: null, c: { d: 'e' } },
  })
  assert.equal(status, 200)
  const expected = { ...before, email: null, firstName: 'New', customFields: { a: 1, c: { d: 'e' } } }
  assert.deepEqual({ ...json, updatedAt: null }, { ...expected, updatedAt: null })
  assert.ok(json.updatedAt > before.updatedAt)
  assert.deepEqual((await change(before.id, { customFields: null })).json.customFields, {})
  const still = await change(before.id, { firstName: 'New' })
  assert.equal(still.json.updatedAt, (await read(before.id)).updatedAt)
  const last = await change(before.id, { subjectId: null })
  assert.equal(last.status, 400)
  assert.equal((await read(before.id)).subjectId, 'p')
})

test('changes of one contact at the same time all take effect', async () => {
  const { json } = await create({ subjectId: 'concurrent' })
  const keys = Array.from({ length: 15 }, (_, index) => `key${index}`)
  await Promise.all(keys.map((key) => change(json.id, { customFields: { [key]: true } })))
  assert.deepEqual(Object.keys((await read(json.id)).customFields).sort(), keys.sort())
})

test('the list is in the order of ids with exact totals, and filters narrow it', async () => {
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('list'))
  const at = async (query: string) => (await api.call('GET', `/api/contacts${query}`, { token })).json
  assert.deepEqual(await at(''), { items: [], page: 1, pageSize: 25, totalItems: 0, totalPages: 0 })
  const made: { id: string; updatedAt: string }[] = []
  for (let index = 0; index < 23; index++) {
    const json = { subjectId: `s${index}`, email: `e${index}@example.com`, phone: `+${index}` }
    made.push((await api.call('POST', '/api/contacts', { token, json })).json)
  }
  const pages = [await at('?pageSize=10'), await at('?pageSize=10&page=2'), await at('?pageSize=10&page=3')]
  assert.deepEqual(
    pages.map(({ items, page, pageSize, totalItems, totalPages }) => [
      items.length,
      page,
      pageSize,
      totalItems,
      totalPages,
    ]),
    [
      [10, 1, 10, 23, 3],
      [10, 2, 10, 23, 3],
      [3, 3, 10, 23, 3],
    ],
  )
  assert.deepEqual(
    pages.flatMap((page) => page.items),
    made,
  )
  const found = async (query: string) => {
    const { items, totalItems } = await at(`?${query}`)
    assert.equal(totalItems, items.length, query)
    return items.map((item: { subjectId: string }) => item.subjectId)
  }
  assert.deepEqual(await found('email=E7@Example.com'), ['s7'])
  assert.deepEqual(await found('email=nobody'), [])
  assert.deepEqual(await found('subjectId=s3'), ['s3'])
  assert.deepEqual(await found('phone=%2B5'), ['s5'])
  assert.deepEqual(await found('phone=%2B5&subjectId=s3'), [])
  const since = made[20]!.updatedAt
  assert.deepEqual(await found(`updatedSince=${since}`), ['s20', 's21', 's22'])
  assert.deepEqual(await found(`updatedSince=${since.replace('Z', '%2B00:00')}`), ['s20', 's21', 's22'])
  assert.equal((await api.call('GET', '/api/contacts?updatedSince=yesterday')).status, 400)
})

test('a list is searched, and narrowed by tag, segment and search together', async () => {
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('search'))
  const call = (method: string, path: string, json?: object) =>
    api.call(method, `/api${path}`, { token, ...(json ? { json } : {}) })
  for (const [subjectId, firstName, tag] of [
    ['a-1', 'Ada', 'VIP'],
    ['a-2', 'Adalbert', undefined],
    ['b_1', 'Grace', 'VIP'],
  ] as const) {
    const { json } = await call('POST', '/contacts', { subjectId, firstName, email: `${subjectId}@Bücher.Example` })
    if (tag) await call('POST', `/contacts/${json.id}/tags`, { name: tag })
  }
  const definition = '{"combinator":"and","rules":[{"field":"first_name","operator":"beginsWith","value":"Ada"}]}'
  const { json: segment } = await call('POST', '/segments', { name: 'Adas', definition })
  const found = async (query: string) => {
    const { status, json } = await call('GET', `/contacts?${query}`)
    assert.equal(status, 200, query)
    assert.equal(json.totalItems, json.items.length, query)
    return json.items.map((item: { subjectId: string }) => item.subjectId).join()
  }
  for (const [query, expected] of [
    ['search=ADA', 'a-1,a-2'],
    ['search=xn--bcher', 'a-1,a-2,b_1'],
    ['search=b_1', 'b_1'],
    ['search=a_1', ''],
    ['search=%25%25%25', ''],
    ['search=gr', 'b_1'],
    ['search=ra', ''],
    ['search=', 'a-1,a-2,b_1'],
    ['tag=vip', 'a-1,b_1'],
    ['tag=never', ''],
    [`segmentId=${segment.id}`, 'a-1,a-2'],
    [`segmentId=${segment.id}&tag=VIP`, 'a-1'],
    [`segmentId=${segment.id}&tag=VIP&search=grace`, ''],
  ]) {
    assert.equal(await found(query!), expected, query)
  }
  const foreign = await call('GET', '/contacts?segmentId=987654321')
  assert.deepEqual([foreign.status, foreign.json.errors[0].pointer], [422, '/segmentId'])
  assert.equal((await call('GET', '/contacts?segmentId=x')).status, 400)
  assert.equal((await call('GET', `/contacts?search=${'x'.repeat(301)}`)).status, 400)
})

test('the dashboard has the same operations, and shows more of tags and custom fields', async () => {
  const site = siteCaller(instance)
  const workspace = await instance.makeWorkspace('dashboard')
  const { cookie } = await site.person('Member', 'member', workspace)
  const { cookie: watching } = await site.person('Viewer', 'viewer', workspace)
  const call = (method: string, path: string, json?: object, as = cookie) =>
    site.call(method, `/site/workspaces/dashboard${path}`, { cookie: as, ...(json ? { json } : {}) })
  const created = await call('POST', '/contacts', { subjectId: 'seen', customFields: { plan: 'pro' } })
  assert.deepEqual([created.status, Object.keys(created.json)], [201, FIELDS])
  const path = `/contacts/${created.json.id}`
  assert.deepEqual((await call('GET', path)).json, created.json)
  assert.equal((await call('PATCH', path, { firstName: 'Ada' })).json.firstName, 'Ada')
  const tag = await call('POST', `${path}/tags`, { name: 'VIP' })
  assert.equal(tag.status, 200)
  assert.equal((await call('GET', '/contacts?tag=vip&search=ada')).json.totalItems, 1)
  const { json: tags } = await call('GET', '/tags')
  assert.deepEqual(tags.items, [{ ...tag.json, contactCount: 1 }])
  const { json: fields } = await call('GET', '/custom-fields')
  const [{ key, declared, previousKey }] = fields.items
  assert.deepEqual([key, declared, previousKey], ['plan', false, null])
  assert.equal((await call('GET', path, undefined, watching)).status, 200)
  for (const [method, changed, json] of [
    ['POST', '/contacts', { subjectId: 'no' }],
    ['PATCH', path, { firstName: 'no' }],
    ['POST', `${path}/tags`, { name: 'no' }],
    ['DELETE', `${path}/tags/VIP`],
    ['POST', '/tags', { name: 'no' }],
    ['POST', '/custom-fields', { key: 'no', type: 'string' }],
  ] as const) {
    assert.equal((await call(method, changed, json, watching)).status, 403, `${method} ${changed}`)
  }
  assert.equal((await call('DELETE', `${path}/tags/vip`)).status, 204)
})

test('a new and a changed contact each emit an event in the same transaction', async () => {
  const { json } = await create({ subjectId: 'emits', email: 'emits@example.com' })
  await change(json.id, { email: 'other@example.com', firstName: 'E' })
  const rows = await instance.sql<{ name: string; subject: string; contact: string; data: object }>(
    `select name, subject, contact_id as contact, data from outbox where contact_id = $1 order by position`,
    [json.id],
  )
  const data = { workspaceId: 1, contactId: Number(json.id), subjectId: 'emits', phone: null }
  assert.deepEqual(rows, [
    { name: 'contact.created', subject: 'emits', contact: json.id, data: { ...data, email: 'emits@example.com' } },
    {
      name: 'contact.updated',
      subject: 'emits',
      contact: json.id,
      data: { ...data, email: 'other@example.com', changed: ['email', 'firstName'] },
    },
  ])
  await create({ subjectId: 'emits' })
  const [after] = await instance.sql<{ count: string }>(`select count(*) from outbox where subject = 'emits'`)
  assert.equal(after?.count, '2', 'a refused creation emits nothing')
})

test('an answer to a contact is never kept by a cache', async () => {
  const { headers } = await send('GET', `${instance.baseUrl}/api/contacts`, { token: instance.token })
  assert.equal(headers['cache-control'], 'no-store')
})
