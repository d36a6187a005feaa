import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Contact; and behind it what others know of the contact. */
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
  'tags',
  'consent',
  'topics',
  'unsubscribedFrom',
  'isUnproven',
  'suppression',
]
const NOTHING_KNOWN = {
  tags: [],
  consent: null,
  topics: [],
  unsubscribedFrom: [],
  isUnproven: false,
  suppression: null,
}
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
    ...NOTHING_KNOWN,
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
  assert.deepEqual(fields, { ...given, ...NOTHING_KNOWN })
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
    ['timeZone', 'Mars/Olympus'],
    ['timeZone', '+02:00'],
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

test('a limit counts characters, of any script, and not the units of a language', async () => {
  const of = (count: number) => '😀'.repeat(count)
  const { status, json } = await create({
    ...{ subjectId: of(200), firstName: of(200), phone: of(40) },
    customFields: { [of(100)]: 1 },
  })
  assert.equal(status, 201)
  assert.equal((await read(json.id)).subjectId, of(200))
  const tagged = (name: string) => api.call('POST', `/api/contacts/${json.id}/tags`, { json: { name } })
  assert.equal((await tagged(of(100))).status, 200)
  const recorded = (event: object) => api.call('POST', '/api/events', { json: { events: [event] } })
  const event = { action: of(200), id: of(64), subjectId: of(200), phone: of(40) }
  assert.equal((await recorded(event)).status, 204)
  for (const [answer, pointer, count] of [
    [await create({ subjectId: of(201) }), '/subjectId', 200],
    [await create({ subjectId: 'a', firstName: of(201) }), '/firstName', 200],
    [await create({ phone: of(41) }), '/phone', 40],
    [await tagged(of(101)), '/name', 100],
    [await recorded({ ...event, id: of(65) }), '/events/0/id', 64],
  ] as const) {
    assert.equal(answer.status, 400, pointer)
    assert.deepEqual(answer.json.errors, [{ pointer, detail: `must have at most ${count} characters` }])
  }
  assert.equal((await create({ subjectId: 'b', customFields: { [of(101)]: 1 } })).status, 400)
})

