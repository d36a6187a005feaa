import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from './canonical-json.ts'
import { listensOf } from './listens.ts'
import { readDefinition, storedDefinition } from './read-definition.ts'
import { readSpan, spanMsMax, spanMsMin, writeSpan } from './spans.ts'

const ENTER = { on: [{ event: 'cart.updated', where: [{ property: 'total', operator: '>=', value: 20 }] }] }
const RULES = { combinator: 'and', rules: [{ field: 'tag', operator: 'has', value: 'vip' }] }
const MAIL = { type: 'email', subject: 'Hello', body: '<p>Hello {{ unsubscribe_url }}</p>' }
const CART = {
  format: 1,
  class: 'marketing',
  defaultZone: 'europe/berlin',
  enter: { ...ENTER, if: RULES, again: { mode: 'restart', key: 'cartId' }, holdout: 500 },
  exit: [{ event: 'order.paid', match: { cartId: 'cartId' } }],
  goal: { event: 'order.paid', value: 'total', within: 'P7D' },
  start: 'w1',
  nodes: {
    w1: { type: 'wait', for: [{ event: 'order.paid', to: 'end' }], timeout: 'PT2H', late: 'm1' },
    m1: { ...MAIL, notLaterThan: 'PT12H', to: 'b1' },
    b1: {
      type: 'branch',
      ways: [
        {
          if: {
            rules: [
              { field: 'clicked', operator: 'has', value: 'm1' },
              { field: 'event.total', operator: '>', value: 100 },
            ],
          },
          to: 't1',
        },
      ],
      else: 'd1',
    },
    t1: { type: 'tag', add: ['warm'], to: 'end' },
    d1: { type: 'delay', days: 1, at: '09:00', on: ['mon', 'tue'], to: 's1' },
    s1: {
      type: 'split',
      ways: [
        { weight: 5_000, to: 'm2' },
        { weight: 5_000, to: 'end' },
      ],
    },
    m2: { type: 'email', template: { id: '7', version: 3 }, to: 'end' },
  },
  layout: { w1: [0, 0] },
}
type Graph = Record<string, unknown> & { nodes?: Record<string, unknown> }
const withNodes = (nodes: Record<string, unknown>, start = Object.keys(nodes)[0] ?? 'end'): Graph => ({
  ...{ format: 1, enter: ENTER, start, nodes },
})
const faultsOf = (graph: unknown) => readDefinition(graph).faults.map(({ pointer, detail }) => `${pointer} ${detail}`)
const oneFault = (graph: unknown, expected: RegExp) => {
  const faults = faultsOf(graph)
  assert.equal(faults.length, 1, faults.join('\n'))
  assert.match(faults[0]!, expected)
}

test('the sample of the guide is read as it is meant, and read again from its canonical text is the same', () => {
  const { definition, faults } = readDefinition(CART)
  assert.deepEqual(faults, [])
  assert.equal(definition.defaultZone, 'Europe/Berlin')
  assert.deepEqual(definition.enter.again, { mode: 'restart', key: 'cartId', gap: null })
  assert.deepEqual(definition.nodes.m1, {
    type: 'email',
    content: { subject: 'Hello', body: '<p>Hello {{ unsubscribe_url }}</p>', text: null },
    notLaterThan: { months: 0, days: 0, ms: 43_200_000 },
    to: 'b1',
    skipped: 'b1',
  })
  assert.deepEqual(definition.goal?.within, { months: 0, days: 7, ms: 0 })
  assert.deepEqual(storedDefinition(canonicalJson(CART)), definition)
})

test('equal definitions have one canonical text, whatever the order of their keys', () => {
  const turned = Object.fromEntries(Object.entries(CART).reverse())
  assert.equal(canonicalJson(turned), canonicalJson(CART))
  assert.equal(
    canonicalJson({ b: [JSON.rawJSON('12345678901234567890')], a: undefined }),
    '{"b":[12345678901234567890]}',
  )
})

