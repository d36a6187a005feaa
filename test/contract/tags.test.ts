import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Tag. */
const FIELDS = ['id', 'name', 'createdAt']
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/

let instance: TestedInstance
let api: DescribedApi
let stranger: string

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
  stranger = await instance.makeToken(undefined, await instance.makeWorkspace('strangers'))
})
after(() => instance.close())

const create = (name: string) => api.call('POST', '/api/tags', { json: { name } })
const contact = async (subjectId: string) =>
  (await api.call('POST', '/api/contacts', { json: { subjectId } })).json.id as string
const apply = (contactId: string, name: string) =>
  api.call('POST', `/api/contacts/${contactId}/tags`, { json: { name } })
const remove = (contactId: string, name: string) =>
  api.call('DELETE', `/api/contacts/${contactId}/tags/${encodeURIComponent(name)}`)
const tagsOf = async (contactId: string) =>
  (await api.call('GET', `/api/contacts/${contactId}/tags`)).json.items.map(({ name }: { name: string }) => name)

test('a tag is its id, its name and when it was created', async () => {
  const { status, json, headers } = await create(' Field test ')
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), FIELDS)
  assert.match(json.id, /^[0-9]+$/)
  assert.match(json.createdAt, UTC)
  assert.equal(json.name, 'Field test')
  const read = await api.call('GET', `/api/tags/${json.id}`)
  assert.deepEqual([read.status, read.json, read.headers.etag], [200, json, headers.etag])
})

test('tags are a page-based list by name, searched by a part of it', async () => {
  for (const name of ['list b', 'list a', 'LIST 0']) await create(name)
  const { status, json } = await api.call('GET', '/api/tags?search=list&pageSize=2')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json), ['items', 'page', 'pageSize', 'totalItems', 'totalPages'])
  assert.deepEqual(
    json.items.map(({ name }: { name: string }) => name),
    ['LIST 0', 'list a'],
  )
  assert.deepEqual([json.page, json.pageSize, json.totalItems, json.totalPages], [1, 2, 3, 2])
  for (const item of json.items) assert.deepEqual(Object.keys(item), FIELDS)
  for (const query of ['page=0', 'pageSize=1001', 'other=1']) {
    assert.equal((await api.call('GET', `/api/tags?${query}`)).status, 400, query)
  }
})

test('a contact gets a tag by its name, which creates it, and the same again is the same', async () => {
  const id = await contact('tagged')
  const first = await apply(id, 'Größe/XL ✓')
  assert.equal(first.status, 200)
  assert.deepEqual(Object.keys(first.json), FIELDS)
  assert.deepEqual((await apply(id, 'größe/xl ✓')).json, first.json)
  assert.deepEqual(await tagsOf(id), ['Größe/XL ✓'])
  assert.deepEqual((await api.call('GET', `/api/tags/${first.json.id}/count`)).json, { contactCount: 1 })
  const listed = await api.call('GET', `/api/contacts?tag=${encodeURIComponent('GRÖSSE/xl ✓'.replace('SS', 'ß'))}`)
  assert.deepEqual([listed.json.totalItems, listed.json.items[0]?.id], [1, id])
  for (let again = 0; again < 2; again++) assert.equal((await remove(id, 'größe/XL ✓')).status, 204)
  assert.deepEqual(await tagsOf(id), [])
  assert.deepEqual((await api.call('GET', `/api/tags/${first.json.id}/count`)).json, { contactCount: 0 })
})

test('a name that is none is a 400, a contact that is not there a 404, whoever asks', async () => {
  const id = await contact('strict')
  for (const name of ['', ' ', 'x'.repeat(101), 'a\nb']) {
    const { status, json } = await apply(id, name)
    assert.deepEqual([status, json.errors[0].pointer], [400, '/name'], JSON.stringify(name))
  }
  const bodies = [{}, { name: 1 }, { name: 'a', colour: 'red' }]
  for (const json of bodies) assert.equal((await api.call('POST', '/api/tags', { json })).status, 400)
  const own = await apply(id, 'own')
  for (const [method, path, json] of [
    ['GET', `/api/contacts/${id}/tags`],
    ['POST', `/api/contacts/${id}/tags`, { name: 'own' }],
    ['DELETE', `/api/contacts/${id}/tags/own`],
    ['GET', `/api/tags/${own.json.id}`],
    ['GET', `/api/tags/${own.json.id}/count`],
    ['PATCH', `/api/tags/${own.json.id}`, { name: 'theirs' }],
    ['DELETE', `/api/tags/${own.json.id}`],
  ] as const) {
    const theirs = await api.call(method, path, { token: stranger, ...(json ? { json } : {}) })
    const missing = await api.call(method, path.replace(/\d+/, '987654321'), json ? { json } : {})
    assert.deepEqual([theirs.status, missing.status], [404, 404], `${method} ${path}`)
  }
  assert.equal((await api.call('GET', '/api/contacts/x1/tags')).status, 400)
  assert.deepEqual(await tagsOf(id), ['own'])
  assert.equal((await api.call('GET', '/api/tags', { token: stranger })).json.totalItems, 0)
})

