import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

let instance: TestedInstance
before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

const call = apiCall(() => instance)
const person = (name: string, tags: string[]) => call('POST', '/api/contacts', { email: `${name}@example.com`, tags })
const rename = async (from: string, to: string) => {
  const [tag] = await instance.sql<{ id: string }>('select id from tags where name = $1', [from])
  await call('PATCH', `/api/tags/${tag!.id}`, { name: to })
}

test('a condition on the events of a tag finds those of before and those behind its rename', async () => {
  const where = [{ property: 'tag', operator: '=', value: 'VIP' }]
  const rule = (operator: string) => ({ field: 'event:contact.tagged', operator, value: { atLeast: 1, where } })
  const rules = { combinator: 'or', rules: [rule('performed'), { combinator: 'and', rules: [rule('performed')] }] }
  const { id } = await call('POST', '/api/segments', { name: 'Became VIP', definition: JSON.stringify(rules) })
  const members = async () => (await call('GET', `/api/contacts?segmentId=${id}`)).totalItems
  await person('ada', ['VIP', 'other'])
  await person('bob', ['other'])
  await eventually('ada is among them', async () => (await members()) === 1)
  await rename('VIP', 'Gold')
  assert.equal(await members(), 1)
  await person('cyd', ['Gold'])
  await eventually('cyd as well', async () => (await members()) === 2)
  assert.doesNotMatch((await call('GET', `/api/segments/${id}`)).definition, /VIP/)
})

test('a list of names of tags in a condition on their events has both names behind a rename', async () => {
  const lists = { one: ['Oslo', 'Rome'], two: 'Rome, Oslo' }
  const idOf = async (name: string, list: unknown) => {
    const where = [{ property: 'tag', operator: 'in', value: list }]
    const rule = { field: 'event:contact.tagged', operator: 'performed', value: { atLeast: 1, where } }
    return (await call('POST', '/api/segments', { name, definition: JSON.stringify({ rules: [rule] }) })).id
  }
  const ids = [await idOf('Cities', lists.one), await idOf('Cities as text', lists.two)]
  await person('flo', ['Oslo'])
  await rename('Oslo', 'Bergen')
  await person('gus', ['Bergen'])
  for (const id of ids)
    await eventually(
      'both are found',
      async () => (await call('GET', `/api/contacts?segmentId=${id}`)).totalItems === 2,
    )
})

test('a tag that is spelt in another case is so wherever it is named, unless an automation hears of it by its spelling', async () => {
  await person('hal', ['lima'])
  const { id } = await call('POST', '/api/segments', {
    name: 'In Lima',
    definition: JSON.stringify({ rules: [{ field: 'tag', operator: '=', value: 'lima' }] }),
  })
  const node = { type: 'tag', add: ['lima'], to: 'end' }
  const made = (enter: object, nodes: object, start: string) =>
    call('POST', '/api/automations', { name: 'Lima', definition: { format: 1, start, enter, nodes } })
  await made({ on: [{ event: 'x' }] }, { t: node }, 't')
  await rename('lima', 'Lima')
  assert.match((await call('GET', `/api/segments/${id}`)).definition, /"Lima"/)
  const where = [{ property: 'tag', operator: '=', value: 'Lima' }]
  await made({ on: [{ event: 'contact.tagged', where }] }, { t: { ...node, add: ['x'] } }, 't')
  const [tag] = await instance.sql<{ id: string }>(`select id from tags where name = 'Lima'`)
  const refused = await send('PATCH', `${instance.baseUrl}/api/tags/${tag!.id}`, {
    ...{ token: instance.token, json: { name: 'LIMA' } },
  })
  assert.equal(refused.status, 422, refused.text)
})

test('work that is under way follows', async () => {
  await person('dan', ['Spring'])
  const csv = 'email,tags\neve@example.com,Spring\n'
  const uploaded = await send('POST', `${instance.baseUrl}/api/contacts/imports`, {
    ...{ token: instance.token, body: csv, headers: { 'content-type': 'text/csv' } },
  })
  assert.equal(uploaded.status, 201, uploaded.text)
  await call('POST', `/api/contacts/imports/${uploaded.json.id}/start`, { tags: ['Spring'] })
  await call('POST', '/api/contacts/exports', { filter: { tag: 'Spring' } })
  await call('POST', '/api/contacts/bulk-acts', { act: 'tag', tag: 'Seen', filter: { tag: 'spring' } })
  const states = () =>
    instance.sql<{ state: string }>(
      'select state from imports union all select state from exports union all select state from bulk_acts',
    )
  await eventually('all is done', async () => (await states()).every(({ state }) => state === 'done'))
  // As if they had not come to it yet.
  for (const table of ['imports', 'exports', 'bulk_acts'])
    await instance.sql(`update ${table} set state = 'running', ended_at = null`)
  await rename('Spring', 'Summer')
  const [found] = await instance.sql(
    `select (select tag_ids -> 'spring' is not null from imports) as imported, (select filter ->> 'tag' from exports) as exported,
       (select filter ->> 'tag' from bulk_acts) as acted`,
  )
  assert.deepEqual(found, { imported: true, exported: 'Summer', acted: 'Summer' })
})
