import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOMAIN_EVENTS } from '../../catalogue/domain-events.ts'
import { DAY_MS, HOUR_MS } from '../../platform/durations.ts'
import { readBrowserEvent, type Sending } from './read-browser-event.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const VISITOR = '0f8b2c6de1a94f0bb1f0c3d2e4a59687'
const tracker = { consentMode: 'required', allowedActions: [] as string[], serverOnlyActions: [] as string[] } as const
const sending: Sending = { tracker: { ...tracker }, visitorId: VISITOR, sentMs: NOW, receivedMs: NOW }
const iso = (ms: number) => new Date(ms).toISOString()

function taken(item: object, more: Partial<Sending> = {}) {
  const read = readBrowserEvent({ id: 'a', action: 'page.view', ...item }, { ...sending, ...more })
  assert.ok('event' in read, JSON.stringify(read))
  return read.event
}
function codeOf(item: unknown, more: Partial<Sending> = {}) {
  const read = readBrowserEvent(item, { ...sending, ...more })
  return 'code' in read ? read.code : 'taken'
}

test('the time is brought to our clock, and a repeat is known by the day of the browser’s', () => {
  const wrongBy = [0, DAY_MS, -DAY_MS, 5 * DAY_MS, 3 * 365 * DAY_MS]
  for (const offset of wrongBy) {
    const occurredAt = iso(NOW + offset - HOUR_MS)
    const first = taken({ occurredAt }, { sentMs: NOW + offset })
    assert.equal(first.occurredAt, iso(NOW - HOUR_MS))
    // Sent again half a day later, by the same clock.
    const again = taken({ occurredAt }, { sentMs: NOW + offset + DAY_MS / 2, receivedMs: NOW + DAY_MS / 2 })
    assert.equal(again.occurredAt, first.occurredAt)
    assert.deepEqual(again.idHash, first.idHash)
    if (Math.abs(offset) < 6 * DAY_MS) assert.equal(again.day, first.day)
  }
})

test('what is to come is now, and what is over a week old is refused', () => {
  assert.equal(taken({ occurredAt: iso(NOW + HOUR_MS) }).occurredAt, iso(NOW))
  assert.equal(taken({}).occurredAt, iso(NOW))
  assert.equal(taken({ occurredAt: iso(NOW - 7 * DAY_MS) }).occurredAt, iso(NOW - 7 * DAY_MS))
  const id = 'a'
  assert.equal(codeOf({ id, action: 'x', occurredAt: iso(NOW - 7 * DAY_MS - 1) }), 'too-old')
  assert.equal(codeOf({ id, action: 'x', occurredAt: '0002-01-01T00:00:00Z' }), 'too-old')
})

test('names of the system and those that are not allowed are refused, in any case', () => {
  for (const action of [...DOMAIN_EVENTS, 'FORM.x', ' Contact.Created', 'automation.entered', 'webhook.test']) {
    assert.equal(codeOf({ id: 'a', action }), 'reserved-action', action)
  }
  const limits = { allowedActions: ['page.view', 'order.paid'], serverOnlyActions: ['order.paid'] }
  const limited = { tracker: { ...tracker, ...limits } }
  assert.equal(codeOf({ id: 'a', action: 'page.view' }, limited), 'taken')
  for (const action of ['order.paid', 'other']) assert.equal(codeOf({ id: 'a', action }, limited), 'action-not-allowed')
})

test('what is no event is said to be none, and one that is too large is', () => {
  for (const item of [
    null,
    7,
    [],
    {},
    { id: 'a' },
    { id: '', action: 'x' },
    { id: 'a', action: ' ' },
    { id: 'a', action: 'a\u0007' },
    { id: 'a', action: 'x', subjectId: 'user-42' },
    { id: 'a', action: 'x', visitorId: 'undefined' },
    { id: 'a', action: 'x', occurredAt: 'yesterday' },
    { id: 'a', action: 'x', properties: [] },
  ])
    assert.equal(codeOf(item), 'invalid-event', JSON.stringify(item))
  assert.equal(codeOf({ id: 'a', action: 'x', properties: { text: 'é'.repeat(16_384) } }), 'too-large')
})

test('an event is of its own visitor, or of that of the request; of none where nobody is recognised', () => {
  const other = 'f'.repeat(32)
  assert.equal(taken({}).visitorId, VISITOR)
  assert.equal(taken({ visitorId: other }).visitorId, other)
  assert.notDeepEqual(taken({ visitorId: other }).idHash, taken({}).idHash)
  assert.equal(taken({ visitorId: other }, { tracker: { ...tracker, consentMode: 'cookieless' } }).visitorId, null)
})

test('the context stands among the properties, and makes way for one of that name', () => {
  assert.equal(taken({ properties: { a: 1 }, context: { url: 'u' } }).properties, '{"context":{"url":"u"},"a":1}')
  assert.equal(taken({ properties: { context: 'own' }, context: { url: 'u' } }).properties, '{"context":"own"}')
  assert.equal(taken({ properties: null, context: null }).properties, '{}')
})
