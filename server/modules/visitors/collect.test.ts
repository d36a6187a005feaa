import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { tableRows } from '../../../test/support/table-rows.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX, registerGroups } from '../../platform/outbox/consumer.ts'
import { listConsents } from '../consents/list-consents.ts'
import { createContact } from '../contacts/create-contact.ts'
import { BROWSER_ID_PARTITIONS } from '../events/append-browser-events.ts'
import { createBrowserIntake, createIntakeWriter } from '../events/event-intakes.ts'
import { persistEvent } from '../events/persist-event.ts'
import { recordEvents } from '../events/record-events.ts'
import { forgetBrowser } from '../forms/forget-browser.ts'
import { createTrackerFinder } from '../trackers/find-tracker.ts'
import { guardCollect } from '../trackers/guard-collect.ts'
import { createTracker } from '../trackers/manage-trackers.ts'
import type { TrackerBody } from '../trackers/schemas.ts'
import { createTrackerTally } from '../trackers/tally-trackers.ts'
import { readTrackerHealth } from '../trackers/tracker-health.ts'
import { DELIVERY_PARTITIONS } from '../webhooks/delivery-partitions.ts'
import { visitorsCollect } from './collect.ts'
import { createErasedVisitors } from './erased-visitors.ts'
import { eraseVisitor, type ForgottenVisitor } from './forget-visitor.ts'

const { pool: sql, workspaceId, caller } = await testWorkspace()
for (const table of [BROWSER_ID_PARTITIONS, ...DELIVERY_PARTITIONS]) await ensurePartitions(sql, table)
const dropped: [number, string][] = []
const onError = (error: unknown) => assert.fail(String(error))
const tally = createTrackerTally(sql, { onError, everyMs: 2 ** 30 })
const app = quietServer({ trustProxy: true, https: true })
guardCollect(app, { sql, find: createTrackerFinder(sql), limits: { tracker: 0, address: 0 }, tally })
visitorsCollect(app, {
  ...{ sql, tally, isHttps: true, forgetBrowser },
  intake: createBrowserIntake({ sql, onCommitted: () => undefined }),
  onDropped: (...drop) => dropped.push(drop),
  erased: createErasedVisitors(sql),
})
await app.ready()
after(() => app.close())

const CHROME = {
  'content-type': 'text/plain;charset=UTF-8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'sec-fetch-mode': 'cors',
}
const VISITOR = '0f8b2c6de1a94f0bb1f0c3d2e4a59687'
const post = (path: string, payload: object | string, headers: object = {}) =>
  app.inject({
    method: 'POST',
    url: `/collect/${path}`,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { ...CHROME, ...headers },
  })
const tracker = (settings: Partial<TrackerBody> = {}) => createTracker({ sql }, caller, { name: 'Shop', ...settings })
const { id: trackerId, key } = await tracker()
const view = (more: object = {}) => ({ id: randomUUID(), action: 'page.view', ...more })
const send = (events: unknown[], more: object = {}, headers: object = {}) =>
  post(
    'events',
    { key, sentAt: new Date().toISOString(), consent: 'granted', visitorId: VISITOR, events, ...more },
    headers,
  )
const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(sql, workspaceId, { text, values: [workspaceId, ...values] })

type Row = Record<'name' | 'subject' | 'contact' | 'visitor' | 'source' | 'proof', string | null>
const recorded = () =>
  query<Row>(`select name, subject, contact_id as contact, visitor_id as visitor, source, proof from outbox
    where workspace_id = $1 and source = 'collect' order by tx, position`)

beforeEach(async () => {
  await query('delete from outbox where workspace_id = $1')
  dropped.length = 0
})

test('events are durable before the 204: of a visitor, without a contact, and proven by nobody', async () => {
  const answer = await send([view(), view({ action: 'cart.added', properties: { sku: 7 } })])
  assert.deepEqual([answer.statusCode, answer.body], [204, ''])
  const of = { subject: VISITOR, contact: null, visitor: VISITOR, source: 'collect', proof: 'none' }
  assert.deepEqual(await recorded(), [
    { name: 'page.view', ...of },
    { name: 'cart.added', ...of },
  ])
})

