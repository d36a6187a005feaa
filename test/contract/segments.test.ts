import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Segment. */
const FIELDS = ['id', 'name', 'definition', 'createdAt', 'updatedAt']
const EVERYBODY = ''

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const rule = (field: string, operator: string, value: unknown = '') => ({ field, operator, value })
const define = (...rules: object[]) => JSON.stringify({ combinator: 'and', rules })
const create = (json: object) => api.call('POST', '/api/segments', { json })
const preview = (definition: string | null) => api.call('POST', '/api/segments/preview', { json: { definition } })
const makeContact = async (json: object): Promise<string> => (await api.call('POST', '/api/contacts', { json })).json.id

test('a segment comes back as it was given, to the character', async () => {
  const definition = `  {"rules" : [ {"id":"r1","field":"email","operator":"endsWith","value":"\\u0040example.com"} ],"combinator":"and"}`
  const { status, json } = await create({ name: ' Example people ', definition })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), FIELDS)
  assert.equal(json.name, 'Example people')
  assert.equal(json.definition, definition)
  const read = await api.call('GET', `/api/segments/${json.id}`)
  assert.deepEqual([read.status, read.json], [200, json])
  const { json: list } = await api.call('GET', '/api/segments?pageSize=1000')
  assert.deepEqual(
    list.items.find((item: { id: string }) => item.id === json.id),
    json,
  )
  assert.equal(list.totalItems, list.items.length)
})

test('a change keeps what it does not name, and heeds If-Match', async () => {
  const made = await create({ name: 'Before', definition: EVERYBODY })
  const path = `/api/segments/${made.json.id}`
  const changed = await api.call('PATCH', path, { json: { name: 'After' } })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.json, { ...made.json, name: 'After', updatedAt: changed.json.updatedAt })
  assert.ok(changed.json.updatedAt > made.json.updatedAt)
  const stale = { headers: { 'if-match': String(made.headers.etag) } }
  assert.equal((await api.call('PATCH', path, { json: { name: 'Later' }, ...stale })).status, 412)
  assert.equal((await api.call('DELETE', path, stale)).status, 412)
  const fresh = { headers: { 'if-match': String(changed.headers.etag) } }
  const definition = define(rule('phone', 'notNull'))
  const again = await api.call('PATCH', path, { json: { definition }, ...fresh })
  assert.deepEqual([again.status, again.json.name, again.json.definition], [200, 'After', definition])
  const same = await api.call('PATCH', path, { json: { name: 'After', definition } })
  assert.deepEqual(same.json, again.json)
  assert.equal((await api.call('DELETE', path)).status, 204)
  assert.equal((await api.call('GET', path)).status, 404)
})

test('a name is unique in its workspace whatever its case, and not blank', async () => {
  const first = await create({ name: 'Taken', definition: EVERYBODY })
  const second = await create({ name: ' tAKEN', definition: EVERYBODY })
  assert.equal(second.status, 409)
  assert.deepEqual(second.json.errors, [{ pointer: '/name', detail: 'belongs to another segment of this workspace' }])
  const other = await create({ name: 'Free', definition: EVERYBODY })
  const renamed = await api.call('PATCH', `/api/segments/${other.json.id}`, { json: { name: 'taken' } })
  assert.equal(renamed.status, 409)
  const recased = await api.call('PATCH', `/api/segments/${first.json.id}`, { json: { name: 'TAKEN' } })
  assert.equal(recased.status, 200)
  for (const name of ['', '  ', 'x'.repeat(201), 'a\nb']) {
    const { status, json } = await create({ name, definition: EVERYBODY })
    assert.deepEqual([status, json.errors[0].pointer], [400, '/name'], JSON.stringify(name))
  }
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('same-names'))
  const theirs = await api.call('POST', '/api/segments', { token, json: { name: 'Taken', definition: EVERYBODY } })
  assert.equal(theirs.status, 201)
})

