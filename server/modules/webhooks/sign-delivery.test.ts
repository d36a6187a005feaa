import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { validateHeaderValue } from 'node:http'
import test from 'node:test'
import { Webhook } from 'standardwebhooks'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { keyOfSecret, newEndpointSecret } from './endpoint-secret.ts'
import { eventHeader, signatureOf } from './sign-delivery.ts'

const BODIES = 5_000
const BODY_CHARS_MAX = 2_000
const BIG_BODIES = 20
const BIG_BODY_CHARS = 128 * 1024

test("signs the Standard Webhooks library's known vector as the library does", () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const content = {
    webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: Buffer.from('{"test": 2432232314}'),
  }
  assert.equal(signatureOf(content, [keyOfSecret(secret)]), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('a new secret is whsec_ and the base64 of 24 to 64 random bytes, never twice the same', () => {
  const secrets = Array.from({ length: 100 }, newEndpointSecret)
  assert.equal(new Set(secrets).size, secrets.length)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]+={0,2}$/)
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    assert.equal(`whsec_${bytes.toString('base64')}`, secret)
    assert.ok(bytes.length >= 24 && bytes.length <= 64)
  }
})

test('the official library verifies thousands of random bodies, with either secret of a rotation', (t) => {
  const seed = seedFrom('SIGNATURE_SEED')
  t.diagnostic(`SIGNATURE_SEED=${seed}`)
  const random = seededRandom(seed)
  const [fresh, old, stranger] = [newEndpointSecret(), newEndpointSecret(), newEndpointSecret()]
  for (let n = 0; n < BODIES + BIG_BODIES; n++) {
    const text = randomText(random)
    const body = Buffer.from(n < BODIES ? text : text.padEnd(BIG_BODY_CHARS, text || 'x'))
    const content = { webhookId: `dlv_${n}`, timestampSeconds: Math.floor(Date.now() / 1000), body }
    const headers = {
      'webhook-id': content.webhookId,
      'webhook-timestamp': String(content.timestampSeconds),
      'webhook-signature': signatureOf(content, [keyOfSecret(fresh), keyOfSecret(old)]),
    }
    new Webhook(fresh).verify(body, headers, { jsonParse: false })
    new Webhook(old).verify(body, headers, { jsonParse: false })
    assert.throws(() => new Webhook(stranger).verify(body, headers, { jsonParse: false }), /No matching signature/)
    const changed = Buffer.concat([body, Buffer.from(' ')])
    assert.throws(() => new Webhook(fresh).verify(changed, headers, { jsonParse: false }), /No matching signature/)
    const single = signatureOf(content, [keyOfSecret(fresh)])
    assert.equal(single, `v1,${plainHmac(fresh, content)}`)
    assert.ok(headers['webhook-signature'].startsWith(`${single} v1,`))
  }
})

test('the event header is visible ASCII whatever the name, and gives the name back', (t) => {
  assert.equal(eventHeader('page.view'), 'page.view')
  assert.equal(eventHeader('Sign up'), 'Sign%20up')
  assert.equal(eventHeader('100%'), '100%25')
  assert.equal(eventHeader('käse 🧀'), 'k%C3%A4se%20%F0%9F%A7%80')
  assert.equal(eventHeader('a\r\nx-evil: 1'), 'a%0D%0Ax-evil:%201')
  const seed = seedFrom('HEADER_SEED')
  t.diagnostic(`HEADER_SEED=${seed}`)
  const random = seededRandom(seed)
  for (let n = 0; n < BODIES; n++) {
    const name = randomText(random).slice(0, 200).toWellFormed()
    const value = eventHeader(name)
    assert.match(value, /^[\x21-\x7e]*$/)
    validateHeaderValue('x-service-event', value)
    assert.equal(decodeURIComponent(value), name)
  }
})

/** The same signature from the primitive alone, as a receiver without any library would make it. */
function plainHmac(secret: string, content: { webhookId: string; timestampSeconds: number; body: Buffer }): string {
  const signed = Buffer.concat([Buffer.from(`${content.webhookId}.${content.timestampSeconds}.`), content.body])
  return createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(signed)
    .digest('base64')
}

/** Text of any length from nothing on: controls, ASCII, Latin, CJK, astral characters, broken halves of them. */
function randomText(random: () => number): string {
  const tops = [0x20, 0x7f, 0x250, 0x3000, 0xffff, 0x10ffff]
  const units = Array.from({ length: Math.floor(random() ** 3 * BODY_CHARS_MAX) }, () =>
    Math.floor(random() * tops[Math.floor(random() * tops.length)]!),
  )
  return String.fromCodePoint(...units)
}