test('a field that other services call otherwise is named', async () => {
  for (const [name, meant, path = '/api/contacts'] of [
    ['email_address', 'email'],
    ['FNAME', 'firstName'],
    ['name', 'firstName'],
    ['merge_fields', 'customFields'],
    ['attribs', 'customFields'],
    ['html', 'body', '/api/templates'],
    ['text_part', 'text', '/api/templates'],
    ['html', 'body', '/api/broadcasts'],
    ['subject_line', 'subject', '/api/broadcasts'],
    ['lists', 'segmentId', '/api/broadcasts'],
  ] as const) {
    const known = path === '/api/contacts' ? { email: 'q@example.com' } : { name: 'News' }
    const { status, json } = await api.call('POST', path, { json: { ...known, [name]: null } })
    assert.deepEqual([status, json.detail], [400, `/${name} is not a known field; did you mean ${meant}?`])
  }
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

test('a contact shows its tags, consent, topics and suppression, wherever it is answered, and no new version for them', async () => {
  const email = 'shown@example.com'
  const created = await create({ email, tags: ['VIP', ' vip ', 'Beta'] })
  assert.deepEqual(created.json.tags, ['Beta', 'VIP'])
  const { id } = created.json
  const post = async (path: string, json: object) => (await api.call('POST', path, { json })).json
  const news = await post('/api/topics', { name: 'News' })
  const offers = await post('/api/topics', { name: 'Offers' })
  const set = (topicId: string, state: string) =>
    api.call('PUT', `/api/contacts/${id}/topics/${topicId}`, { json: { state } })
  await set(news.id, 'subscribed')
  await set(offers.id, 'unsubscribed')
  await post('/api/suppressions', { destination: email })
  await instance.sql(`insert into contact_consents (workspace_id, contact_id, provenance, confirmed_at)
    values (1, ${id}, 'imported', '2026-01-02T03:04:05Z')`)
  const answer = await api.call('GET', `/api/contacts/${id}`)
  const { tags, consent, topics, unsubscribedFrom, suppression } = answer.json
  assert.deepEqual(tags, ['Beta', 'VIP'])
  assert.deepEqual(consent, { provenance: 'imported', optedInAt: null, confirmedAt: '2026-01-02T03:04:05.000000Z' })
  assert.deepEqual(topics, [
    { topicId: news.id, name: 'News', state: 'subscribed' },
    { topicId: offers.id, name: 'Offers', state: 'unsubscribed' },
  ])
  assert.deepEqual(unsubscribedFrom, [`topic:${offers.id}`])
  assert.equal(suppression.reason, 'manual')
  assert.match(suppression.createdAt, UTC)
  assert.equal(answer.headers.etag, created.headers.etag)
  assert.deepEqual((await list(`email=${email}`)).items, [answer.json])
  const ifMatch = { 'if-match': String(created.headers.etag) }
  const changed = await api.call('PATCH', `/api/contacts/${id}`, { json: { firstName: 'Ada' }, headers: ifMatch })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.json.tags, ['Beta', 'VIP'])
})

test('tags that are none are named, and nobody is created', async () => {
  const { status, json } = await create({ email: 'tagless@example.com', tags: ['ok', ' '] })
  assert.equal(status, 400)
  assert.deepEqual(json.errors, [{ pointer: '/tags/1', detail: 'must not be empty' }])
  assert.equal((await list('email=tagless@example.com')).totalItems, 0)
})

test('a time zone is kept as it is spelt, under each of its names', async () => {
  for (const [given, kept] of [
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['utc', 'UTC'],
  ] as const) {
    const { status, json } = await create({ subjectId: `zone ${given}`, timeZone: given })
    assert.deepEqual([status, json.timeZone], [201, kept])
  }
})

const put = (json: object, query = '') => api.call('PUT', `/api/contacts${query}`, { json })
const eventsOf = async (id: string) =>
  (await instance.sql(`select name from outbox where contact_id = ${id} order by tx, position`)).map(({ name }) => name)

test('PUT creates a contact or changes the one that is there, and the same again changes nothing', async () => {
  const created = await put({ email: 'put@example.com', firstName: 'Ada', customFields: { a: 1 }, tags: ['Put'] })
  assert.equal(created.status, 200)
  const { id } = created.json
  const changed = await put({ subjectId: 'put', email: 'put@example.com', firstName: 'Bea', customFields: { b: 2 } })
  assert.equal(changed.status, 200)
  const { subjectId, firstName, customFields, tags } = changed.json
  assert.deepEqual(
    { id: changed.json.id, subjectId, firstName, customFields, tags },
    { id, subjectId: 'put', firstName: 'Bea', customFields: { a: 1, b: 2 }, tags: ['Put'] },
  )
  const moved = await put({ subjectId: 'put', email: 'moved@example.com', firstName: null })
  assert.deepEqual([moved.json.id, moved.json.email, moved.json.firstName], [id, 'moved@example.com', null])
  const same = await put({ subjectId: 'put', email: 'moved@example.com', customFields: { a: 1 } })
  assert.deepEqual(same.json, moved.json)
  const filled = await put({ subjectId: 'put', email: 'other@example.com', lastName: 'Byron' }, '?mode=fill')
  assert.deepEqual([filled.json.email, filled.json.lastName], ['moved@example.com', 'Byron'])
  assert.deepEqual(await eventsOf(id), [
    ...['contact.created', 'contact.tagged'],
    ...['contact.updated', 'contact.updated', 'contact.updated'],
  ])
})

test('PUT refuses what creating refuses', async () => {
  await create({ subjectId: 'put-1', email: 'put-1@example.com' })
  const taken = await put({ subjectId: 'put-2', email: 'put-1@example.com', firstName: 'Eve' })
  assert.deepEqual([taken.status, taken.json.firstName], [200, 'Eve'])
  await create({ subjectId: 'put-3' })
  const clash = await put({ subjectId: 'put-3', email: 'put-1@example.com' })
  assert.deepEqual([clash.status, clash.json.errors[0].pointer], [409, '/email'])
  assert.equal((await put({ firstName: 'nobody' })).status, 400)
  assert.equal((await put({ email: 'a@example.com', timeZone: 'Mars/Olympus' })).status, 400)
  await api.call('POST', '/api/custom-fields', { json: { key: 'put_age', type: 'number' } })
  const unfit = await put({ subjectId: 'put-3', customFields: { put_age: 'old' } })
  assert.deepEqual([unfit.status, unfit.json.errors[0].pointer], [422, '/customFields/put_age'])
})

test('a list is in the order asked for, and narrowed to a value of a custom field', async () => {
  for (const [n, name] of ['c', 'a', 'b'].entries()) {
    await create({ email: `${name}@sorted.example`, customFields: { sorted: n % 2 === 0, level: n } })
  }
  await create({ subjectId: 'sorted without', customFields: { sorted: true } })
  const names = async (query: string) =>
    (await list(query)).items.map(({ email }: { email: string | null }) => email?.slice(0, 1) ?? '-')
  assert.deepEqual(await names('customField=sorted:true&sort=email'), ['b', 'c', '-'])
  assert.deepEqual(await names('customField=sorted:true&sort=-email'), ['-', 'c', 'b'])
  assert.deepEqual(await names('customField=level:1'), ['a'])
  assert.deepEqual(await names('customField=level:7'), [])
  assert.deepEqual(await names('search=sorted&sort=-updatedAt'), ['-', 'b', 'a', 'c'])
  const { totalItems } = await list('')
  for (const sort of ['email', 'updatedAt']) {
    const pages = Math.ceil(totalItems / 5)
    const ids: string[] = []
    for (let page = 1; page <= pages; page++) {
      const { items } = await list(`sort=${sort}&pageSize=5&page=${page}`)
      ids.push(...items.map(({ id }: { id: string }) => id))
    }
    assert.equal(new Set(ids).size, totalItems)
    const back = await list(`sort=-${sort}&pageSize=1000`)
    assert.deepEqual(back.items.map(({ id }: { id: string }) => id).reverse(), ids)
  }
  const keyAlone = await api.call('GET', '/api/contacts?customField=plan')
  assert.deepEqual([keyAlone.status, /such as plan:pro$/.test(keyAlone.json.detail)], [400, true])
})
