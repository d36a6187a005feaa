import { after, before, test } from 'node:test'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

/*
 * One automation that has people come into another and leave it: what it says holds in the order in which it says it, whatever the other has
 * still to do.
 */

let instance: TestedInstance
before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

const call = apiCall(() => instance)

/** Makes an automation whose people come by hand, and opens it. */
async function opened(name: string, nodes: object, mode = 'every'): Promise<string> {
  const [start] = Object.keys(nodes)
  const definition = { format: 1, enter: { on: [{ manual: true }], again: { mode } }, start, nodes }
  const { id } = await call('POST', '/api/automations', { name, definition })
  await call('POST', `/api/automations/${id}/activate`)
  return id
}

const rest = { rest: { type: 'delay', days: 1, to: 'end' } }
const enroll = (id: string, contactId: string) =>
  call('POST', `/api/automations/${id}/enroll`, { contactIds: [contactId] })
const runsOf = async (id: string, contactId: string) => {
  const { items } = await call('GET', `/api/automations/${id}/runs?contactId=${contactId}`)
  return (items as { state: string; reason: string | null }[]).map(({ state, reason }) => reason ?? state).sort()
}
const ends = (id: string, contactId: string, times = 1) =>
  eventually('the one that leads is through', async () => {
    const runs = await runsOf(id, contactId)
    return runs.length === times && runs.every((state) => state === 'completed')
  })

test('whoever is to leave does so, though their wish to come in waits for the end of a pause', async () => {
  const other = await opened('Nurture', rest)
  const leads = await opened('Leads', {
    in: { type: 'enroll', automation: other, to: 'out' },
    out: { type: 'leave', automation: other, to: 'end' },
  })
  const { id: ada } = await call('POST', '/api/contacts', { email: 'ada@example.com' })
  await call('POST', `/api/automations/${other}/pause`)
  await enroll(leads, ada)
  await ends(leads, ada)
  await call('POST', `/api/automations/${other}/resume`, { late: 'now' })
  await eventually('they have come and gone', async () => (await runsOf(other, ada)).join() === 'left')
})

test('whoever is to leave and to come in again begins anew', async () => {
  const other = await opened('Course', rest, 'after_end')
  const leads = await opened('Again', {
    out: { type: 'leave', automation: other, to: 'in' },
    in: { type: 'enroll', automation: other, to: 'end' },
  })
  const { id: bob } = await call('POST', '/api/contacts', { email: 'bob@example.com' })
  await enroll(other, bob)
  await enroll(leads, bob)
  await ends(leads, bob)
  await eventually('they have left and are inside', async () => (await runsOf(other, bob)).join() === 'left,waiting')
})
