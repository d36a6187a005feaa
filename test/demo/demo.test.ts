import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startInstance } from '../support/instance.ts'
import { createEndpoint, type LoggedDelivery } from './api-client.ts'
import { inBatches, type OfferedEvent, realEvents, spoiledEvents } from './offered-events.ts'
import { faultsOf, type Offer, reckon } from './reckoning.ts'
import { replay } from './replay.ts'
import { report } from './report.ts'
import { type Arrival, startVerifyingReceiver } from './verifying-receiver.ts'

const event = (n: number): OfferedEvent => ({ id: `e${n}`, action: 'a', subjectId: 'ada', properties: { n } })
const accepted = (n: number): Offer => ({
  event: event(n),
  result: { index: n, status: 'accepted' },
  offeredAtMs: 0,
})
const arrival = (n: number, webhookId: string, turnedAway?: string): Arrival => ({
  webhookId,
  arrivedAtMs: 1,
  delivery: { type: 'a', subject: 'ada', data: { properties: { n } } },
  turnedAway,
})
const logged = (webhookId: string, attempts = 1): LoggedDelivery => ({ webhookId, state: 'delivered', attempts })

test('real payloads become events, only those that are about nobody lack a subject', () => {
  const events = realEvents('run')
  assert.ok(events.length > 300)
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
  assert.ok(events.every(({ id }) => id.length <= 64))
  const nameless = events.filter(({ subjectId }) => subjectId === undefined)
  assert.deepEqual(new Set(nameless.map(({ action }) => action.split('.')[0])), new Set(['security_advisory']))
})

test('batches keep the order and both limits', () => {
  const events = [...realEvents('run'), ...spoiledEvents('run')]
  const batches = inBatches(events, 50)
  assert.deepEqual(batches.flat(), events)
  assert.ok(batches.every((batch) => batch.length <= 50))
  assert.ok(batches.every((batch) => Buffer.byteLength(JSON.stringify({ events: batch })) < 1024 * 1024))
})

test('what arrived once, after retries or not, is in order', () => {
  const offers = [accepted(1), accepted(2), accepted(2)]
  const arrivals = [arrival(1, 'x', 'answered 503'), arrival(2, 'y'), arrival(2, 'z'), arrival(1, 'x')]
  const reckoning = reckon({ offers, arrivals, log: [logged('x', 2), logged('y'), logged('z')] })
  assert.equal(faultsOf(reckoning), 0)
  assert.equal(reckoning.arrived.length, 3)
  assert.deepEqual(
    reckoning.retried.map(({ webhookId }) => webhookId),
    ['x'],
  )
})

test('what is missing, doubled, repeated, unverified, foreign or misreported is found', () => {
  const forged: Arrival = { ...arrival(8, 'forged'), delivery: undefined }
  const arrivals = [
    arrival(1, 'turned-away', 'answered 503'),
    arrival(2, 'first'),
    arrival(2, 'second'),
    arrival(3, 'again'),
    arrival(3, 'again'),
    arrival(9, 'other'),
    forged,
  ]
  const log = [logged('first'), logged('second', 2), logged('again', 2), logged('other')]
  const reckoning = reckon({ offers: [accepted(1), accepted(2), accepted(3)], arrivals, log })
  const ids = (deliveries: readonly { webhookId: string }[]) => deliveries.map(({ webhookId }) => webhookId)
  assert.deepEqual(
    reckoning.missing.map((offer) => offer.event.id),
    ['e1'],
  )
  assert.deepEqual(ids(reckoning.doubled), ['second'])
  assert.deepEqual(ids(reckoning.repeated), ['again'])
  assert.deepEqual(ids(reckoning.foreign), ['other'])
  assert.deepEqual(ids(reckoning.misreported), ['turned-away', 'second', 'forged'])
  assert.equal(reckoning.unverified, 1)
  assert.equal(faultsOf(reckoning), 1 + 1 + 1 + 3 + 1)
})

test('a service that is too busy to answer in time is asked again, under the same key', async (t) => {
  const keys: unknown[] = []
  const busy = createServer((request, response) => {
    keys.push(request.headers['idempotency-key'])
    const isLate = keys.length < 3
    response.writeHead(isLate ? 503 : 201, { 'retry-after': '0', 'content-type': 'application/json' })
    response.end(JSON.stringify(isLate ? { title: 'The answer took too long' } : { id: '7' }))
  })
  t.after(() => busy.close())
  await once(busy.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const target = { baseUrl, token: 'prt_', email: '', password: '', workspace: 'default' }
  assert.equal(await createEndpoint(target, 'http://receiver.example/'), '7')
  assert.deepEqual([keys.length, new Set(keys).size, typeof keys[0]], [3, 1, 'string'])
})

test('real payloads go through a running instance and come out verified, each once', async (t) => {
  const instance = await startInstance({ env: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } })
  t.after(() => instance.stop())
  const receiver = await startVerifyingReceiver()
  t.after(() => receiver.close())
  const target = { ...instance, workspace: 'default' }
  const endpointId = await createEndpoint(target, receiver.url)
  const real = realEvents('test')
  const events = [...real.slice(0, 30), ...real.filter(({ subjectId }) => !subjectId), ...spoiledEvents('test')]
  const replayed = await replay(target, { events, receiver, endpointId, signal: t.signal })
  const reckoning = reckon(replayed)
  const text = report(replayed, reckoning)
  assert.equal(faultsOf(reckoning), 0, text)
  assert.equal(reckoning.arrived.length, 30)
  assert.equal(reckoning.retried.length, 3)
  assert.deepEqual(reckoning.refused.map(({ result }) => result.error?.split(' ')[0]).sort(), [
    '/action',
    '/properties',
    'needs',
    'needs',
    'needs',
    'needs',
  ])
  assert.match(text, /Nothing was lost, nothing was doubled\./)
})
