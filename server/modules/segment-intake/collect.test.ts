import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Analytics } from '@segment/analytics-node'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { createLimiter } from '../../platform/rate-limit/limiter.ts'
import { createBrowserIntake } from '../events/event-intakes.ts'
import { identifyVisitor } from '../identity/identify-visitor.ts'
import { identityWorld, SHOP, silentTally } from '../identity/testing.ts'
import { createTracker } from '../trackers/manage-trackers.ts'
import { createErasedVisitors } from '../visitors/erased-visitors.ts'
import { segmentCollect } from './collect.ts'
import { limitMessages } from './limit-messages.ts'
import { createVisitorNames } from './visitor-names.ts'

const dropped: string[] = []
const nameVisitor = createVisitorNames(secretKeys([{ id: 'k1', key: randomBytes(32) }]))
const limited: string[] = []
const limiters = Array.from({ length: 2 }, () => createLimiter(async () => [], { everyMs: 2 ** 30, now: () => 0 }))
let limits = { identify: 0, tracker: 0 }
const world = await identityWorld((app, deps) =>
  segmentCollect(app, {
    ...{ ...deps, tally: silentTally(), erased: createErasedVisitors(deps.sql) },
    intake: createBrowserIntake({ sql: deps.sql, onCommitted: () => undefined }),
    onDropped: (_events, reason) => dropped.push(reason),
    limitIdentity(by, times) {
      for (let n = 0; n < times; n++) limited.push('ip' in by ? by.ip : by.tracker.id)
      limitMessages({ addresses: limiters[0]!, trackers: limiters[1]!, limits }, by, times)
    },
    nameVisitor,
  }),
)
after(() => world.stop())
const { app, sql, caller, workspaceId, tracker, query, jobs, shown, boundTo } = world
await app.listen({ port: 0, host: '127.0.0.1' })
const host = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

type Row = {
  name: string
  visitor: string | null
  contact: string | null
  proof: string
  data: Record<string, unknown>
}
const recorded = (name: string) =>
  query<Row>(
    `select name, visitor_id as visitor, contact_id as contact, proof, data::jsonb as data from outbox
     where workspace_id = $1 and name = $2 order by position`,
    [name],
  )
const PAGE = {
  'content-type': 'text/plain',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
  origin: SHOP,
}
const post = (path: string, body: object, headers: object = PAGE) =>
  app.inject({
    method: 'POST',
    url: `/collect/segment/v1/${path}`,
    payload: JSON.stringify(body),
    headers: { ...headers },
  })

test('Segment’s own library for servers works with another host, and tells what it knows as a claim', async () => {
  const settings = { writeKey: tracker.key, host, path: '/collect/segment/v1/batch', flushInterval: 20 }
  const library = new Analytics(settings)
  const failures: unknown[] = []
  library.on('error', (error) => failures.push(error))
  const home = { url: `${SHOP}/`, title: 'Home' }
  const anonymousId = 'a9b0f6a4-4c5f-4d39-9a3a-5e6f7c8d9e0f'
  library.identify({ userId: 'user-1', traits: { email: 'ada@example.com', firstName: 'Ada' } })
  library.track({ userId: 'user-1', event: 'Order Completed', properties: { total: 7 } })
  library.page({ anonymousId, name: 'Home', properties: home })
  library.group({ userId: 'user-1', groupId: 'team' })
  await library.closeAndFlush()
  assert.deepEqual(failures, [])
  const [ordered] = await recorded('Order Completed')
  assert.deepEqual([ordered!.contact, ordered!.proof, JSON.parse(String(ordered!.data)).total], [null, 'none', 7])
  const [viewed] = await recorded('page.view')
  const { name, url } = JSON.parse(String(viewed!.data))
  assert.deepEqual([viewed!.visitor, name, url], [anonymousId, 'Home', home.url])
  const visitorId = ordered!.visitor!
  await identifyVisitor(jobs, { workspaceId, visitorId })
  const contact = await shown((await boundTo(visitorId))!)
  assert.deepEqual(
    [contact.email, contact.firstName, contact.subjectId, contact.isUnproven],
    ['ada@example.com', 'Ada', null, true],
  )
  const again = new Analytics(settings)
  again.track({ userId: 'user-1', event: 'Order Shipped' })
  await again.closeAndFlush()
  const [shipped] = await recorded('Order Shipped')
  assert.deepEqual([shipped!.contact, shipped!.proof], [contact.id, 'claimed'])
  assert.deepEqual(limited.splice(0), [tracker.id])
})

test('what a page sends is judged as of a browser: without consent, and of a machine, nothing is taken', async () => {
  const say = (event: string, more: object = {}, headers: object = {}) =>
    post(
      't',
      { writeKey: tracker.key, anonymousId: 'b'.repeat(36), event, messageId: event, ...more },
      { ...PAGE, ...headers },
    )
  const granted = {
    context: { consent: { categoryPreferences: { Analytics: true, Ads: false } }, ip: '203.0.113.7', userAgent: 'Me' },
  }
  const denied = { context: { consent: { categoryPreferences: { Analytics: false } } } }
  for (const answer of [
    await say('unsaid'),
    await say('denied', denied),
    await say('machine', granted, { 'user-agent': 'Googlebot/2.1' }),
    await say('granted', granted),
    await say('granted', granted),
  ])
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true, rejected: [] }])
  assert.deepEqual(dropped.splice(0), ['consent', 'consent', 'bot'])
  const [row, ...others] = await recorded('granted')
  assert.deepEqual([others.length, /203\.0|Me/.test(String(row!.data))], [0, false])
  assert.equal(
    (await post('i', { writeKey: tracker.key, anonymousId: 'b'.repeat(36), userId: 'x1', ...granted })).statusCode,
    200,
  )
  assert.equal(limited.length, 1)
})

