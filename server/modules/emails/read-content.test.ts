import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, send } from '../../../test/support/http-client.ts'
import { MAKE_WAITS_LONG } from '../../../test/support/long-waits.ts'
import { storeIntegration, storeVerifiedDomain } from '../../../test/support/sending-world.ts'
import { type ServedModules, serveModules } from '../../../test/support/served-modules.ts'

let served: ServedModules
let token: string

before(async () => {
  served = await serveModules()
  const { instance, pools, secrets } = served
  await instance.sql(MAKE_WAITS_LONG)
  const workspaceId = await instance.makeWorkspace('news')
  token = await instance.makeToken()
  await storeVerifiedDomain(pools.sql, secrets, { workspaceId })
  await storeIntegration(pools.sql, workspaceId, { port: 1 })
})
after(() => served.stop())

const api = (method: string, path: string, call: Call = {}) =>
  send(method, `${served.instance.baseUrl}/api${path}`, { headers: { authorization: `Bearer ${token}` }, ...call })
const content = (id: string) => api('GET', `/messages/${id}/content`)

const BODY =
  '<p>Dear {{ first_name }}, <a href="https://example.com/?for={{ email }}">read on</a>. <a href="{{ unsubscribe_url }}">Stop</a></p>'

/** A message of a broadcast to a new contact, sent an hour ago. */
async function sent(email: string): Promise<string> {
  const { json: contact } = await api('POST', '/contacts', { json: { email, firstName: 'Ada' } })
  const { json: broadcast } = await api('POST', '/broadcasts', {
    json: { name: 'News', subject: 'For {{ first_name }}', body: BODY },
  })
  await served.instance.sql(`update contacts set updated_at = now() - interval '2 hours' where id = $1`, [contact.id])
  const [row] = await served.instance.sql<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination, state, settled_at)
     values (1, 'marketing', 'broadcast', $1, $2, $3, 'accepted', now() - interval '1 hour') returning id`,
    [broadcast.id, contact.id, email],
  )
  return row!.id
}

test('a broadcast is shown as its receiver reads it, with links that count nothing and stop nothing', async () => {
  const { status, json } = await content(await sent('ada@a.example'))
  assert.equal(status, 200)
  assert.equal(json.subject, 'For Ada')
  assert.deepEqual(json.to, [{ address: 'ada@a.example', name: 'Ada' }])
  assert.deepEqual(json.from, { address: 'news@sender.example', name: 'News' })
  assert.equal(json.asSent, true)
  assert.match(json.html, /href="https:\/\/example.com\/\?for=ada@a.example"/)
  assert.match(json.html, /\/e\/u\/test"/)
  assert.doesNotMatch(json.html, /\/e\/[co]\//)
  assert.match(json.text, /Dear Ada/)
})

test('a contact that has changed since is told of, and one that was erased is not shown', async () => {
  const id = await sent('bob@a.example')
  await served.instance.sql(`update contacts set first_name = 'Bob', updated_at = now() where email = 'bob@a.example'`)
  const { json } = await content(id)
  assert.deepEqual([json.subject, json.asSent], ['For Bob', false])
  await served.instance.sql(`update messages set destination = '', contact_id = null where id = $1`, [id])
  const gone = await content(id)
  assert.deepEqual([gone.status, gone.json.code], [409, 'wrong-status'])
})

test('a single message is shown with its own content and variables', async () => {
  const { json: queued } = await api('POST', '/emails', {
    json: {
      destination: 'cyd@a.example',
      subject: 'Order {{ n }}',
      html: '<p>Thank you for {{ n }}</p>',
      variables: { n: 7 },
    },
  })
  const { status, json } = await content(queued.id)
  assert.deepEqual([status, json.subject, json.to[0].address], [200, 'Order 7', 'cyd@a.example'])
  assert.match(json.html, /Thank you for 7/)
})

test('what is queued is from the integration that it would go through now, be it no default, or the one of its broadcast', async () => {
  const own = { destination: 'dee@a.example', subject: 'Hello', html: '<p>Hello</p>' }
  const { json: queued } = await api('POST', '/emails', { json: own })
  const fromOf = async (id: string) => (await content(id)).json.from
  await served.instance.sql('update integrations set is_default = false')
  assert.deepEqual(await fromOf(queued.id), { address: 'news@sender.example', name: 'News' })
  const [other] = await served.instance.sql<{ id: string }>(
    `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, from_name, host, port, tls)
     values (1, 'other', 'email', 'smtp', true, false, 'other@sender.example', 'Other', 'mail.example', 25, 'none') returning id`,
  )
  const { json: broadcast } = await api('POST', '/broadcasts', {
    json: { name: 'News', subject: 'News', body: BODY, integrationId: other!.id },
  })
  const { json: contact } = await api('POST', '/contacts', { json: { email: 'eve@a.example' } })
  const [message] = await served.instance.sql<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination, state)
     values (1, 'marketing', 'broadcast', $1, $2, 'eve@a.example', 'pending') returning id`,
    [broadcast.id, contact.id],
  )
  assert.deepEqual(await fromOf(message!.id), { address: 'other@sender.example', name: 'Other' })
  await served.instance.sql('delete from integrations where id = $1', [other!.id])
  await served.instance.sql('update integrations set is_default = true')
})

test('what asks for a consent is shown to nobody else, and what is not there is a 404', async () => {
  const [row] = await served.instance.sql<{ id: string }>(
    `insert into messages (workspace_id, purpose, source_kind, contact_id, destination) values (1, 'system', 'confirmation', 1, 'x@a.example') returning id`,
  )
  assert.equal((await content(row!.id)).status, 409)
  assert.equal((await content('999999')).status, 404)
})
