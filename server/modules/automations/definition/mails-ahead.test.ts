import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts'
import { MAILS_MAX, soonestMails, surestMails } from './mails-ahead.ts'
import { readDefinition } from './read-definition.ts'

const MAIL = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>' }
const IF = { rules: [{ field: 'tag', operator: 'has', value: 'VIP' }] }

/** The moments of mails within a day, of whoever comes to the first node: the soonest and the latest, in hours. */
function momentsOf(nodes: Record<string, object>, shortestDayMs = DAY_MS): { soonest: number[]; surest: number[] } {
  const start = Object.keys(nodes)[0]!
  const json = { format: 1, enter: { on: [{ manual: true }] }, start, nodes }
  const { definition, faults } = readDefinition(json)
  assert.deepEqual(faults, [])
  const inHours = (moments: number[]) => moments.map((ms) => ms / HOUR_MS)
  return {
    soonest: inHours(soonestMails(definition.nodes, [start], { untilMs: DAY_MS, shortestDayMs })),
    surest: inHours(surestMails(definition.nodes)([start])),
  }
}

test('a branch and a split may lead to a mail, and surely do where each of their ways does', () => {
  const branch = { type: 'branch', ways: [{ if: IF, to: 'mail' }], else: 'end' }
  const mail = { ...MAIL, to: 'end' }
  assert.deepEqual(momentsOf({ branch, mail }), { soonest: [0], surest: [] })
  const other = { ...branch, else: 'rest' }
  const rest = { type: 'delay', hours: 2, to: 'mail' }
  assert.deepEqual(momentsOf({ other, rest, mail }), { soonest: [0], surest: [2] })
  const ways = [
    { weight: 9_999, to: 'mail' },
    { weight: 1, to: 'end' },
  ]
  assert.deepEqual(momentsOf({ split: { type: 'split', ways }, mail }), { soonest: [0], surest: [] })
})

test('a wait is over at once by an event, and at its end whatever happens', () => {
  const wait = { type: 'wait', for: [{ event: 'paid', to: 'mail' }], timeout: 'PT5H', late: 'mail' }
  const mail = { ...MAIL, to: 'end' }
  assert.deepEqual(momentsOf({ wait, mail }), { soonest: [0], surest: [5] })
  assert.deepEqual(momentsOf({ wait: { ...wait, timeout: 'P2D' }, mail }), { soonest: [0], surest: [] })
  const late = { ...wait, for: [{ event: 'paid', to: 'end' }] }
  assert.deepEqual(momentsOf({ late, mail }), { soonest: [5], surest: [] })
})

test('delays count by their shortest time, and by the calendar one is not sure to be over within a day', () => {
  const mail = { ...MAIL, to: 'end' }
  const after = (delay: object, dayMs = DAY_MS) =>
    momentsOf({ rest: { type: 'delay', ...delay, to: 'mail' }, mail }, dayMs)
  assert.deepEqual(after({ hours: 24 }), { soonest: [24], surest: [24] })
  assert.deepEqual(after({ hours: 24, seconds: 1 }), { soonest: [], surest: [] })
  assert.deepEqual(after({ days: 1 }), { soonest: [24], surest: [] })
  assert.deepEqual(after({ days: 1, hours: 1 }), { soonest: [], surest: [] })
  assert.deepEqual(after({ days: 1, hours: 1 }, 23 * HOUR_MS), { soonest: [24], surest: [] })
  assert.deepEqual(after({ at: '09:00' }), { soonest: [0], surest: [] })
  // The next day begins in a moment.
  assert.deepEqual(after({ days: 1, at: '00:00' }), { soonest: [0], surest: [] })
  assert.deepEqual(after({ days: 3, at: '00:00' }), { soonest: [], surest: [] })
})

test('each mail of a way has its moment, and those of a circle as many as are counted', () => {
  const first = { ...MAIL, to: 'rest' }
  const rest = { type: 'delay', hours: 20, to: 'second' }
  const second = { ...MAIL, to: 'more' }
  const more = { type: 'delay', hours: 20, to: 'third' }
  const third = { ...MAIL, to: 'end' }
  assert.deepEqual(momentsOf({ first, rest, second, more, third }), { soonest: [0, 20], surest: [0, 20] })
  const round = { type: 'delay', hours: 8, to: 'first' }
  const inCircle = { first: { ...MAIL, to: 'round' }, round }
  assert.deepEqual(momentsOf(inCircle), { soonest: [0, 8, 16, 24], surest: [0, 8, 16, 24] })
  const heard = { type: 'wait', for: [{ event: 'again', to: 'mail' }], timeout: 'PT1H', late: 'heard' }
  const often = momentsOf({ mail: { ...MAIL, to: 'heard' }, heard })
  assert.deepEqual([often.soonest.length, often.surest], [MAILS_MAX, [0]])
  assert.equal(often.soonest.at(-1)! < MINUTE_MS, true)
})

test('ways that meet again and again are not gone one by one', () => {
  const [meetings, delays] = [15, 15]
  const nodes: Record<string, object> = {}
  for (let n = 0; n < meetings; n++) {
    const to = n + 1 < meetings ? `b${n + 1}` : 'mail'
    nodes[`b${n}`] = { type: 'branch', ways: [{ if: IF, to: `t${n}` }], else: `d${n}` }
    nodes[`t${n}`] = { type: 'tag', add: ['VIP'], remove: [], to }
    nodes[`d${n}`] = { type: 'delay', seconds: 2 ** (delays - n), to }
  }
  const json = {
    format: 1,
    enter: { on: [{ manual: true }] },
    start: 'b0',
    nodes: { ...nodes, mail: { ...MAIL, to: 'end' } },
  }
  const { definition, faults } = readDefinition(json)
  assert.deepEqual(faults, [])
  let read = 0
  const counted = new Proxy(definition.nodes, {
    get(all, id) {
      read += 1
      return Reflect.get(all, id)
    },
  })
  assert.deepEqual(soonestMails(counted, ['b0'], { untilMs: DAY_MS, shortestDayMs: DAY_MS }), [0])
  assert.ok(read < 10 * Object.keys(definition.nodes).length, `${read} read`)
})
