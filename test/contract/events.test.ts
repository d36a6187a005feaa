import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RESERVED_PREFIXES, SYSTEM_NAMES } from '../../server/catalogue/domain-events.ts'
import { until } from '../support/instance.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const PROPERTIES_BYTES_MAX = 32 * 1_024
const STORED_WITHIN_MS = 60_000

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const record = (events: unknown, path = '/api/events') => api.call('POST', path, { json: { events } })

type Stored = {
  type: string
  subject: string
  contactId: string | null
  subjectId: string | null
  email: string | null
  phone: string | null
  data: string
  occurredAt: string
}

/** The events stored under an action, in the order of their ids, once there are that many. */
async function stored(action: string, count: number): Promise<Stored[]> {
  const text = `select type, subject, contact_id as "contactId", subject_id as "subjectId", email, phone,
      data::text as data, utc_text(occurred_at) as "occurredAt" from events where name = $1 order by id`
  const look = () => instance.sql<Stored>(text, [action])
  await until(`${count} events ${action}`, async () => (await look()).length >= count, STORED_WITHIN_MS)
  return look()
}

/** Rows of the log: there from the moment of the answer. */
async function logged(action: string): Promise<number> {
  const [row] = await instance.sql<{ count: string }>('select count(*) from outbox where name = $1', [action])
  return Number(row?.count)
}

test('recorded events are answered 204 with an empty body once they are durable', async () => {
  const action = 'order.placed'
  const before = Date.now()
  const answer = await record([
    { action, subjectId: 'ada', properties: { total: 12.5 }, occurredAt: '2026-03-01T12:00:00+02:00' },
    { action, email: ' Ada@Example.com ', phone: '+44 1' },
  ])
  assert.equal(answer.status, 204)
  assert.equal(answer.text, '')
  assert.equal(answer.headers['content-type'], undefined)
  assert.equal(await logged(action), 2)
  const [first, second] = await stored(action, 2)
  assert.deepEqual(first, {
    type: 'event.recorded',
    subject: 'ada',
    contactId: null,
    subjectId: 'ada',
    email: null,
    phone: null,
    data: '{"total": 12.5}',
    occurredAt: '2026-03-01T10:00:00.000000Z',
  })
  assert.equal(second?.email, 'ada@example.com')
  assert.equal(second?.phone, '+44 1')
  assert.equal(second?.data, '{}')
  const occurredMs = Date.parse(second?.occurredAt ?? '')
  assert.ok(occurredMs >= before && occurredMs <= Date.now(), 'an event without a time is of now')
})

test('one item that does not fit keeps out all of them, and is named by its place', async () => {
  const good = { action: 'batch.bad', subjectId: 'a' }
  const wrong: [item: object, pointer: string][] = [
    [{ action: 'batch.bad' }, '/events/1'],
    [{ action: 'batch.bad', subjectId: '', email: ' ', phone: null }, '/events/1'],
    [{ subjectId: 'a' }, '/events/1/action'],
    [{ ...good, action: '' }, '/events/1/action'],
    [{ ...good, action: '   ' }, '/events/1/action'],
    [{ ...good, action: 'a\nb' }, '/events/1/action'],
    [{ ...good, action: 'x'.repeat(201) }, '/events/1/action'],
    [{ ...good, email: 'nobody' }, '/events/1/email'],
    [{ ...good, subjectId: 'x'.repeat(201) }, '/events/1/subjectId'],
    [{ ...good, phone: '1'.repeat(41) }, '/events/1/phone'],
    [{ ...good, id: 'x'.repeat(65) }, '/events/1/id'],
    [{ ...good, occurredAt: 'yesterday' }, '/events/1/occurredAt'],
    [{ ...good, occurredAt: '2026-02-30T00:00:00Z' }, '/events/1/occurredAt'],
    [{ ...good, properties: [] }, '/events/1/properties'],
    [{ ...good, properties: { text: 'x'.repeat(PROPERTIES_BYTES_MAX) } }, '/events/1/properties'],
    [{ ...good, verified: true }, '/events/1/verified'],
  ]
  for (const [item, pointer] of wrong) {
    const { status, json } = await record([good, item, good])
    assert.equal(status, 400, pointer)
    assert.equal(json.errors[0].pointer, pointer, JSON.stringify(item).slice(0, 100))
  }
  assert.equal(await logged('batch.bad'), 0)
})

