import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { startSendingServer } from '../support/sending-server.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

/*
 * What an automation does to somebody may bring them into it again, and so without end: each time it has led to itself once more, and beyond
 * eight nobody comes in.
 */

let instance: TestedInstance
let server: Awaited<ReturnType<typeof startSendingServer>>
before(async () => {
  instance = await startTestedInstance()
  server = await startSendingServer({ answerMs: () => 0 })
  await call('POST', '/api/integrations', {
    ...{ name: 'relay', isDefault: true },
    config: { kind: 'smtp', host: '127.0.0.1', port: server.port, tls: 'none', from: 'news@sender.example' },
  })
  await call('POST', '/api/sending-domains', { domain: 'sender.example' })
  await instance.sql('update sending_domain_keys set verified_at = now()')
})
after(async () => {
  await instance.close()
  await server.close()
})

const call = apiCall(() => instance)
/** Those who come in by what nobody has led to, and after each of eight. */
const TIMES = 9

test('an automation that is brought about by a change of fields, and changes one, comes to its end', async () => {
  await call('POST', '/api/custom-fields', { key: 'side', type: 'string' })
  const definition = {
    ...{ format: 1, enter: { on: [{ event: 'contact.updated' }], again: { mode: 'every' } }, start: 'ask' },
    nodes: {
      ask: {
        ...{
          type: 'branch',
          ways: [{ if: { rules: [{ field: 'custom:side', operator: '=', value: 'left' }] }, to: 'right' }],
        },
        else: 'left',
      },
      left: { type: 'field', set: { side: 'left' }, to: 'end' },
      right: { type: 'field', set: { side: 'right' }, to: 'end' },
    },
  }
  const { id } = await call('POST', '/api/automations', { name: 'To and fro', definition })
  await call('POST', `/api/automations/${id}/activate`)
  const { id: contactId } = await call('POST', '/api/contacts', { email: 'ada@example.com' })
  await call('PATCH', `/api/contacts/${contactId}`, { firstName: 'Ada' })
  await isOver(id)
  assert.equal(await runsOf(id, contactId), TIMES)
})

test('an automation that is brought about by mail that was sent, and sends some, comes to its end', async () => {
  const definition = {
    ...{
      format: 1,
      class: 'service',
      enter: { on: [{ event: 'email.sent' }, { manual: true }], again: { mode: 'every' } },
    },
    ...{ start: 'mail', nodes: { mail: { type: 'email', subject: 'Again', body: '<p>Hello.</p>', to: 'end' } } },
  }
  const { id } = await call('POST', '/api/automations', { name: 'Again', definition })
  await call('POST', `/api/automations/${id}/activate`)
  const { id: contactId } = await call('POST', '/api/contacts', { email: 'bob@example.com' })
  await call('POST', `/api/automations/${id}/enroll`, { contactIds: [contactId] })
  await isOver(id)
  assert.equal(await runsOf(id, contactId), TIMES)
})

const isOver = (id: string) =>
  eventually('the last of them is refused', async () => {
    const { refused } = await call('GET', `/api/automations/${id}/counts`)
    return (refused as { reason: string }[]).some(({ reason }) => reason === 'loop')
  })

const runsOf = async (id: string, contactId: string) =>
  (await call('GET', `/api/automations/${id}/runs?contactId=${contactId}`)).items.length
