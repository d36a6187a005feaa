import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedDefinition } from '../definition/read-definition.ts'
import { playScenarios } from './play-scenarios.ts'
import { readScenarios } from './read-scenarios.ts'
import { runScenario } from './run-scenario.ts'
import type { ScenarioFacts } from './scenario-person.ts'

const MAIL = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>' }
const rule = (field: string, operator: string, value: unknown) => ({ rules: [{ field, operator, value }] })
const CART = {
  format: 1,
  defaultZone: 'Europe/Berlin',
  enter: { on: [{ event: 'cart.updated' }, { manual: true }], again: { mode: 'restart', key: 'cartId' }, holdout: 500 },
  exit: [{ event: 'order.paid', match: { cartId: 'cartId' } }],
  start: 'rest',
  nodes: {
    rest: { type: 'delay', hours: 2, to: 'remind' },
    remind: { ...MAIL, to: 'a-day' },
    'a-day': { type: 'delay', days: 1, at: '09:00', to: 'who' },
    who: {
      type: 'branch',
      ways: [
        { if: rule('clicked', 'has', 'remind'), to: 'warm' },
        { if: rule('tag', 'has', 'VIP'), to: 'half' },
        { if: rule('custom:plan', '=', 'pro'), to: 'half' },
      ],
      else: 'end',
    },
    half: {
      type: 'split',
      ways: [
        { weight: 5_000, to: 'warm' },
        { weight: 5_000, to: 'again' },
      ],
    },
    again: { ...MAIL, to: 'end' },
    warm: { type: 'tag', add: ['Warm'], to: 'end' },
  },
}
const FACTS: ScenarioFacts = {
  fields: new Map([['plan', { type: 'text', keys: ['plan'] }]]),
  tagIds: new Map([['VIP', '7']]),
  segments: new Map(),
}
const BEGUN = { event: 'cart.updated', data: { cartId: 'a' } }
const REMINDED = { mail: 'remind', at: 'PT2H' }

type Told = { json?: object; given?: object[]; expect: object[]; person?: object; workspace?: object; start?: string }

function played({ json = CART, ...scenario }: Told) {
  const { scenarios, faults } = readScenarios([{ name: 'It', given: [BEGUN], ...scenario }])
  assert.deepEqual(faults, [])
  return runScenario(
    { automationId: '4', definition: storedDefinition(JSON.stringify(json)), facts: FACTS },
    scenarios[0]!,
  )
}

const told = (result: ReturnType<typeof played>) =>
  result.lines.map(({ outcome, kind, what }) => `${outcome} ${kind} ${what}`)

test('a scenario holds where everything comes at its moment, by the clock of the person', () => {
  const expect = [REMINDED, { end: 'completed', at: '2026-06-02T09:00:00+02:00' }]
  assert.equal(played({ expect }).passed, true)
  const [tokyo] = played({ expect, person: { timeZone: 'Asia/Tokyo' } }).lines.slice(-1)
  assert.deepEqual([tokyo!.outcome, tokyo!.seenAt], ['other_time', '2026-06-02T00:00:00.000Z'])
})

test('what is missing, comes at another time or was not expected fails it, each in a line of its own', () => {
  const result = played({ expect: [{ mail: 'again' }, { mail: 'remind', at: 'PT3H' }] })
  assert.equal(result.passed, false)
  assert.deepEqual(told(result), ['other_time mail remind', 'unexpected end completed', 'missing mail again'])
  assert.deepEqual(
    result.steps.map(({ node }) => node),
    ['', 'rest', 'remind', 'a-day', 'who'],
  )
})

test('events, clicks, tags, fields, splits and holdout are what the scenario says', () => {
  const ends = (given: object[], { person = {}, expect }: { person?: object; expect: object[] }) =>
    assert.deepEqual(
      told(played({ given, person, expect })).filter((line) => !line.startsWith('met')),
      [],
    )
  ends([BEGUN, { event: 'order.paid', data: { cartId: 'a' }, at: 'PT1H' }], {
    expect: [{ end: 'criterion', at: 'PT1H' }],
  })
  ends([BEGUN, { unsubscribe: 'automation', at: 'PT1H' }], { expect: [{ end: 'unsubscribed', at: 'PT1H' }] })
  ends([BEGUN, { click: 'remind', at: 'PT3H' }], { expect: [REMINDED, { tag: 'warm' }, { end: 'completed' }] })
  ends([BEGUN, { tag: 'vip', at: 'PT3H' }], { expect: [REMINDED, { tag: 'warm' }, { end: 'completed' }] })
  ends([BEGUN], {
    person: { fields: { 'custom:plan': 'pro' }, split: { half: 1 } },
    expect: [REMINDED, { mail: 'again' }, { end: 'completed' }],
  })
  ends([BEGUN], { person: { heldOut: true }, expect: [{ end: 'held_out', at: 'PT0S' }] })
  ends([{ enroll: true, at: 'PT1H' }], { expect: [{ mail: 'remind', at: 'PT3H' }, { end: 'completed' }] })
  ends([BEGUN, { ...BEGUN, at: 'PT1H' }], {
    expect: [{ end: 'restart', at: 'PT1H' }, { mail: 'remind', at: 'PT3H' }, { end: 'completed' }],
  })
})