/** How each intake is given events, and whether it took the one of an action; its neighbours may be taken. */
const INTAKES: Record<string, (action: string) => Promise<{ taken: boolean; error: string }>> = {
  async Events_create(action) {
    const { status, json } = await record([
      { action: 'reserved.neighbour', subjectId: 'a' },
      { action, subjectId: 'a' },
    ])
    if (status === 204) return { taken: true, error: '' }
    assert.deepEqual([status, json.code, json.errors.length], [422, 'unprocessable', 1], action)
    assert.equal(await logged('reserved.neighbour'), 0)
    return { taken: false, error: `${json.errors[0].pointer} ${json.errors[0].detail}` }
  },
  async Events_createBatch(action) {
    const { status, json } = await record([{ action, subjectId: 'a' }], '/api/events/batch')
    assert.equal(status, 200)
    return { taken: json.results[0].status === 'accepted', error: `/events/1${json.results[0].error}` }
  },
}

/** The schema of an operation's body, with those that it refers to. */
function bodyText({ requestBody }: { requestBody?: object }): string {
  const schemas = (api.document.components as { schemas?: Record<string, object> } | undefined)?.schemas ?? {}
  const seen = new Set<string>()
  const textOf = (schema: object): string => {
    const text = JSON.stringify(schema)
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!)
    const unseen = names.filter((name) => !seen.has(name) && seen.add(name))
    return [text, ...unseen.map((name) => textOf(schemas[name] ?? {}))].join()
  }
  return requestBody === undefined ? '' : textOf(requestBody)
}

test("the names of the system's own events are refused at every intake, in any spelling", async () => {
  const intakes = api.operations.filter(({ described }) => bodyText(described).includes('"action":'))
  assert.deepEqual(
    intakes.map(({ operationId }) => operationId).toSorted(),
    Object.keys(INTAKES),
    'every operation that takes an action is here',
  )
  const names = [...RESERVED_PREFIXES.map((prefix) => `${prefix}x`), ...SYSTEM_NAMES]
  for (const give of Object.values(INTAKES)) {
    for (const action of names.flatMap((name) => [name, name.toUpperCase(), ` ${name}`])) {
      const { taken, error } = await give(action)
      assert.ok(!taken, action)
      assert.match(error, /^\/events\/1\/action must not (begin with|be) [a-z.]+: /)
    }
    for (const action of ['contact', 'contacts.x', 'emailed', 'x.email.y', 'segment.created.x']) {
      assert.ok((await give(action)).taken, action)
    }
  }
})

test('a request holds 1 to 1000 events', async () => {
  const events = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ action: 'many', subjectId: `s${index}` }))
  for (const wrong of [[], events(1_001), {}, 'text', null]) {
    const { status, json } = await record(wrong)
    assert.equal(status, 400)
    assert.equal(json.errors[0].pointer, '/events')
  }
  assert.equal((await record(events(1_000))).status, 204)
  assert.equal(await logged('many'), 1_000)
})

test('properties of exactly 32 KiB are kept, digit by digit', async () => {
  const filler = 'ä'.repeat((PROPERTIES_BYTES_MAX - '{"t":""}'.length) / 2)
  const fits = { t: filler }
  assert.equal(Buffer.byteLength(JSON.stringify(fits)), PROPERTIES_BYTES_MAX)
  assert.equal((await record([{ action: 'large', subjectId: 'a', properties: fits }])).status, 204)
  assert.equal((await record([{ action: 'large', subjectId: 'a', properties: { t: `${filler}x` } }])).status, 400)
  const body = '{"events":[{"action":"digits","subjectId":"a","properties":{"n":12345678901234567890.10}}]}'
  const headers = { 'content-type': 'application/json' }
  assert.equal((await api.call('POST', '/api/events', { body, headers })).status, 204)
  const [{ data } = { data: '' }] = await stored('digits', 1)
  assert.equal(data, '{"n": 12345678901234567890.10}')
})

