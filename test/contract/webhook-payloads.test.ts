import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import PostalMime from 'postal-mime'
import { Webhook } from 'standardwebhooks'
import { DOMAIN_EVENTS, RECORDED_EVENT, SYSTEM_NAMES } from '../../server/catalogue/domain-events.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receiver.ts'
import { relayAt, storeSenderIn } from '../support/sending-world.ts'
import { siteCaller } from '../support/site-caller.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { dereferenced } from './described-api.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 5).toString('base64')
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  accept: 'text/html,application/xhtml+xml',
  'accept-language': 'en',
  'sec-fetch-mode': 'navigate',
}
/** Hits are judged some ten seconds after they came. */
const TOLD_WITHIN_MS = 60_000

type Parameter = { name: string; in: string; required: boolean }
type Item = { post: { parameters: Parameter[]; requestBody: { content: Record<string, { schema: object }> } } }

let instance: TestedInstance
let relay: SmtpPeer
let receiver: Receiver
let described: Record<string, Item>

before(async () => {
  relay = await startSmtpPeer({ authOptional: true })
  receiver = await startReceiver()
  instance = await startTestedInstance({ ENCRYPTION_KEY })
  await storeSenderIn(instance.database.url, ENCRYPTION_KEY)
  await api('POST', '/integrations', { name: 'Relay', isDefault: true, config: relayAt(relay) })
  await api('POST', '/webhooks', { url: `${receiver.url}/hook` })
  // A call of an automation is for the endpoint that is called, whatever others want.
  await api('POST', '/webhooks', { url: `${receiver.url}/other`, eventTypes: ['automation.called'] })
  described = dereferenced((await send('GET', `${instance.baseUrl}/api/openapi.json`)).json).webhooks
})
after(async () => {
  await instance.close()
  await relay.close()
  await receiver.close()
})

async function api(method: string, path: string, json?: object) {
  const call = { token: instance.token, ...(json ? { json } : {}) }
  const answer = await send(method, `${instance.baseUrl}/api${path}`, call)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

const bodyOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString())
const received = (type: string) => receiver.requests.filter((request) => bodyOf(request).type === type)
const told = (type: string, count = 1) =>
  eventually(`${count} of ${type}`, () => received(type).length >= count, TOLD_WITHIN_MS)

/** The schema, refusing fields that it does not name: what is delivered is described to the last field. */
function strict(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_key, part) =>
    part?.type === 'object' && part.properties ? { ...part, additionalProperties: false } : part,
  )
}

function checkOf(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  return ajv.compile(strict(schema))
}

const schemaOf = (type: string) => described[type]!.post.requestBody.content['application/json']!.schema