test('a tag is renamed for all of its contacts; a name in use is a 409 that names it', async () => {
  const id = await contact('renamed')
  const { json: tag, headers } = await create('before')
  await apply(id, 'Before')
  await create('in use')
  const rename = (json: object, etag?: string) =>
    api.call('PATCH', `/api/tags/${tag.id}`, { json, headers: etag ? { 'if-match': etag } : {} })
  const clash = await rename({ name: 'IN use' })
  assert.deepEqual([clash.status, clash.json.errors], [409, [{ pointer: '/name', detail: 'is already taken' }]])
  const renamed = await rename({ name: 'after' }, headers.etag as string)
  assert.deepEqual([renamed.status, renamed.json], [200, { ...tag, name: 'after' }])
  assert.equal((await rename({ name: 'late' }, headers.etag as string)).status, 412)
  assert.deepEqual((await rename({})).json, renamed.json)
  assert.deepEqual(await tagsOf(id), ['after'])
})

test('a deleted tag is off every list at once, and its contacts hear of it', async () => {
  const ids = await Promise.all(['deleted-1', 'deleted-2'].map(contact))
  const [first] = await Promise.all(ids.map((id) => apply(id, 'to delete')))
  const { id } = first!.json
  assert.equal((await api.call('DELETE', `/api/tags/${id}`)).status, 204)
  assert.equal((await api.call('DELETE', `/api/tags/${id}`)).status, 404)
  assert.deepEqual(await tagsOf(ids[0]!), [])
  assert.equal((await api.call('GET', '/api/contacts?tag=to%20delete')).json.totalItems, 0)
  await eventually('an event for each contact', async () => {
    const told = await instance.sql(`select from outbox where type = 'contact.untagged' and data->>'tagId' = $1`, [id])
    return told.length === 2
  })
  assert.deepEqual(await instance.sql('select from contact_tags where tag_id = $1', [id]), [])
})

test('reading needs contacts:read, changing contacts:write', async () => {
  const id = await contact('scoped')
  const reader = await instance.makeToken(['contacts:read'])
  const writer = await instance.makeToken(['contacts:write'])
  const { json: tag } = await create('scoped')
  for (const [method, path, json] of [
    ['GET', '/api/tags'],
    ['GET', `/api/tags/${tag.id}`],
    ['GET', `/api/tags/${tag.id}/count`],
    ['GET', `/api/contacts/${id}/tags`],
    ['POST', '/api/tags', { name: 'no' }],
    ['PATCH', `/api/tags/${tag.id}`, { name: 'no' }],
    ['DELETE', `/api/tags/${tag.id}`],
    ['POST', `/api/contacts/${id}/tags`, { name: 'no' }],
    ['DELETE', `/api/contacts/${id}/tags/no`],
  ] as const) {
    const call = json ? { json } : {}
    const token = method === 'GET' ? writer : reader
    assert.equal((await api.call(method, path, { ...call, token })).status, 403, `${method} ${path}`)
  }
})

