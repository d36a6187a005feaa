import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createPool } from '../../server/platform/db/pool.ts'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { openTransaction } from '../support/open-transaction.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

let instance: TestedInstance
before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

const call = apiCall(() => instance)

/** An automation into which an event brings people, who rest there; what is done to it, and what is said of somebody. */
async function resting(name: string, event: string, again: object) {
  const enter = { on: [{ event }], again }
  const definition = { format: 1, enter, start: 'rest', nodes: { rest: { type: 'delay', days: 1, to: 'end' } } }
  const { id } = await call('POST', '/api/automations', { name, definition })
  return {
    id,
    act: (act: string, json?: object) => call('POST', `/api/automations/${id}/${act}`, json),
    explain: (contactId: string) => call('GET', `/api/automations/${id}/explain?contactId=${contactId}`),
  }
}

test('what happens in a pause while the entry is closed brings nobody in, though it opens again before the pause is over', async () => {
  const { id, act, explain: explainOf } = await resting('Carts', 'cart', { mode: 'once', key: 'id' })
  const contactIds = new Map<string, string>()
  /** Has somebody do what brings people in, until it waits for its turn, which comes after the pause. */
  const comes = async (email: string) => {
    const contact = await call('POST', '/api/contacts', { email })
    contactIds.set(email, contact.id)
    await call('POST', '/api/events', { events: [{ action: 'cart', email, properties: { id: 'c1' } }] })
    await eventually(`${email} waits`, async () => (await explain(email)).waits)
  }
  const explain = (email: string) => explainOf(contactIds.get(email)!)
  /** Has another automation want somebody to come in. */
  const led = async (email: string) => {
    const contact = await call('POST', '/api/contacts', { email })
    contactIds.set(email, contact.id)
    const leads = { enroll: { type: 'enroll', automation: id, to: 'end' } }
    const other = { format: 1, start: 'enroll', nodes: leads, enter: { on: [{ manual: true }] } }
    const { id: otherId } = await call('POST', '/api/automations', { name: 'Elsewhere', definition: other })
    await call('POST', `/api/automations/${otherId}/activate`)
    await call('POST', `/api/automations/${otherId}/enroll`, { contactIds: [contact.id] })
    await eventually(`${email} waits`, async () => (await explain(email)).waits)
  }
  await act('activate')
  await act('pause')
  await comes('before@example.com')
  await act('deactivate')
  await comes('closed@example.com')
  await led('led@example.com')
  await act('activate')
  await comes('opened@example.com')
  await act('resume', { late: 'now' })
  for (const email of ['before@example.com', 'opened@example.com'])
    await eventually(`${email} is inside`, async () => (await explain(email)).isInside)
  for (const [email, key] of [
    ['closed@example.com', 'c1'],
    ['led@example.com', ''],
  ] as const) {
    await eventually('it is decided', async () => !(await explain(email)).waits)
    const { isInside, entries } = await explain(email)
    assert.deepEqual([isInside, entries[0].refusal, entries[0].entryKey], [false, 'closed', key])
  }
  const { entered, refused } = await call('GET', `/api/automations/${id}/counts`)
  assert.deepEqual([entered, refused], [2, [{ reason: 'closed', count: 2 }]])
})

test('whoever came before the entry closed comes in, and whoever came to a closed one does not, however late the log is read', async () => {
  const { act, explain } = await resting('Visits', 'visit', { mode: 'once' })
  const contactIds: string[] = []
  const comes = async (email: string) => {
    contactIds.push((await call('POST', '/api/contacts', { email })).id)
    await call('POST', '/api/events', { events: [{ action: 'visit', email }] })
  }
  await act('activate')
  // Nobody reads the log past a transaction that is open.
  const pool = createPool({ name: 'sql', url: instance.database.url, max: 1 })
  const reading = await openTransaction(pool, (tx) => tx.query('select pg_current_xact_id()'))
  await comes('open@example.com')
  await act('deactivate')
  await comes('shut@example.com')
  await act('activate')
  await comes('reopened@example.com')
  await act('deactivate')
  await reading.commit()
  await pool.end()
  const said = () =>
    Promise.all(
      contactIds.map(async (contactId) => {
        const { isInside, entries } = await explain(contactId)
        return isInside ? 'inside' : entries[0]?.refusal
      }),
    )
  await eventually('all are decided', async () => (await said()).every((one) => one !== undefined))
  assert.deepEqual(await said(), ['inside', 'closed', 'inside'])
})

test('an entry opens again after weeks in which nothing happened and the log became empty, and takes in who comes then', async () => {
  const { act, explain } = await resting('Returns', 'return', { mode: 'once' })
  await act('activate')
  const contact = await call('POST', '/api/contacts', { email: 'quiet@example.com' })
  await act('deactivate')
  const pool = createPool({ name: 'sql', url: instance.database.url, max: 1 })
  // As partitions are dropped once every group has read them.
  await eventually('all is read', async () => {
    const { rows } = await pool.query(
      'select from outbox o join outbox_cursors c on (o.tx, o.position) > (c.tx, c.position) limit 1',
    )
    return rows.length === 0
  })
  await pool.query('delete from outbox')
  await act('activate')
  await call('POST', '/api/events', { events: [{ action: 'return', email: 'quiet@example.com' }] })
  await eventually('they are inside', async () => (await explain(contact.id)).isInside)
  await pool.end()
})