test('everything that is missing or unknown is named at its place', () => {
  assert.deepEqual(
    faultsOf({}).map((fault) => fault.split(' ')[0]),
    ['/definition/format', '/definition/enter', '/definition/start'],
  )
  oneFault([], /^\/definition must be an object/)
  oneFault({ ...withNodes({}), colour: 'red' }, /^\/definition\/colour is not known: there are format, class/)
  oneFault({ ...withNodes({}), defaultZone: 'Mars/Olympus' }, /^\/definition\/defaultZone must be a time zone/)
  oneFault({ ...withNodes({}), enter: { on: [] } }, /^\/definition\/enter\/on must have at least 1 item/)
  oneFault(withNodes({ 'a b': { type: 'end' } }), /^\/definition\/nodes\/a b must have an id of up to 64 letters/)
  oneFault(withNodes({ a: { type: 'dance' } }), /^\/definition\/nodes\/a\/type must be one of email, delay/)
  oneFault(
    withNodes({ a: { ...MAIL, template: { id: '1' }, subject: undefined, body: 'x', to: 'end' } }),
    /\/a\/body cannot stand/,
  )
  oneFault(withNodes({ a: { type: 'tag', to: 'end' } }), /\/a must have tags to add or to remove/)
  oneFault(withNodes({ a: { type: 'delay', to: 'end' } }), /\/a must say how long/)
  oneFault(withNodes({ a: { type: 'delay', days: 500, to: 'end' } }), /\/a must be at most 400 days/)
})

test('a way that leads nowhere, to nobody or past a node is a fault', () => {
  oneFault(withNodes({ a: { type: 'delay', days: 1, to: 'z' } }), /\/a\/to names the node “z”, which there is not/)
  oneFault(withNodes({ a: { type: 'delay', days: 1 } }), /\/a\/to must say where it goes on/)
  oneFault(withNodes({}, 'z'), /^\/definition\/start names the node “z”/)
  const lonely = withNodes({ a: { type: 'end' }, b: { type: 'end' } })
  oneFault(lonely, /\/nodes\/b is reached by no way/)
})

test('a wait without a time-out is a fault', () => {
  const wait = { type: 'wait', for: [{ event: 'bought', to: 'end' }], late: 'end' }
  oneFault(withNodes({ a: wait }), /\/a\/timeout must say for how long at most/)
  oneFault(withNodes({ a: { ...wait, timeout: 'soon' } }), /\/a\/timeout must be a duration of ISO 8601/)
})

test('a wait may ask whether a rule holds, which is no rest, for it may hold at once', () => {
  const wait = (way: object) => withNodes({ a: { type: 'wait', for: [way], timeout: 'P1D', late: 'end' } })
  assert.deepEqual(faultsOf(wait({ if: RULES, to: 'end' })), [])
  oneFault(
    wait({ if: { rules: [{ operator: '=' }] }, to: 'end' }),
    /\/a\/for\/0\/if\/rules\/0\/field must name a field/,
  )
  oneFault(
    wait({ if: { rules: [{ field: 'clicked', operator: 'has', value: 'a' }] }, to: 'end' }),
    /\/a\/for\/0\/if\/rules\/0\/value names the node “a”, which is no email/,
  )
  oneFault(wait({ if: RULES, event: 'x', to: 'end' }), /\/a\/for\/0\/event is not known/)
  oneFault(wait({ if: RULES, to: 'a' }), /goes in a circle without a rest/)
  assert.deepEqual(faultsOf(wait({ event: 'x', to: 'a' })), [])
})

test('a circle needs a rest of a minute', () => {
  const loop = (between: object) =>
    withNodes({
      a: { type: 'tag', add: ['x'], to: 'b' },
      b: { type: 'branch', ways: [{ if: RULES, to: 'c' }], else: 'end' },
      c: { ...between, to: 'a' },
    })
  assert.deepEqual(faultsOf(loop({ type: 'delay', minutes: 1 })), [])
  assert.deepEqual(faultsOf(loop({ type: 'delay', days: 1 })), [])
  oneFault(loop({ type: 'delay', seconds: 59 }), /\/nodes\/a goes in a circle without a rest \(a → b → c → a\)/)
  oneFault(loop({ type: 'goal' }), /goes in a circle without a rest/)
})

test('rules are refused where they stand, with their own pointers', () => {
  const branch = (rule: object) =>
    withNodes({ a: { type: 'branch', ways: [{ if: { rules: [rule] }, to: 'end' }], else: 'end' } })
  const at = '/definition/nodes/a/ways/0/if/rules/0'
  oneFault(
    branch({ field: 'clicked', operator: 'has', value: 'a' }),
    new RegExp(`^${at}/value names the node “a”, which is no email`),
  )
  oneFault(branch({ field: 'clicked', operator: '<', value: 'a' }), new RegExp(`^${at}/operator must be one of has`))
  oneFault(
    branch({ field: 'event.total', operator: 'like', value: '1' }),
    new RegExp(`^${at}/operator must be one of =`),
  )
  oneFault(branch({ operator: '=', value: '1' }), new RegExp(`^${at}/field must name a field`))
})