test('those that do not fit are named, and the others are taken', async () => {
  const answer = await send([view(), view({ action: 'email.opened' }), view({ subjectId: 'user-42' }), 7])
  assert.equal(answer.statusCode, 200)
  const { rejected } = answer.json()
  assert.deepEqual(
    rejected.map(({ index, code }: { index: number; code: string }) => [index, code]),
    [
      [1, 'reserved-action'],
      [2, 'invalid-event'],
      [3, 'invalid-event'],
    ],
  )
  assert.equal((await recorded()).length, 1)
})

test('a repeat records nothing, and uses up no id of a server’s', async () => {
  const events = [view({ id: 'order-1234' }), view({ id: 'order-1234' })]
  for (let n = 0; n < 3; n++) assert.equal((await send(events)).statusCode, 204)
  await Promise.all([send([view({ id: 'b' }), view({ id: 'a' })]), send([view({ id: 'a' }), view({ id: 'b' })])])
  assert.equal((await recorded()).length, 3)
  assert.equal((await send([view({ id: 'order-1234', visitorId: 'f'.repeat(32) })])).statusCode, 204)
  const intake = createIntakeWriter({ sql, onCommitted: () => undefined })
  const paid = { id: 'order-1234', action: 'order.paid', subjectId: 'user-42' }
  await recordEvents({ intake }, { workspaceId, events: [paid] })
  const names = await query<{ name: string }>('select name from outbox where workspace_id = $1 order by tx, position')
  assert.deepEqual(
    names.map(({ name }) => name),
    ['page.view', 'page.view', 'page.view', 'page.view', 'order.paid'],
  )
})

test('a tracker that has events of no day’s partition makes it', async () => {
  const days = await sql.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'collect_event_ids'::regclass`,
  )
  for (const { name } of days.rows) await sql.query(`drop table ${name}`)
  const occurredAt = new Date(Date.now() - 3 * 86_400_000).toISOString()
  assert.equal((await send([view({ occurredAt })])).statusCode, 204)
  assert.equal((await recorded()).length, 1)
})

test('of a visitor that was recognised, events belong to the contact, as well as that is proven', async () => {
  const contact = await createContact({ sql }, caller, { email: 'ada@example.com' })
  const known = 'a'.repeat(32)
  await query(`insert into visitors (workspace_id, visitor_id, contact_id, proof) values ($1, $2, $3, 'signed')`, [
    known,
    contact.id,
  ])
  await send([view({ visitorId: known }), view()])
  assert.deepEqual(
    (await recorded()).map(({ subject, contact: of, proof }) => [subject, of, proof]),
    [
      ['ada@example.com', contact.id, 'signed'],
      [VISITOR, null, 'none'],
    ],
  )
  const answer = await post('consent', { key, visitorId: known, state: 'denied', wording: 'May we?' })
  assert.deepEqual([answer.statusCode, answer.body], [204, ''])
  await post('consent', { key, visitorId: VISITOR, state: 'granted' })
  await post('consent', { key, state: 'granted' })
  const changes = await query(
    'select contact_id as id, change, by_whom as by, wording from consent_changes where workspace_id = $1',
  )
  assert.deepEqual(changes, [{ id: contact.id, change: 'tracking_denied', by: 'person', wording: 'May we?' }])
  const { items } = await listConsents(sql, workspaceId, { contactId: contact.id, page: 1, pageSize: 10 })
  assert.deepEqual(
    items.map(({ change, wording, importId }) => ({ change, wording, importId })),
    [{ change: 'tracking_denied', wording: 'May we?', importId: null }],
  )
})

test('without consent, of a machine and while it is paused nothing is taken, and nobody is told', async () => {
  const ask = await tracker({ consentMode: 'implied' })
  const paused = await tracker({ paused: true })
  const cookieless = await tracker({ consentMode: 'cookieless' })
  for (const answer of [
    await send([view()], { consent: 'denied' }),
    await send([view(), view()], {}, { 'user-agent': 'Googlebot/2.1' }),
    await send([view()], { key: ask.key, consent: 'implied' }, { 'sec-gpc': '1' }),
    await send([view()], { key: paused.key }),
  ])
    assert.deepEqual([answer.statusCode, answer.body], [204, ''])
  assert.deepEqual(dropped, [
    [1, 'consent'],
    [2, 'bot'],
    [1, 'gpc'],
    [1, 'paused'],
  ])
  assert.deepEqual(await recorded(), [])
  assert.equal((await send([view()], { key: cookieless.key, consent: 'cookieless' })).statusCode, 204)
  assert.deepEqual(await recorded(), [
    { name: 'page.view', subject: '', contact: null, visitor: null, source: 'collect', proof: 'none' },
  ])
})

test('a tracker’s health says what came of what was sent, and which pages were refused', async () => {
  const { id, key: own } = await tracker({ allowedOrigins: ['https://shop.example'] })
  const from = (origin: string, more: object = {}) => send([view(), view()], { key: own, ...more }, { origin })
  const before = await readTrackerHealth({ sql }, workspaceId, id)
  assert.deepEqual([before.lastEventAt, before.signedShare, before.warnings], [null, null, ['no-events']])
  await from('https://shop.example')
  await from('https://shop.example', { consent: 'denied' })
  for (let n = 0; n < 60; n++) await from(`https://evil${n}.example`)
  await send([view({ action: '' })], { key: own }, { origin: 'https://shop.example' })
  await tally.tell()
  const health = await readTrackerHealth({ sql }, workspaceId, id)
  assert.deepEqual([health.recorded, health.rejected, health.dropped.consent, health.dropped.bot], [2, 1, 2, 0])
  assert.ok(health.lastEventAt !== null)
  assert.deepEqual([health.refusedOrigins.length, health.warnings], [20, ['origins-refused']])
  const kept = await query('select origin from tracker_refusals where workspace_id = $1 and tracker_id = $2', [id])
  assert.equal(kept.length, 50)
  assert.ok((await readTrackerHealth({ sql }, workspaceId, trackerId)).warnings.includes('any-origin'))
})

