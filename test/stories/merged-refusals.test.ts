import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

let instance: TestedInstance
before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

const call = apiCall(() => instance)

test('a merged contact is told why the one that became part of it did not come in', async () => {
  const { id } = await call('POST', '/api/automations', {
    name: 'Large carts',
    definition: {
      ...{ format: 1, start: 'rest', nodes: { rest: { type: 'delay', days: 1, to: 'end' } } },
      enter: { on: [{ event: 'cart', where: [{ property: 'total', operator: '>=', value: 20 }] }] },
    },
  })
  await call('POST', `/api/automations/${id}/activate`)
  const made = (email: string) => call('POST', '/api/contacts', { email })
  const [inside, refused] = [await made('inside@example.com'), await made('refused@example.com')]
  const record = (email: string, total: number) =>
    call('POST', '/api/events', { events: [{ action: 'cart', email, properties: { total } }] })
  const explain = (contactId: string) => call('GET', `/api/automations/${id}/explain?contactId=${contactId}`)
  await record('inside@example.com', 30)
  await eventually('one is inside', async () => (await explain(inside.id)).isInside)
  await record('refused@example.com', 10)
  await eventually('one is refused', async () => (await explain(refused.id)).entries[0]?.refusal === 'filter')
  await call('POST', `/api/contacts/${inside.id}/merge`, { contactId: refused.id })
  const { entries, story } = await explain(inside.id)
  const [{ entries: times, refusals, refusal, refusedEvent, values }] = entries
  assert.deepEqual([times, refusals, refusal, refusedEvent], [1, 1, 'filter', 'cart'])
  assert.deepEqual(values, { 'event.total': 10 })
  assert.match(story.join(' '), /did not pass the filter of the trigger/)
})