test('the list searches in names', async () => {
  for (const name of ['Söarch One', 'sÖARCH two', 'else 100%']) await create({ name, definition: EVERYBODY })
  const found = async (search: string) =>
    (await api.call('GET', `/api/segments?search=${encodeURIComponent(search)}`)).json
  assert.deepEqual([(await found('SÖARCH')).totalItems, (await found('0%')).totalItems], [2, 1])
  assert.deepEqual((await found('nothing has this')).items, [])
  const { json: page } = await api.call('GET', '/api/segments?search=s%C3%B6arch&page=2&pageSize=1')
  assert.deepEqual([page.items.length, page.items[0].name, page.totalPages], [1, 'sÖARCH two', 2])
})

test('a definition that is wrong is a 422 pointing at each rule, on every way in', async () => {
  const { json: made } = await create({ name: 'To be spoilt', definition: EVERYBODY })
  const wrong = JSON.stringify({
    combinator: 'or',
    rules: [
      { combinator: 'and', rules: [rule('email', 'notNull'), rule('created_at', 'after', 'soon')] },
      rule('x', '='),
    ],
  })
  for (const answer of [
    await create({ name: 'Wrong', definition: wrong }),
    await api.call('PATCH', `/api/segments/${made.id}`, { json: { definition: wrong } }),
    await preview(wrong),
  ]) {
    assert.deepEqual([answer.status, answer.json.code], [422, 'unprocessable'])
    assert.deepEqual(
      answer.json.errors.map((error: { pointer: string }) => error.pointer),
      ['/definition/rules/0/rules/1/value', '/definition/rules/1/field'],
    )
  }
  assert.equal((await create({ name: 'Too long', definition: ' '.repeat(65_537) })).status, 400)
  assert.equal((await create({ name: 'No text', definition: { rules: [] } })).status, 400)
})

test('a preview counts exactly and shows ten contacts in full', async () => {
  const ids: string[] = []
  for (let n = 0; n < 12; n++) {
    ids.push(await makeContact({ subjectId: `preview-${n}`, firstName: 'Preview', customFields: { n } }))
  }
  const all = await preview(define(rule('first_name', '=', 'Preview')))
  assert.equal(all.status, 200)
  assert.equal(all.json.count, 12)
  const sampled = all.json.sample.map((contact: { id: string }) => contact.id)
  assert.deepEqual(sampled, ids.slice(0, 10))
  const { json: first } = await api.call('GET', `/api/contacts/${ids[0]}`)
  assert.deepEqual(all.json.sample[0], first)
  const few = await preview(define(rule('firstName', '=', 'Preview'), rule('custom:n', '>=', '10')))
  assert.equal(few.json.count, 2)
  const { json: everybody } = await api.call('GET', '/api/contacts')
  for (const definition of [null, '', '{"rules":[]}']) {
    assert.equal((await preview(definition)).json.count, everybody.totalItems)
  }
  assert.equal((await api.call('POST', '/api/segments/preview', { json: {} })).json.count, everybody.totalItems)
  const nobody = (await preview('{"rules":[],"not":true}')).json
  assert.deepEqual(nobody, { count: 0, sample: [] })
})

test('a stored segment can be previewed, and changes with its contacts', async () => {
  const { json: segment } = await create({ name: 'Paying', definition: define(rule('custom:plan', '=', 'pro')) })
  const counted = async () => (await api.call('GET', `/api/segments/${segment.id}/preview`)).json.count
  assert.equal(await counted(), 0)
  const id = await makeContact({ subjectId: 'paying', customFields: { plan: 'pro' } })
  assert.equal(await counted(), 1)
  await api.call('PATCH', `/api/contacts/${id}`, { json: { customFields: { plan: 'free' } } })
  assert.equal(await counted(), 0)
})

test('contacts are listed by segment, page by page, with the exact total', async () => {
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await makeContact({ subjectId: `listed-${n}`, lastName: 'Listed' }))
  const { json: segment } = await create({ name: 'Listed', definition: define(rule('last_name', '=', 'Listed')) })
  const listed = (query: string) => api.call('GET', `/api/contacts?segmentId=${segment.id}${query}`)
  const { json: second } = await listed('&page=2&pageSize=2')
  assert.deepEqual(
    second.items.map((contact: { id: string }) => contact.id),
    ids.slice(2, 4),
  )
  assert.deepEqual([second.totalItems, second.totalPages], [5, 3])
  assert.equal((await listed('&subjectId=listed-4')).json.totalItems, 1)
  const { status, json } = await api.call('GET', '/api/contacts?segmentId=900000000')
  assert.deepEqual([status, json.errors[0].pointer], [422, '/segmentId'])
})