test('a scenario that names a way that nobody goes fails and says so, and the others are played', () => {
  const half = { type: 'split', ways: [0, 5_000, 5_000].map((weight) => ({ weight, to: 'warm' })) }
  const story = (name: string, split: object) => ({
    name,
    person: { split },
    given: [BEGUN],
    expect: [{ mail: 'remind' }],
  })
  const splits: object[] = [{ half: 7 }, { half: 0 }, { who: 0 }, { constructor: 0 }, { half: 2 }]
  const results = playScenarios({
    ...{ workspaceId: '1', automationId: '4', facts: FACTS },
    definition: JSON.stringify({ ...CART, nodes: { ...CART.nodes, half } }),
    scenarios: JSON.stringify(splits.map((split, n) => story(String(n), split))),
  })
  assert.deepEqual(
    results.map(({ passed, fault, lines }) => [passed, fault, lines.length]),
    [
      [false, 'the person is to go a way that the split does not have (at “half”, part 8)', 0],
      [false, 'the person is to go a way that nobody goes: its share is 0 % (at “half”, part 1)', 0],
      [false, 'the person is to go a way at a split that is no more (at “who”, part 1)', 0],
      [false, 'the person is to go a way at a split that is no more (at “constructor”, part 1)', 0],
      [false, null, 2],
    ],
  )
})

test('a wait for a rule ends when it begins to hold, whatever makes it hold', () => {
  const json = {
    ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: 'vip' },
    nodes: {
      vip: { type: 'wait', for: [{ if: rule('tag', 'has', 'VIP'), to: 'warm' }], timeout: 'P3D', late: 'remind' },
      warm: { type: 'tag', add: ['Warm'], to: 'end' },
      remind: { ...MAIL, to: 'end' },
    },
  }
  const given = [BEGUN, { tag: 'VIP', at: 'PT3H' }]
  const expect = [
    { tag: 'Warm', at: 'PT3H' },
    { end: 'completed', at: 'PT3H' },
  ]
  assert.deepEqual(told(played({ json, given, expect })), ['met tag Warm', 'met end completed'])
  const late = [{ mail: 'remind', at: 'P3D' }, { end: 'completed' }]
  assert.equal(played({ json, given: [BEGUN], expect: late }).passed, true)
})

/** Two mails, with a tag between them that nobody waits for. */
const TWICE = {
  ...{ format: 1, defaultZone: 'Europe/Berlin', enter: { on: [{ event: 'cart.updated' }] }, start: 'first' },
  nodes: {
    first: { ...MAIL, to: 'rest' },
    rest: { type: 'delay', hours: 1, to: 'second' },
    second: { ...MAIL, notLaterThan: 'PT12H', to: 'warm' },
    warm: { type: 'tag', add: ['Warm'], to: 'end' },
  },
}
const AFTER = [
  { tag: 'Warm', at: 'PT1H' },
  { end: 'completed', at: 'PT1H' },
]

test('mails are expected when quiet hours are over, by the clock of the person; steps do not wait for them', () => {
  const workspace = { quietHours: { from: '21:00', until: '08:00' } }
  const start = '2026-06-01T20:30:00+02:00'
  const expect = [{ mail: 'first', at: 'PT0S' }, { mail: 'second', at: '2026-06-02T08:00:00+02:00' }, ...AFTER]
  assert.equal(played({ json: TWICE, workspace, start, expect }).passed, true)
  const unheeded = played({ json: TWICE, start, expect })
  assert.deepEqual(told(unheeded), ['met mail first', 'other_time mail second', 'met tag Warm', 'met end completed'])
  const inTokyo = [
    { mail: 'first', at: '2026-06-02T08:00:00+09:00' },
    { mail: 'second', at: '2026-06-02T08:00:00+09:00' },
    ...AFTER,
  ]
  assert.equal(
    played({ json: TWICE, workspace, start, person: { timeZone: 'Asia/Tokyo' }, expect: inTokyo }).passed,
    true,
  )
  const service = { ...TWICE, class: 'service' }
  const atOnce = [{ mail: 'first', at: 'PT0S' }, { mail: 'second', at: 'PT1H' }, ...AFTER]
  assert.equal(played({ json: service, workspace, start, expect: atOnce }).passed, true)
})