test('weights of a split add up', () => {
  const split = (...weights: number[]) =>
    withNodes({ a: { type: 'split', ways: weights.map((weight) => ({ weight, to: 'end' })) } })
  assert.deepEqual(faultsOf(split(1, 9_999)), [])
  oneFault(split(5_000, 4_000), /\/a\/ways must have weights that add up to 10000; they are 9000/)
})

test('triggers by a date and a schedule are read, and told where they are wrong', () => {
  const on = (trigger: object) => ({ ...withNodes({}), enter: { on: [trigger] } })
  assert.deepEqual(faultsOf(on({ date: 'birthday', repeat: 'yearly', days: -7, at: '09:00', leapDay: 'mar1' })), [])
  assert.deepEqual(faultsOf(on({ schedule: { at: '09:00', on: ['mon'] }, segment: '42' })), [])
  oneFault(on({ date: 'birthday', at: '24:00' }), /\/on\/0\/at must be a time of day/)
  oneFault(on({ date: 'birthday', days: 400 }), /\/on\/0\/days must be a whole number from -366 to 366/)
  oneFault(on({ date: 'birthday', repeat: 'daily' }), /\/on\/0\/repeat must be one of once, yearly/)
  oneFault(on({ schedule: { day: 1, on: ['mon'] }, segment: '42' }), /\/schedule\/day stands beside no weekdays/)
  oneFault(on({ schedule: {}, segment: 'VIP' }), /\/on\/0\/segment must be the id of a segment/)
})

test('triggers, exits, the goal and waits may ask how well it is proven whose an event is', () => {
  const one = { event: 'x', minProof: 'signed' }
  const wait = { type: 'wait', for: [{ ...one, to: 'end' }], timeout: 'P1D', late: 'end' }
  const all = { ...withNodes({ a: wait }), enter: { on: [one] }, exit: [one], goal: one }
  const { definition, faults } = readDefinition(all)
  assert.deepEqual([faults, definition.goal?.minProof, definition.exit[0]?.minProof], [[], 'signed', 'signed'])
  assert.ok(listensOf(definition).every(({ filtered, kind }) => filtered || kind === 'entry'))
  oneFault(
    { ...withNodes({}), exit: [{ ...one, minProof: 'none' }] },
    /\/exit\/0\/minProof must be one of claimed, link/,
  )
  oneFault({ ...withNodes({}), goal: { ...one, minProof: 1 } }, /\/goal\/minProof must be one of/)
})

test('limits are limits', () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 201 }, (_, n) => [`n${n}`, { type: 'tag', add: ['x'], to: n < 200 ? `n${n + 1}` : 'end' }]),
  )
  assert.match(faultsOf(withNodes(nodes))[0]!, /^\/definition\/nodes must have at most 200 nodes/)
  const triggers = Array.from({ length: 21 }, () => ({ event: 'x' }))
  oneFault({ ...withNodes({}), enter: { on: triggers } }, /\/enter\/on must have at most 20 items/)
  oneFault({ ...withNodes({}), layout: { end: Array(100_000).fill(0) } }, /at most 262144 characters|two numbers/)
})

test('durations are those of ISO 8601, calendar and clock apart', () => {
  const spans = { PT2H: [0, 0, 7_200_000], P1M: [1, 0, 0], P1Y2M3W4DT5M6S: [14, 25, 306_000], PT90M: [0, 0, 5_400_000] }
  for (const [text, [months, days, ms]] of Object.entries(spans)) {
    const span = readSpan(text)!
    assert.deepEqual(span, { months, days, ms }, text)
    assert.deepEqual(readSpan(writeSpan(span)), span)
    assert.ok(spanMsMin(span) <= spanMsMax(span))
  }
  for (const text of ['', 'P', 'PT', '2H', 'P1H', 'P-1D', 'P1.5D', 'p1d', 'P1D '])
    assert.equal(readSpan(text), undefined, text)
})