test('a stored segment whose field got another type is refused wherever it is used, not guessed at', async () => {
  await makeContact({ subjectId: 'retyped', customFields: { shoeSize: 43 } })
  const { json: segment } = await create({ name: 'Big feet', definition: define(rule('custom:shoeSize', '>', '42')) })
  const list = () => api.call('GET', `/api/contacts?segmentId=${segment.id}`)
  assert.equal((await list()).json.totalItems, 1)
  await instance.sql(`update custom_fields set type = 'datetime' where key = 'shoeSize'`)
  const stored = await api.call('GET', `/api/segments/${segment.id}/preview`)
  assert.deepEqual([stored.status, stored.json.errors[0].pointer], [422, '/definition/rules/0/value'])
  const listed = await list()
  assert.deepEqual([listed.status, listed.json.errors[0].pointer], [422, '/segmentId'])
  assert.match(listed.json.detail, /no longer holds: \/definition\/rules\/0\/value must be a date/)
})

test('birthdays are found by their day of the year, with and without one, and in templates they have a month', async () => {
  await api.call('POST', '/api/custom-fields', { json: { key: 'born', type: 'date' } })
  const bornOn = (subjectId: string, born: string) =>
    api.call('POST', '/api/contacts', { json: { subjectId, customFields: { born } } })
  // Tomorrow: it is within a day still when midnight passes meanwhile.
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const near = [tomorrow.slice(0, 10), `1980${tomorrow.slice(4, 10)}`, `-${tomorrow.slice(4, 10)}`]
  // Half a year away, whatever the day is.
  const far = new Date(Date.parse(tomorrow) + 180 * 86_400_000).toISOString().slice(4, 10)
  for (const [n, born] of [...near, `1980${far}`, `-${far}`].entries()) {
    const { json } = await bornOn(`born-${n}`, born)
    assert.equal(json.customFields.born, born)
  }
  const ids = async (operator: string, value: unknown) => {
    const { json } = await api.call('POST', '/api/segments/preview', {
      json: { definition: define(rule('custom:born', operator, value)) },
    })
    return json.sample.map(({ subjectId }: { subjectId: string }) => subjectId)
  }
  assert.deepEqual(await ids('anniversaryWithinDays', 1), ['born-0', 'born-1', 'born-2'])
  assert.deepEqual(await ids('before', '1981-01-01'), ['born-1', 'born-3'])
  const unfit = await bornOn('unborn', '24.12.1980')
  assert.deepEqual([unfit.status, unfit.json.errors[0].pointer], [422, '/customFields/born'])
  const preview = { subject: '{{ born | date: "%B %-d" }}', body: '<p>x</p>', variables: { born: '--12-24' } }
  const { json } = await api.call('POST', '/api/templates/preview', { json: preview })
  assert.equal(json.subject, 'December 24')
})

test('events that were recorded count at once they are stored', async () => {
  await makeContact({ subjectId: 'buyer' })
  const placed = (price: number) => ({ action: 'order.placed', subjectId: 'buyer', properties: { price } })
  await api.call('POST', '/api/events', { json: { events: [placed(10), placed(60), placed(70)] } })
  const condition = { property: 'price', operator: '>', value: '50' }
  const value = { atLeast: 2, withinLastDays: 1, where: [condition] }
  const counts = async (given: unknown) =>
    (await preview(define(rule('event:order.placed', 'performed', given)))).json.count
  await eventually('the events are stored', async () => (await counts(value)) === 1)
  assert.equal(await counts(JSON.stringify({ ...value, atLeast: 3 })), 0)
  assert.equal(await counts('30'), 1)
})