test('mails are expected when the cap has room for them, and skipped where that is too late', () => {
  const cap = (frequencyCap: object) => ({ frequencyCap })
  const first = { mail: 'first', at: 'PT0S' }
  const roomy = { ...TWICE, nodes: { ...TWICE.nodes, second: { ...MAIL, to: 'warm' } } }
  const nextDay = [first, { mail: 'second', at: 'PT24H' }, ...AFTER]
  assert.equal(
    played({ json: roomy, workspace: cap({ messages: 1, days: 1, waitHours: 48 }), expect: nextDay }).passed,
    true,
  )
  for (const [json, waitHours] of [
    [roomy, 3],
    [TWICE, 48],
  ] as const) {
    const late = played({ json, workspace: cap({ messages: 1, days: 1, waitHours }), expect: [first, ...AFTER] })
    assert.deepEqual([late.passed, late.skipped], [true, [{ node: 'second', reason: 'frequency_cap' }]])
  }
})

test('mail of others takes its place under the cap: what has gone before, and what is due meanwhile', () => {
  const roomy = (more: object = {}) => ({
    ...TWICE,
    ...more,
    nodes: { ...TWICE.nodes, second: { ...MAIL, to: 'warm' } },
  })
  const workspace = { frequencyCap: { messages: 2, days: 1, waitHours: 48 } }
  const first = { mail: 'first', at: 'PT0S' }
  const passes = (given: object[], expect: object[], json: object = roomy(), more: object = {}) =>
    assert.deepEqual(
      told(
        played({ json, workspace: { ...workspace, ...more }, given: [BEGUN, ...given], expect: [...expect, ...AFTER] }),
      ).filter((line) => !line.startsWith('met')),
      [],
    )
  // The newsletter of yesterday evening has a place until this evening.
  passes([{ mailed: 'Newsletter', at: '-PT12H' }], [first, { mail: 'second', at: 'PT12H' }])
  passes([{ mailed: 'Newsletter', at: '-P1D' }], [first, { mail: 'second', at: 'PT1H' }])
  // One that is due between the two takes the second place; one that comes behind both waits itself.
  passes([{ mailed: 'Newsletter', at: 'PT30M' }], [first, { mail: 'second', at: 'PT24H' }])
  passes([{ mailed: 'Newsletter', at: 'PT2H' }], [first, { mail: 'second', at: 'PT1H' }])
  // Of two that wait the weightier goes first, then the older.
  const given = [
    { mailed: 'Newsletter', at: '-PT12H' },
    { mailed: 'Sale', at: 'PT30M' },
  ]
  passes(given, [first, { mail: 'second', at: 'PT24H' }])
  passes(given, [first, { mail: 'second', at: 'PT12H' }], roomy({ priority: 'high' }))
  passes([given[0]!, { ...given[1]!, priority: 'low' }], [first, { mail: 'second', at: 'PT12H' }])
  // Mail that is due in the quiet hours goes at their end, the older before the younger.
  const quietHours = { from: '08:00', until: '20:00', zone: 'Europe/Berlin' }
  passes(
    [{ mailed: 'Newsletter', at: '-PT30M' }, { mailed: 'Sale' }],
    [
      { mail: 'first', at: '2026-06-03T20:00:00+02:00' },
      { mail: 'second', at: '2026-06-04T20:00:00+02:00' },
    ],
    roomy(),
    { quietHours, frequencyCap: { messages: 1, days: 1, waitHours: 96 } },
  )
  const service = { ...roomy(), class: 'service' }
  passes([{ mailed: 'Newsletter', at: '-PT12H' }], [first, { mail: 'second', at: 'PT1H' }], service)
})

test('a mail that the person is not sent is missing, and the reason is told', () => {
  const { passed, skipped } = played({ person: { suppressed: true }, expect: [REMINDED, { end: 'completed' }] })
  assert.deepEqual([passed, skipped], [false, [{ node: 'remind', reason: 'suppressed' }]])
})