/** Mails that came to an address, their links leading to this instance. */
async function mailTo(address: string) {
  const mails = await Promise.all(relay.messages.map((raw) => PostalMime.parse(raw)))
  const { html = '', text = '' } = mails.findLast(({ to }) => to?.[0]?.address === address) ?? {}
  const urls = [...`${html} ${text}`.matchAll(/https?:[^\s"'<>]+/g)].map(([url]) => new URL(url))
  return (path: string) => instance.baseUrl + (urls.find(({ pathname }) => pathname.startsWith(path))?.pathname ?? path)
}

async function contactEvents(): Promise<void> {
  const ada = await api('POST', '/contacts', { subjectId: 'ada', email: 'ada@receiver.example' })
  const other = await api('POST', '/contacts', { phone: '+44 20 7946 0958' })
  const gone = await api('POST', '/contacts', { subjectId: 'gone' })
  await api('PATCH', `/contacts/${ada.id}`, { firstName: 'Ada', customFields: { plan: 'pro' } })
  await api('POST', `/contacts/${ada.id}/tags`, { name: 'VIP' })
  await api('DELETE', `/contacts/${ada.id}/tags/VIP`)
  await api('POST', `/contacts/${ada.id}/merge`, { contactId: other.id })
  await api('DELETE', `/contacts/${gone.id}`)
  const segment = await api('POST', '/segments', { name: 'All', definition: '' })
  await api('PATCH', `/segments/${segment.id}`, { name: 'Everybody' })
  await api('DELETE', `/segments/${segment.id}`)
}

async function mailEvents(): Promise<void> {
  const body = `<p>Hello</p><a href="https://shop.example/spring">Shop</a> <a href="{{ unsubscribe_url }}">Leave</a>`
  const { id } = await api('POST', '/broadcasts', { name: 'Spring', subject: 'Spring', body })
  await api('POST', `/broadcasts/${id}/send`)
  await told('broadcast.finished')
  await instance.sql(`update messages set settled_at = settled_at - interval '1 hour'`)
  const link = await mailTo('ada@receiver.example')
  await send('GET', link('/e/o/'), { headers: { ...BROWSER, accept: 'image/*' } })
  await send('GET', link('/e/c/'), { headers: BROWSER })
  const oneClick = { 'content-type': 'application/x-www-form-urlencoded' }
  await send('POST', link('/e/u/'), { body: 'List-Unsubscribe=One-Click', headers: oneClick })
  await api('POST', '/unsubscribes', { destination: 'stranger@receiver.example', sendingSource: 'everything' })
  await api('POST', '/emails', { destination: 'stranger@receiver.example', subject: 'Receipt', text: 'Thank you.' })
  await told('email.sent', 2)
}

async function feedbackEvents(): Promise<void> {
  const { cookie } = await siteCaller(instance).person('Owner', 'owner')
  const { json } = await siteCaller(instance).call('GET', '/site/workspaces/default/feedback-hooks', { cookie })
  const [sent] = await instance.sql<{ id: string }>(`select id from messages where destination like 'ada@%' limit 1`)
  const events = [
    { type: 'bounce', email: 'ada@receiver.example', bounceKind: 'transient', messageId: sent!.id },
    { type: 'bounce', email: 'nobody@receiver.example', bounceKind: 'permanent', detail: '550 5.1.1 gone' },
    { type: 'complaint', email: 'angry@receiver.example' },
  ]
  const [body, at] = [JSON.stringify({ events }), new Date()]
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(json.secret).sign('msg_1', at, body),
  }
  assert.equal((await send('POST', instance.baseUrl + json.paths.events, { body, headers })).status, 200)
  await told('email.bounced', 2)
}

async function confirmedEvent(): Promise<void> {
  const { id } = await api('POST', '/contacts', { email: 'new@receiver.example' })
  await api('POST', `/contacts/${id}/confirmation-request`)
  const link = async () => (await mailTo('new@receiver.example'))('/e/confirm/')
  await eventually('the mail to confirm by', async () => /\/e\/confirm\/./.test(await link()))
  const { status, text } = await send('POST', await link())
  assert.ok(status < 400, text)
}

async function automationEvents(): Promise<void> {
  const activate = async (definition: object) => {
    const { id } = await api('POST', '/automations', { name: 'Trial', definition: { format: 1, ...definition } })
    await api('POST', `/automations/${id}/activate`)
  }
  await activate({
    ...{ enter: { on: [{ event: 'trial.began' }] }, exit: [{ event: 'trial.ended' }] },
    ...{ goal: { event: 'trial.paid', value: 'total' }, start: 'rest' },
    nodes: { rest: { type: 'delay', days: 3, to: 'end' } },
  })
  await activate({
    ...{ enter: { on: [{ event: 'automation.exited' }] }, start: 'done' },
    nodes: {
      done: { type: 'goal', to: 'call' },
      call: { type: 'webhook', endpoint: '1', properties: { list: 'trials' }, to: 'end' },
    },
  })
  const told = { subjectId: 'ada' }
  const paid = { action: 'trial.paid', ...told, properties: { total: 12.5 } }
  await api('POST', '/events', {
    events: [{ action: 'trial.began', ...told }, paid, { action: 'trial.ended', ...told }],
  })
}

async function formEvent(): Promise<void> {
  const { id } = await api('POST', '/forms', { name: 'Footer', consentWording: 'We write once a month.' })
  await api('POST', `/forms/${id}/submissions`, { fields: { email: 'form@receiver.example' } })
  const link = async () => (await mailTo('form@receiver.example'))('/e/s/')
  await eventually('the mail to confirm by', async () => /\/e\/s\/./.test(await link()))
  const { status, text } = await send('POST', await link())
  assert.ok(status < 400, text)
}

async function segmentEvents(): Promise<void> {
  const definition = { rules: [{ field: 'tag', operator: 'has', value: 'Watched' }] }
  const segment = await api('POST', '/segments', { name: 'Watched', definition: JSON.stringify(definition) })
  const graph = (x: number) => ({
    ...{ format: 1, enter: { on: [{ segment: segment.id, when: 'enters' }] }, start: 'rest', layout: { rest: [x, 0] } },
    nodes: { rest: { type: 'delay', days: 1, to: 'end' } },
  })
  const { id } = await api('POST', '/automations', { name: 'Watching', definition: graph(0) })
  await api('POST', `/automations/${id}/activate`)
  const isKept = async () =>
    (await instance.sql('select from segment_watches where checked_at is not null')).length === 1
  await eventually('the segment is watched', isKept)
  const [ada] = await instance.sql<{ id: string }>(`select id from contacts where subject_id = 'ada'`)
  // Publishing has the segment looked at at once.
  const look = async (x: number) => {
    await api('PATCH', `/automations/${id}`, { definition: graph(x) })
    await api('POST', `/automations/${id}/activate`)
  }
  await api('POST', `/contacts/${ada!.id}/tags`, { name: 'Watched' })
  await look(1)
  await told('segment.entered')
  await api('DELETE', `/contacts/${ada!.id}/tags/Watched`)
  await look(2)
  await told('segment.left')
  const inside = () => instance.sql('select from runs where automation_id = $1', [id])
  await eventually('it has brought her in', async () => (await inside()).length === 1)
}

async function identifiedEvent(): Promise<void> {
  const [tracker] = (await api('GET', '/trackers')).items
  const { kid, secret } = await api('POST', `/trackers/${tracker.id}/identity-keys`)
  const now = Math.floor(Date.now() / 1_000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: 'ada', aud: tracker.key, iat: now, exp: now + 600 }
  const signed = `${part({ alg: 'HS256', kid })}.${part(claims)}`
  const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  const json = { key: tracker.key, visitorId: '0f8b2c6de1a94f0bb1f0c3d2e4a59687', consent: 'granted', token }
  assert.equal((await send('POST', `${instance.baseUrl}/collect/identify`, { json, headers: BROWSER })).status, 200)
}

test('every event is described, and nothing else', () => {
  assert.deepEqual(Object.keys(described).toSorted(), [...SYSTEM_NAMES, RECORDED_EVENT].toSorted())
})

test('what is delivered is what is described, to the last field and header', async (t) => {
  await contactEvents()
  await mailEvents()
  await feedbackEvents()
  await confirmedEvent()
  await automationEvents()
  await formEvent()
  await identifiedEvent()
  await segmentEvents()
  const properties = { total: 12.5, lines: [{ sku: 'a' }] }
  const whole = { subjectId: 'ada', email: 'ada@receiver.example', phone: '+44 20 7946 0958', properties }
  const events = [
    { action: 'order.paid', ...whole },
    { action: 'page viewed: 100%', subjectId: 'nobody' },
  ]
  await api('POST', '/events', { events })
  await api('POST', '/webhooks/1/test')
  for (const type of [...SYSTEM_NAMES, 'order.paid', 'page viewed: 100%']) await told(type)

  // Interface specification, Delivery body: `subject` is the subject identifier of the contact, whatever happened to it.
  const [ada] = await instance.sql<{ id: string }>(`select id from contacts where subject_id = 'ada'`)
  const about = receiver.requests.map(bodyOf).filter(({ contactId }) => contactId === Number(ada!.id))
  for (const { type, subject } of about) assert.equal(subject, 'ada', type)
  for (const type of ['email.sent', 'email.opened', 'email.clicked', 'email.unsubscribed', 'email.bounced'])
    assert.ok(
      about.some((body) => body.type === type),
      `${type} of a known subject`,
    )
  assert.equal(bodyOf(received('form.confirmed')[0]!).subject, 'form@receiver.example')
  assert.equal(bodyOf(received('email.complained')[0]!).subject, 'angry@receiver.example')

  const counts = new Map<string, number>()
  for (const request of receiver.requests) {
    const body = bodyOf(request)
    const type = SYSTEM_NAMES.find((name) => name === body.type) ?? RECORDED_EVENT
    const check = checkOf(schemaOf(type))
    assert.ok(check(body), `${type}: ${JSON.stringify(check.errors)}\n${request.body}`)
    for (const { name, required } of described[type]!.post.parameters) {
      assert.ok(!required || request.headers[name.toLowerCase()], `${type} ${name}`)
    }
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  t.diagnostic([...counts].map(([type, count]) => `${type} ${count}`).join(', '))
  for (const type of DOMAIN_EVENTS) assert.ok(counts.has(type), `${type} was delivered`)
  assert.deepEqual(await instance.sql('select from deliveries where endpoint_id = 2'), [])
  const { trigger, properties: called } = bodyOf(received('automation.called')[0]!).data
  assert.deepEqual([trigger.reason, called], ['criterion', { list: 'trials' }])
})

test('each example of the guide is one of the described data, to the last field', async () => {
  const guide = await readFile(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8')
  const [, section = ''] = /### Events and their data\n([\s\S]*?)\n## /.exec(guide) ?? []
  const examples = [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => JSON.parse(text!))
  assert.ok(examples.length > 10)
  const checks = Object.keys(described).map((type) => {
    const { properties } = schemaOf(type) as { properties: { data: object } }
    return checkOf(properties.data)
  })
  for (const example of examples)
    assert.ok(
      checks.some((check) => check(example)),
      JSON.stringify(example),
    )
})