test('a segment refers to others, which then cannot be deleted, nor lead back to it', async () => {
  const { json: inner } = await create({ name: 'Inner', definition: define(rule('first_name', '=', 'Nobody')) })
  const refer = define(rule('segment', 'doesNotHave', inner.id))
  const { json: outer } = await create({ name: 'Outer', definition: refer })
  const { json: everybody } = await api.call('GET', '/api/contacts')
  assert.equal((await api.call('GET', `/api/segments/${outer.id}/preview`)).json.count, everybody.totalItems)
  const refused = await api.call('DELETE', `/api/segments/${inner.id}`)
  assert.equal(refused.status, 409)
  assert.match(refused.json.detail, new RegExp(`the segment “Outer” \\(${outer.id}\\)`))
  const circle = define(rule('segment', 'has', outer.id))
  const bent = await api.call('PATCH', `/api/segments/${inner.id}`, { json: { definition: circle } })
  assert.equal(bent.status, 422)
  assert.equal(bent.json.errors[0].pointer, '/definition/rules/0/value')
  assert.match(bent.json.detail, /leads back to itself/)
  assert.equal((await api.call('DELETE', `/api/segments/${outer.id}`)).status, 204)
  assert.equal((await api.call('DELETE', `/api/segments/${inner.id}`)).status, 204)
})