test('a mail that is not sent once a rule holds is told once', () => {
  const json = {
    ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: 'vip' },
    nodes: {
      vip: { type: 'wait', for: [{ if: rule('tag', 'has', 'VIP'), to: 'remind' }], timeout: 'P3D', late: 'end' },
      remind: { ...MAIL, to: 'end' },
    },
  }
  const given = [BEGUN, { tag: 'VIP', at: 'PT3H' }]
  const { skipped } = played({ json, given, person: { suppressed: true }, expect: [{ end: 'completed', at: 'PT3H' }] })
  assert.deepEqual(skipped, [{ node: 'remind', reason: 'suppressed' }])
})

test('whoever is not let in is told only where the scenario asks for it', () => {
  const json = { ...CART, enter: { on: [{ event: 'cart.updated' }] } }
  const given = [BEGUN, { ...BEGUN, at: 'PT1H' }]
  const expect = [REMINDED, { end: 'completed' }]
  assert.equal(played({ json, given, expect }).passed, true)
  assert.equal(played({ json, given, expect: [{ refused: 'mode', at: 'PT1H' }, ...expect] }).passed, true)
})

test('each fault of a scenario has its pointer', () => {
  const faultsOf = (given: unknown) => readScenarios(given).faults.map(({ pointer }) => pointer)
  const sound = { name: 'It', given: [BEGUN], expect: [] }
  assert.deepEqual(faultsOf([sound]), [])
  assert.deepEqual(faultsOf([sound, sound]), ['/scenarios/1/name'])
  assert.deepEqual(faultsOf({}), ['/scenarios'])
  assert.deepEqual(faultsOf([{ ...sound, given: [], more: 1 }]), ['/scenarios/0/more', '/scenarios/0/given'])
  const given = [{ event: 'a', at: 'soon' }, { event: 'a', tag: 'b' }, { click: '' }, { enroll: false }]
  assert.deepEqual(faultsOf([{ ...sound, given }]), [
    ...['/scenarios/0/given/0/at', '/scenarios/0/given/1', '/scenarios/0/given/2/click', '/scenarios/0/given/3/enroll'],
  ])
  const mailed = [{ mailed: 'News', at: '-P1D' }, { mailed: '' }, { mailed: 'Sale', priority: 'huge', at: '-soon' }]
  assert.deepEqual(faultsOf([{ ...sound, given: mailed }]), [
    ...['/scenarios/0/given/1/mailed', '/scenarios/0/given/2/at', '/scenarios/0/given/2/priority'],
  ])
  const expect = [{ mail: 'a', at: 5 }, { end: 'bought' }, { sms: 'a' }]
  assert.deepEqual(faultsOf([{ ...sound, expect }]), [
    ...['/scenarios/0/expect/0/at', '/scenarios/0/expect/1/end', '/scenarios/0/expect/2'],
  ])
  for (const start of ['2016-12-31T23:59:60Z', '1969-12-31T23:00:00Z', '9998-01-01T00:00:00Z'])
    assert.deepEqual(faultsOf([{ ...sound, start }]), ['/scenarios/0/start'])
  const workspace = {
    quietHours: { from: '9', until: '08:00', zone: 'Mars' },
    frequencyCap: { messages: 0, days: 1 },
    more: 1,
  }
  assert.deepEqual(faultsOf([{ ...sound, workspace }]), [
    ...['/scenarios/0/workspace/more', '/scenarios/0/workspace/quietHours/from'],
    ...['/scenarios/0/workspace/quietHours/zone', '/scenarios/0/workspace/frequencyCap/messages'],
    '/scenarios/0/workspace/frequencyCap/waitHours',
  ])
  const never = { quietHours: { from: '09:00', until: '09:00' } }
  assert.deepEqual(faultsOf([{ ...sound, workspace: never }]), ['/scenarios/0/workspace/quietHours/until'])
  const person = { timeZone: 'Mars', fields: { plan: 1, email: 5 }, split: { a: -1 }, tags: [1] }
  assert.deepEqual(faultsOf([{ ...sound, person }]), [
    ...['/scenarios/0/person/timeZone', '/scenarios/0/person/tags/0', '/scenarios/0/person/fields/plan'],
    ...['/scenarios/0/person/fields/email', '/scenarios/0/person/split/a'],
  ])
})
