import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signIdentity } from '../../sdk/src/identity.ts'
import { signWebhook, verifyWebhook, type WebhookEvent } from '../../sdk/src/webhooks.ts'
import { describedEvents } from '../../server/modules/webhooks/described-events.ts'

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`
const secrets = newSecret()
const NOW_MS = Date.parse('2026-11-22T12:00:00Z')
/** The largest id there is. */
const HUGE = '9223372036854775807'
const BODY = `{"id":"90071","type":"order.paid","occurredAt":"2026-11-22T12:00:00Z","workspaceId":1,"subject":"user-42","contactId":${HUGE},"data":{"workspaceId":1,"contactId": ${HUGE},"action":"order.paid","properties":{"orderId":7,"total":12.5,"note":"\\"contactId\\":5"},"occurredAt":"2026-11-22T12:00:00Z"}}`
const headers = await signWebhook(BODY, { secret: secrets, id: 'dlv_4711', nowMs: NOW_MS })
const verify = (body: string | Uint8Array = BODY, given: Record<string, string> = headers) =>
  verifyWebhook(body, given, { secrets, nowMs: NOW_MS })

test('a delivery is verified and read, with all digits of its ids', async () => {
  const event = await verify()
  assert.ok(event.type === 'event.recorded')
  assert.deepEqual([event.id, event.deliveryId, event.data.action], ['90071', 'dlv_4711', 'order.paid'])
  assert.deepEqual([event.workspaceId, event.contactId, event.data.contactId], ['1', HUGE, HUGE])
  // Somebody else's fields stay as they are.
  assert.deepEqual(event.data.properties, { orderId: 7, total: 12.5, note: '"contactId":5' })
  assert.deepEqual(await verify(new TextEncoder().encode(BODY)), event)
  assert.deepEqual(await verifyWebhook(BODY, new Headers(headers), { secrets, nowMs: NOW_MS }), event)
})

test('a number of somebody’s own that would be rounded is the text of its digits', async () => {
  const body = BODY.replace('12.5', `${HUGE},"short":0.1,"long":-0.12345678901234567,"text":"${HUGE}, \\"7\\""`)
  const event = await verify(body, await signWebhook(body, { secret: secrets, nowMs: NOW_MS }))
  assert.ok(event.type === 'event.recorded')
  const { total, short, long, text } = event.data.properties as Record<string, unknown>
  assert.deepEqual([total, short, long, text], [HUGE, 0.1, '-0.12345678901234567', `${HUGE}, "7"`])
})

test('the reference library and this one understand each other', async () => {
  const reference = new Webhook(secrets)
  const now = new Date()
  const signed = { 'webhook-id': 'dlv_1', 'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)) }
  const event = await verifyWebhook(
    BODY,
    { ...signed, 'webhook-signature': reference.sign('dlv_1', now, BODY) },
    { secrets },
  )
  assert.equal(event.id, '90071')
  const ours = await signWebhook(BODY, { secret: secrets })
  assert.doesNotThrow(() => reference.verify(BODY, ours))
})

test('a request that is no delivery of ours is refused for what is wrong with it', async () => {
  const { 'webhook-id': _, ...anonymous } = headers
  await assert.rejects(verify(BODY, anonymous), { name: 'WebhookError', reason: 'missing-header' })
  await assert.rejects(verify(`${BODY} `), { reason: 'wrong-signature' })
  await assert.rejects(verify(BODY, { ...headers, 'webhook-id': 'dlv_4712' }), { reason: 'wrong-signature' })
  await assert.rejects(verify(BODY, { ...headers, 'webhook-signature': 'v1,AAAA v2,x nonsense' }), {
    reason: 'wrong-signature',
  })
  await assert.rejects(verifyWebhook(BODY, headers, { secrets: newSecret(), nowMs: NOW_MS }), {
    reason: 'wrong-signature',
  })
  await assert.rejects(verifyWebhook(BODY, headers, { secrets: 'whsec_', nowMs: NOW_MS }), { reason: 'wrong-secret' })
  const text = await signWebhook('no JSON', { secret: secrets, nowMs: NOW_MS })
  await assert.rejects(verify('no JSON', text), { reason: 'wrong-body' })
})

test('a delivery is good for five minutes in either direction', async () => {
  const at = (nowMs: number, toleranceSeconds?: number) =>
    verifyWebhook(BODY, headers, { secrets, nowMs, ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }) })
  for (const seconds of [-300, 300]) assert.equal((await at(NOW_MS + seconds * 1_000)).id, '90071')
  for (const seconds of [-301, 301]) {
    await assert.rejects(at(NOW_MS + seconds * 1_000), { reason: 'outside-tolerance' })
    assert.equal((await at(NOW_MS + seconds * 1_000, 400)).id, '90071')
  }
  await assert.rejects(verify(BODY, { ...headers, 'webhook-timestamp': '1e9' }), { reason: 'outside-tolerance' })
})

test('while a secret rotates, one of two signatures and one of two secrets is enough', async () => {
  const next = newSecret()
  const other = await signWebhook(BODY, { secret: next, id: 'dlv_4711', nowMs: NOW_MS })
  const both = { ...headers, 'webhook-signature': `${other['webhook-signature']} ${headers['webhook-signature']}` }
  for (const given of [secrets, next, [newSecret(), next]])
    assert.equal((await verifyWebhook(BODY, both, { secrets: given, nowMs: NOW_MS })).id, '90071')
})

test('every event that is described is read with its ids as text', async () => {
  for (const [type, described] of Object.entries(describedEvents())) {
    const { post } = described as { post: { requestBody: { content: { 'application/json': { schema: Described } } } } }
    const { schema } = post.requestBody.content['application/json']
    const body = JSON.stringify(filled(schema))
    const event = await verify(body, await signWebhook(body, { secret: secrets, nowMs: NOW_MS }))
    const read = filled(schema, String) as WebhookEvent
    assert.deepEqual(event, { ...read, type: type === 'event.recorded' ? type : read.type, deliveryId: 'dlv_1' }, type)
  }
})

type Described = { type?: string; format?: string; properties?: Record<string, Described> }

/** A value of a schema, with something that is told apart for each 64-bit integer. */
function filled({ type, format, properties = {} }: Described, written: (id: number) => unknown = Number): unknown {
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, filled(one, written)]))
  if (format === 'int64') return written(4711)
  return type === 'integer' ? 3 : 'text'
}

test('who somebody is, is signed as the tracker expects it', async () => {
  // The key is the text of the secret, as the tracker shows it.
  const secret = randomBytes(32).toString('base64url')
  const key = { kid: 'k1', secret, collectKey: 'prc_1', nowMs: NOW_MS }
  const token = await signIdentity(
    { subjectId: 'user-42', email: 'ada@example.com', traits: { plan: 'pro' }, visitorId: 'v1' },
    key,
  )
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  assert.deepEqual(read(head), { alg: 'HS256', typ: 'JWT', kid: 'k1' })
  const iat = NOW_MS / 1_000
  const proven = { sub: 'user-42', email: 'ada@example.com', traits: { plan: 'pro' }, vid: 'v1' }
  assert.deepEqual(read(claims), { ...proven, aud: 'prc_1', iat, exp: iat + 3_600 })
  assert.equal(signature, createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url'))
  await assert.rejects(signIdentity({ subjectId: 'x' }, { ...key, expiresInSeconds: 86_401 }), RangeError)
})