test('two segments that come to refer to each other at the same time do not make a circle', async () => {
  const { json: one } = await create({ name: 'Left', definition: EVERYBODY })
  const { json: other } = await create({ name: 'Right', definition: EVERYBODY })
  const point = (from: string, to: string) =>
    api.call('PATCH', `/api/segments/${from}`, { json: { definition: define(rule('segment', 'has', to)) } })
  const answers = await Promise.all([point(one.id, other.id), point(other.id, one.id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
})

test('a change that would make another segment unsound is refused, naming that one', async () => {
  const chain: string[] = []
  for (let n = 0; n < 7; n++) chain.push((await create({ name: `Link ${n}`, definition: EVERYBODY })).json.id)
  const link = (n: number) => {
    const json = { definition: define(rule('segment', 'has', chain[n + 1])) }
    return api.call('PATCH', `/api/segments/${chain[n]}`, { json })
  }
  for (const n of [0, 1, 2, 3]) assert.equal((await link(n)).status, 200)
  const refused = await link(4)
  assert.equal(refused.status, 422)
  assert.match(refused.json.detail, /not possible while the segment “Link 0”/)
})

test("another workspace's segments, tags and fields are as if they were not there", async () => {
  const workspaceId = await instance.makeWorkspace('segments-neighbour')
  const token = await instance.makeToken(undefined, workspaceId)
  const theirs = await api.call('POST', '/api/segments', { token, json: { name: 'Theirs', definition: EVERYBODY } })
  await api.call('POST', '/api/contacts', { token, json: { subjectId: 'theirs', customFields: { secret: 'x' } } })
  await instance.sql(`insert into tags (workspace_id, name) values ($1, 'their tag')`, [workspaceId])
  for (const id of [theirs.json.id, '900000000', '9223372036854775808', 'x']) {
    const { status, json } = await preview(define(rule('segment', 'has', id)))
    assert.equal(status, 422)
    assert.equal(json.errors[0].detail, 'must be the id of a segment of this workspace')
  }
  assert.equal((await preview(define(rule('tag', 'has', 'their tag')))).json.count, 0)
  assert.equal((await preview(define(rule('custom:secret', 'notNull')))).json.count, 0)
})

test('changes are in the audit log, without what a definition may know of people, and go out as events', async () => {
  const definition = define(rule('email', '=', 'ada.secret@example.com'))
  const { json: made } = await create({ name: 'Audited', definition: EVERYBODY })
  await api.call('PATCH', `/api/segments/${made.id}`, { json: { name: 'Audited again', definition } })
  await api.call('DELETE', `/api/segments/${made.id}`)
  const { json: log } = await api.call('GET', `/api/audit-entries?targetType=segment&targetId=${made.id}`)
  const actions = log.items.map((entry: { action: string }) => entry.action)
  assert.deepEqual(actions, ['segment.delete', 'segment.update', 'segment.create'])
  assert.doesNotMatch(JSON.stringify(log), /ada\.secret/)
  assert.deepEqual(log.items[1].diff, { name: { from: 'Audited', to: 'Audited again' }, definition: 'changed' })
  const events = () =>
    instance.sql<{ name: string; data: object }>(
      `select name, data from events where name like 'segment.%' and data ->> 'segmentId' = $1 order by id`,
      [made.id],
    )
  await eventually('the events are stored', async () => (await events()).length === 3)
  const data = { workspaceId: 1, segmentId: Number(made.id) }
  assert.deepEqual(await events(), [
    { name: 'segment.created', data: { ...data, name: 'Audited' } },
    { name: 'segment.updated', data: { ...data, name: 'Audited again', changed: ['name', 'definition'] } },
    { name: 'segment.deleted', data: { ...data, name: 'Audited again' } },
  ])
})

test('the dashboard has the same operations behind its own door', async () => {
  const login = await send('POST', `${instance.baseUrl}/site/auth/login`, {
    json: { email: instance.email, password: instance.password },
  })
  const cookie = String(login.headers['set-cookie']).split(';')[0] as string
  const { json: workspaces } = await send('GET', `${instance.baseUrl}/site/workspaces`, { headers: { cookie } })
  const base = `${instance.baseUrl}/site/workspaces/${(workspaces.items ?? workspaces)[0].slug}/segments`
  const made = await send('POST', base, { headers: { cookie }, json: { name: 'From the site', definition: '' } })
  assert.deepEqual([made.status, Object.keys(made.json)], [201, FIELDS])
  const shown = await send('POST', `${base}/preview`, { headers: { cookie }, json: { definition: null } })
  assert.equal(shown.status, 200)
  const read = await send('GET', `${base}/${made.json.id}`, { headers: { cookie } })
  assert.deepEqual(read.json, made.json)
})

test('a custom field that is renamed takes the rules about it along, and nothing else', async () => {
  await makeContact({ subjectId: 'renamed-1', customFields: { shoe: 46 } })
  const { json: fields } = await api.call('GET', '/api/custom-fields?key=shoe')
  const rules = [rule('custom:shoe', '=', 46), rule('subject_id', '!=', 'custom:shoe'), rule('custom:shoes', 'null')]
  const definition = JSON.stringify({
    id: 'own',
    combinator: 'and',
    rules: [
      ...rules,
      { combinator: 'or', not: true, rules: [rule('custom:shoe', '>', JSON.rawJSON('9007199254740993'))] },
    ],
  })
  const segment = await create({ name: 'Large shoes', definition })
  const other = await create({ name: 'Other shoes', definition: define(rule('custom:shoes', 'notNull')) })
  const path = `/api/custom-fields/${fields.items[0].id}`
  assert.equal((await api.call('PATCH', path, { json: { key: 'shoe size' } })).status, 200)
  const { json: after } = await api.call('GET', `/api/segments/${segment.json.id}`)
  assert.equal(after.definition, definition.replaceAll('"field":"custom:shoe"', '"field":"custom:shoe size"'))
  assert.ok(after.updatedAt > segment.json.updatedAt)
  assert.deepEqual((await api.call('GET', `/api/segments/${other.json.id}`)).json, other.json)
  assert.equal((await preview(after.definition)).json.count, 1)
  const log = await api.call('GET', `/api/audit-entries?targetType=segment&targetId=${after.id}&action=segment.update`)
  assert.deepEqual(
    log.json.items.map(({ diff }: { diff: object }) => diff),
    [{ definition: 'changed' }],
  )
  const id = 'x'.repeat(65_400)
  const long = JSON.stringify({ id, combinator: 'and', rules: [rule('custom:shoe size', 'notNull')] })
  assert.equal((await create({ name: 'No room', definition: long })).status, 201)
  // Until the first rename has ended, that is what it is told.
  await eventually('the rename is refused for the definition that has no room', async () => {
    const refused = await api.call('PATCH', path, { json: { key: 'k'.repeat(100) } })
    assert.equal(refused.status, 422)
    return refused.json.detail.includes('“No room”')
  })
})