test('a visitor is forgotten with its events that are nobody’s, once they are stored; others stay', async () => {
  const gone = 'd'.repeat(32)
  const contact = await createContact({ sql }, caller, { email: 'grace@example.com' })
  await query(`insert into visitors (workspace_id, visitor_id, contact_id, proof) values ($1, $2, $3, 'link')`, [
    gone,
    contact.id,
  ])
  await send([view({ visitorId: gone })])
  const wishedMs = Date.now()
  const answer = await post('forget', { key, visitorId: gone })
  assert.deepEqual([answer.statusCode, answer.body], [202, ''])
  const { rows: asked } = await sql.query<{ until: string; start: Date }>(
    `select data -> 'payload' ->> 'until' as until, start_after as start from jobs.job_common where data -> 'payload' ->> 'visitorId' = $1`,
    [gone],
  )
  const [job] = asked.filter(({ until }) => until !== null)
  assert.ok(Date.parse(job!.until) >= wishedMs + 2_000, 'what was being recorded then is committed when it looks')
  assert.ok(new Date(job!.start).getTime() >= Date.parse(job!.until))
  await send([view({ visitorId: gone }), view()])
  const until = new Date().toISOString()
  const forgotten: ForgottenVisitor = { workspaceId, visitorId: gone, until }
  await registerGroups(sql, [persistEvent])
  assert.equal(await eraseVisitor(sql, forgotten), 'too_early')
  const [unread] = await query<{ position: string }>(
    'select position from outbox where workspace_id = $1 and visitor_id = $2 and contact_id is null',
    [gone],
  )
  await query(
    `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body) values ($1, 7, $2, 'page.view', '{}')`,
    [unread!.position],
  )
  await readAll(watched(sql), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.equal(await eraseVisitor(sql, forgotten), 'done')
  const left = await query(
    `select contact_id as contact, visitor_id as visitor from events where workspace_id = $1 and source = 'collect'
       and (visitor_id = $2 or id = (select max(id) from events)) order by id`,
    [gone],
  )
  assert.deepEqual(left, [
    { contact: contact.id, visitor: gone },
    { contact: null, visitor: VISITOR },
  ])
  const logged = await recorded()
  assert.deepEqual(
    logged.map(({ contact: of, visitor }) => ({ contact: of, visitor })),
    left,
    'nor is it in the log',
  )
  assert.deepEqual(await query('select from deliveries where workspace_id = $1'), [], 'nor what endpoints were told')
})

test('visitors that nobody has named have no row of their own, however many they are', async () => {
  const visitors = 2_000
  const ids = Array.from({ length: visitors }, () => randomUUID())
  const rows = () => tableRows((text) => queryInScope(sql, workspaceId, { text, values: [] }))
  const before = await rows()
  for (let from = 0; from < visitors; from += 100) {
    const some = ids.slice(from, from + 100)
    assert.equal((await send(some.map((visitorId) => view({ visitorId })))).statusCode, 204)
    const consent = { key, visitorId: some[0], state: 'granted', wording: 'Yes' }
    assert.equal((await post('consent', consent)).statusCode, 204)
  }
  await readAll(watched(sql), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  await tally.tell()
  const after = await rows()
  const grown = [...after.keys()].filter((name) => after.get(name)! - (before.get(name) ?? 0) >= visitors / 100)
  // Their events, of which the log and the ids go after days, and nothing of visitors, claims, consents or contacts.
  assert.deepEqual(grown.sort(), ['collect_event_ids', 'events', 'outbox'])
  for (const name of ['visitors', 'identity_claims', 'identity_statements', 'consent_changes', 'contacts']) {
    assert.equal(after.get(name), before.get(name), name)
  }
})

/** Bodies of any form: values of every type in every place, and texts that are no JSON. */
function junkBody(random: () => number): string {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  const value = (depth: number): unknown =>
    pick<() => unknown>([
      () => null,
      () => random() * 1e21,
      () => -1,
      () => '',
      () => 'x'.repeat(random() * 300),
      () => '\ud800\udfff',
      () => new Date(random() * 1e14).toISOString(),
      () => VISITOR,
      () => (depth > 0 ? [value(depth - 1), value(depth - 1)] : []),
      () => (depth > 0 ? { [pick(['a', 'properties', 'constructor', 'id'])]: value(depth - 1) } : {}),
    ])()
  const perhaps = (usual: unknown) => (random() < 0.7 ? usual : value(3))
  const item = () => ({
    id: perhaps(randomUUID()),
    action: perhaps('x'),
    properties: perhaps({ a: value(4) }),
    ...(random() < 0.2 ? { [pick(['context', 'occurredAt', 'visitorId', 'more'])]: value(2) } : {}),
  })
  const body = JSON.stringify({
    key: perhaps(key),
    sentAt: perhaps(new Date().toISOString()),
    consent: perhaps('granted'),
    visitorId: perhaps(VISITOR),
    events: perhaps([item(), item()]),
  })
  if (random() < 0.1) return body.slice(0, random() * body.length)
  return random() < 0.05 ? body.replace('"key"', '"__proto__":{"a":1},"key"') : body
}

const BODY_PATHS = ['events', 'events', 'consent', 'forget']
/** As from as many browsers. */
const BODIES_AT_ONCE = 40

test('no body whatever is answered 5xx', async (t) => {
  const seed = seedFrom('COLLECT_SEED')
  t.diagnostic(`COLLECT_SEED=${seed}`)
  const random = seededRandom(seed)
  const statuses = new Map<number, number>()
  const count = Number(process.env.COLLECT_BODIES ?? 600)
  const one = async (path: string, body: string) => {
    const answer = await post(path, body)
    assert.ok(answer.statusCode < 500, `${answer.statusCode} ${body}`)
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
  }
  for (let n = 0; n < count; n += BODIES_AT_ONCE) {
    const paths = Array.from({ length: Math.min(BODIES_AT_ONCE, count - n) }, (_, at) => BODY_PATHS[(n + at) % 4]!)
    await Promise.all(paths.map((path) => one(path, junkBody(random))))
  }
  t.diagnostic(JSON.stringify([...statuses]))
  for (const status of [200, 204, 400, 401]) assert.ok(statuses.has(status), String(status))
})