test('each message is answered for itself, whatever its form, and no body is answered 5xx', async () => {
  const basic = {
    authorization: `Basic ${Buffer.from(`${tracker.key}:`).toString('base64')}`,
    'content-type': 'application/json',
  }
  const batch = [
    { type: 'track', event: 'email.opened', anonymousId: 'c'.repeat(36) },
    { type: 'track', event: 'odd', anonymousId: 'short', messageId: 'x'.repeat(300), timestamp: 'yesterday' },
    { type: 'track', event: 'fine', anonymousId: 'short', messageId: 'x'.repeat(300), timestamp: Date.now() },
    { type: 'identify', userId: 'undefined', traits: { email: 'undefined' } },
    { type: 'identify', userId: 'u', traits: 'none' },
    { type: 'track' },
    7,
    null,
    { type: 'alias', previousId: 'a', userId: 'b' },
    { type: { toString: 1, valueOf: 1 }, event: 'of no kind' },
    { type: ['identify'], userId: 'undefined' },
  ]
  const answer = await post('batch', { batch, sentAt: new Date().toISOString() }, basic)
  assert.equal(answer.statusCode, 200, answer.body)
  const codes = answer.json().rejected.map(({ index, code }: { index: number; code: string }) => [index, code])
  assert.deepEqual(codes, [
    [0, 'reserved-action'],
    [1, 'invalid-event'],
    [3, 'invalid-identity'],
    [4, 'invalid-identity'],
    [5, 'invalid-event'],
  ])
  assert.equal((await recorded('fine')).length, 1)
  for (const body of [{}, { batch: {} }, { batch: Array(501).fill({}) }])
    assert.equal((await post('batch', body, basic)).statusCode, 400)
  assert.equal((await post('batch', { batch: [] }, { ...basic, authorization: 'Basic !' })).statusCode, 401)
  assert.equal((await post('nothing', {}, basic)).statusCode, 404)
  const strict = await createTracker({ sql }, caller, { name: 'Strict', identify: 'signed' })
  const refused = await post(
    'identify',
    { writeKey: strict.key, userId: 'user-9' },
    { 'content-type': 'application/json' },
  )
  assert.equal(refused.json().rejected[0].code, 'identity-not-proven')
})

test('nobody without the instance’s key can name the visitor of a user id, nor of a short anonymous id', async () => {
  const known = { user: { userId: '1001' }, anonymous: { anonymousId: 'anna' } } as const
  for (const kind of ['user', 'anonymous'] as const) {
    const id = kind === 'user' ? '1001' : 'anna'
    const body = { writeKey: tracker.key, event: `By ${kind}`, ...known[kind] }
    for (const n of [1, 2]) {
      const answer = await post('track', { ...body, messageId: `${kind}-${n}` }, { 'content-type': 'application/json' })
      assert.deepEqual(answer.json(), { success: true, rejected: [] }, 'the answer does not tell it either')
    }
    const [one, again] = await recorded(body.event)
    assert.deepEqual([one!.visitor, again!.visitor], Array(2).fill(nameVisitor(workspaceId, { kind, id })))
    assert.notEqual(one!.visitor, hash('sha256', `segment ${kind} ${id}`).slice(0, 32))
  }
  const named = [workspaceId, `${workspaceId}0`].flatMap((workspace) =>
    (['user', 'anonymous'] as const).map((kind) => nameVisitor(workspace, { kind, id: '1001' })),
  )
  assert.equal(new Set(named).size, 4)
  for (const one of named) assert.match(one, /^[0-9a-f]{32}$/)
})

test('each message that says who somebody is counts: of a page by its address, of programs by their tracker', async () => {
  limits = { identify: 3, tracker: 5 }
  for (const one of limiters) after(() => one.stop())
  const by = (n: number, type: unknown = 'identify') =>
    Array.from({ length: n }, () => ({ type, anonymousId: 'd'.repeat(36), traits: {} }))
  const program = { 'content-type': 'application/json' }
  const code = async (batch: object[], headers: object, ip: string) =>
    (await post('batch', { writeKey: tracker.key, batch }, { ...headers, 'x-forwarded-for': ip })).statusCode
  const answers = [
    await code(by(3), PAGE, '203.0.113.1'),
    await code(by(20, 'group'), PAGE, '203.0.113.1'),
    await code(by(1), PAGE, '203.0.113.1'),
    await code(by(3), PAGE, '198.51.100.1'),
    await code(by(4), program, '203.0.113.1'),
    await code(by(2), program, '198.51.100.1'),
  ]
  assert.deepEqual(answers, [200, 200, 429, 200, 200, 429])
  limits = { identify: 0, tracker: 0 }
})

test('traits are as large as they are stored, and no larger than elsewhere', async () => {
  const traits = { email: 'large@example.com', padding: 'x'.repeat(5_000), numbers: Array(13).fill(1e300) }
  const body = { writeKey: tracker.key, userId: 'large', traits }
  const answer = await post('identify', body, { 'content-type': 'application/json' })
  assert.equal(answer.statusCode, 200, answer.body)
  const [refused, ...others] = answer.json().rejected
  assert.deepEqual([refused?.index, refused?.code, others], [0, 'invalid-identity', []])
})