test('segments follow a tag to its new name, however they name it', async () => {
  const { json: tag } = await create('Beta, early')
  const { json: other } = await create('Gold')
  const [inside, outside] = [await contact('beta-in'), await contact('beta-out')]
  await apply(inside, 'beta, early')
  const rule = (operator: string, value: unknown) => ({ field: 'tag', operator, value })
  const rules = [
    rule('has', ' BETA, early '),
    rule('in', 'gold,beta\\, early'),
    rule('notIn', ['Gold', 'Beta, early']),
    rule('has', 'Beta'),
  ]
  const segments: { id: string }[] = []
  for (const [n, one] of rules.entries()) {
    const definition = JSON.stringify({ combinator: 'and', rules: [{ combinator: 'or', rules: [one] }] })
    segments.push((await api.call('POST', '/api/segments', { json: { name: `Beta ${n}`, definition } })).json)
  }
  const refused = await api.call('DELETE', `/api/tags/${tag.id}`)
  assert.deepEqual([refused.status, refused.json.code], [409, 'in-use'])
  assert.deepEqual(
    refused.json.usedBy.map(({ id }: { id: string }) => id),
    segments.slice(0, 3).map(({ id }) => id),
  )
  const renamed = await api.call('PATCH', `/api/tags/${tag.id}`, { json: { name: 'Early, bird' } })
  assert.equal(renamed.status, 200)
  const values = await Promise.all(
    segments.map(async ({ id }) => {
      const { definition } = (await api.call('GET', `/api/segments/${id}`)).json
      return JSON.parse(definition).rules[0].rules[0].value
    }),
  )
  assert.deepEqual(values, ['Early, bird', 'gold,Early\\, bird', ['Gold', 'Early, bird'], 'Beta'])
  const counts = await Promise.all(
    segments.map(async ({ id }) => (await api.call('GET', `/api/segments/${id}/preview`)).json.count),
  )
  const { json: everybody } = await api.call('GET', '/api/contacts')
  assert.deepEqual(counts, [1, 1, everybody.totalItems - 1, 0])
  assert.ok(outside)
  for (const { id } of segments) assert.equal((await api.call('DELETE', `/api/segments/${id}`)).status, 204)
  for (const { id } of [tag, other]) assert.equal((await api.call('DELETE', `/api/tags/${id}`)).status, 204)
})

test('segments follow a tag that they name by a number, too', async () => {
  const { json: tag } = await create('2024')
  const rules = [{ field: 'tag', operator: 'in', value: [2024, 'Other'] }]
  const definition = JSON.stringify({ combinator: 'and', rules })
  const { json: segment } = await api.call('POST', '/api/segments', { json: { name: 'Class', definition } })
  assert.equal((await api.call('PATCH', `/api/tags/${tag.id}`, { json: { name: 'Class of 2024' } })).status, 200)
  const { json: followed } = await api.call('GET', `/api/segments/${segment.id}`)
  assert.deepEqual(JSON.parse(followed.definition).rules[0].value, ['Class of 2024', 'Other'])
  assert.equal((await api.call('DELETE', `/api/segments/${segment.id}`)).status, 204)
  assert.equal((await api.call('DELETE', `/api/tags/${tag.id}`)).status, 204)
})

test('a tag that an automation names is neither renamed nor deleted', async () => {
  const { json: tag } = await create('Warm')
  const { json: another } = await create('Wa')
  const step = { type: 'apply_tag', tag: ' warm ' }
  const linear = { name: 'Warms', triggerEvent: 'cart.updated', steps: [step] }
  const { status, json: automation } = await api.call('POST', '/api/automations', { json: linear })
  assert.equal(status, 201)
  const inRule = {
    format: 1,
    enter: { on: [{ event: 'x.y' }] },
    start: 'b',
    nodes: {
      b: {
        type: 'branch',
        ways: [{ if: { combinator: 'and', rules: [{ field: 'tag', operator: 'in', value: 'cold,Warm' }] }, to: 'end' }],
        else: 'end',
      },
    },
  }
  const asking = await api.call('POST', '/api/automations', { json: { name: 'Asks', definition: inRule } })
  assert.equal(asking.status, 201)
  const renamed = await api.call('PATCH', `/api/tags/${tag.id}`, { json: { name: 'Hot' } })
  assert.deepEqual([renamed.status, renamed.json.errors[0].pointer], [422, '/name'])
  assert.match(renamed.json.detail, /the automation “Warms”/)
  assert.equal((await api.call('PATCH', `/api/tags/${tag.id}`, { json: { name: 'WARM' } })).status, 200)
  const refused = await api.call('DELETE', `/api/tags/${tag.id}`)
  assert.deepEqual(
    refused.json.usedBy.map(({ id }: { id: string }) => id),
    [automation.id, asking.json.id],
  )
  assert.equal((await api.call('PATCH', `/api/tags/${another.id}`, { json: { name: 'Wo' } })).status, 200)
  for (const { id } of [automation, asking.json]) {
    assert.equal((await api.call('DELETE', `/api/automations/${id}`)).status, 204)
  }
  for (const { id } of [tag, another]) assert.equal((await api.call('DELETE', `/api/tags/${id}`)).status, 204)
})