test('an id of the caller makes a repeat harmless', async () => {
  const event = (id: string) => ({ id, action: 'repeat', subjectId: 'a' })
  assert.equal((await record([event('1'), event('2'), event('1')])).status, 204)
  assert.equal((await record([event('1'), event('3')])).status, 204)
  await Promise.all(Array.from({ length: 10 }, () => record([event('4'), event('5')])))
  assert.equal(await logged('repeat'), 5)
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('ids'))
  assert.equal((await api.call('POST', '/api/events', { token, json: { events: [event('1')] } })).status, 204)
  assert.equal(await logged('repeat'), 6, 'ids of another workspace are its own')
})

test('an event belongs to the contact it names, by subjectId, then email, then phone, and makes none', async () => {
  const create = async (json: object) => (await api.call('POST', '/api/contacts', { json })).json.id
  const bySubject = await create({ subjectId: 'known' })
  const byEmail = await create({ subjectId: 'mailed', email: 'known@example.com' })
  const byPhone = await create({ phone: '+99' })
  const { totalItems } = (await api.call('GET', '/api/contacts')).json
  const given = [
    { subjectId: 'known', email: 'known@example.com', phone: '+99' },
    { subjectId: 'nobody', email: 'KNOWN@example.com', phone: '+99' },
    { email: 'known@example.com' },
    { phone: ' +99 ' },
    { subjectId: 'nobody', email: 'nobody@example.com', phone: '+0' },
  ]
  await record(given.map((event) => ({ ...event, action: 'attach' })))
  const rows = await stored('attach', given.length)
  assert.deepEqual(
    rows.map((row) => [row.contactId, row.subject]),
    [
      [bySubject, 'known'],
      [byEmail, 'nobody'],
      [byEmail, 'mailed'],
      [byPhone, '+99'],
      [null, 'nobody'],
    ],
  )
  assert.equal((await api.call('GET', '/api/contacts')).json.totalItems, totalItems)
})

test('a batch says of each item what became of it', async () => {
  const good = { action: 'each', subjectId: 'a' }
  const events = [good, { ...good, action: 'contact.created' }, 42, { ...good, verified: true }, good, null]
  const { status, json } = await record(events, '/api/events/batch')
  assert.equal(status, 200)
  assert.deepEqual(
    json.results.map(({ index, status }: { index: number; status: string }) => [index, status]),
    [
      [0, 'accepted'],
      [1, 'failed'],
      [2, 'failed'],
      [3, 'failed'],
      [4, 'accepted'],
      [5, 'failed'],
    ],
  )
  assert.match(json.results[1].error, /^\/action /)
  assert.match(json.results[3].error, /^\/verified /)
  for (const index of [0, 4]) assert.deepEqual(Object.keys(json.results[index]), ['index', 'status'])
  assert.equal(await logged('each'), 2)
  for (const wrong of [[], Array(1_001).fill(good)]) {
    assert.equal((await record(wrong, '/api/events/batch')).status, 400)
  }
})

test('single events of many clients at once are all recorded', async () => {
  const events = Array.from({ length: 300 }, (_, index) => ({ action: 'single', subjectId: `s${index}` }))
  const answers = await Promise.all(events.map((event) => record([event], '/events')))
  assert.ok(answers.every((answer) => answer.status === 204))
  const subjects = (await stored('single', events.length)).map((row) => row.subject)
  assert.deepEqual(subjects.sort(), events.map((event) => event.subjectId).sort())
})
