import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editRows } from '../../dashboard/features/automations/builder/outline-rows.ts'
import { stepName } from '../../dashboard/features/automations/builder/step-name.ts'
import { END, flowOf, waysOf } from '../../dashboard/features/automations/flow.ts'
import { outlineOf } from '../../dashboard/features/automations/flow-outline.ts'
import { treeOf } from '../../dashboard/features/automations/flow-tree.ts'
import { durationText, nodeText, wayText } from '../../dashboard/features/automations/node-words.ts'
import { ruleText } from '../../dashboard/features/automations/rule-words.ts'
import { dateOf, isDate, spanTo, startOf } from '../../dashboard/features/automations/scenarios/scenario.ts'
import { namedSteps, scenarioFaultText } from '../../dashboard/features/automations/scenarios/scenario-faults.ts'
import { expectedLines, givenLines, momentText } from '../../dashboard/features/automations/scenarios/scenario-words.ts'

/* The outline of an automation, for whatever graph its author has drawn: circles and nodes that are not there too. */

const SEED = Number(process.env.SEED ?? 7)
const ID = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'gone', END)
const NODE = fc.oneof(
  fc.record({ type: fc.constant('delay'), days: fc.nat(9), to: ID }),
  fc.record({ type: fc.constant('email'), subject: fc.string(), to: ID, skipped: ID }),
  fc.record({ type: fc.constant('branch'), ways: fc.array(fc.record({ to: ID }), { maxLength: 3 }), else: ID }),
  fc.record({ type: fc.constant('wait'), for: fc.array(fc.record({ to: ID }), { maxLength: 2 }), late: ID }),
  fc.constant({ type: 'end' }),
)

test('each node that anybody can come to stands in the outline once, and no other', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), NODE), ID, (nodes, start) => {
      const flow = flowOf({ start, nodes })
      const reached = new Set<string>(flow.nodes.has(start) ? [start] : [])
      for (const id of reached) {
        for (const { to } of waysOf(flow.nodes.get(id)!)) if (flow.nodes.has(to)) reached.add(to)
      }
      const rows = outlineOf(flow)
      const listed = rows.flatMap((row) => (row.is === 'node' ? [row.id] : []))
      assert.deepEqual(listed.toSorted(), [...reached].toSorted())
      assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length)
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('ways that part stand below their node, and what they all come to at its own depth again', () => {
  const nodes = {
    rest: { type: 'wait', for: [{ event: 'paid', to: 'thanks' }], timeout: 'P3D', late: 'remind' },
    thanks: { type: 'tag', add: ['customer'], to: 'last' },
    remind: { type: 'email', subject: 'Hi', to: 'last' },
    last: { type: 'tag', add: ['done'], to: 'end' },
  }
  const rows = outlineOf(flowOf({ start: 'rest', nodes }))
  assert.deepEqual(
    rows.map(
      (row) => `${row.depth} ${row.is === 'node' ? row.id : row.is === 'way' ? wayText(row.of, row.way) : row.to}`,
    ),
    ['0 rest', '1 paid', '1 thanks', '1 Nothing within 3 days', '1 remind', '0 last'],
  )
  // With all ends each way says where it ends, and a step that is an end says so itself.
  const ended = { ...nodes, last: { type: 'branch', ways: [{ to: 'stop' }], else: 'end' }, stop: { type: 'end' } }
  assert.deepEqual(
    outlineOf(flowOf({ start: 'rest', nodes: ended }), { ends: true }).map(
      (row) => `${row.depth} ${row.is === 'node' ? row.id : row.is === 'way' ? row.way : `${row.is} ${row.to}`}`,
    ),
    [
      ...['0 rest', '1 0', '1 thanks', '1 meets last', '1 late', '1 remind', '1 meets last'],
      ...['0 last', '1 0', '1 stop', '1 else', '1 end end'],
    ],
  )
})

test('each way of the outline that is edited shows where it ends, and the step at which ways meet says so', () => {
  const nodes = {
    who: { type: 'branch', ways: [{ to: 'hello' }, { to: 'last' }], else: 'other' },
    // Sent or skipped, it is one way.
    hello: { type: 'email', to: 'last', skipped: 'last' },
    other: { type: 'split', ways: [{ to: 'last' }, { to: 'last' }] },
    last: { type: 'tag', add: ['done'], to: 'end' },
  }
  const told = editRows(treeOf(flowOf({ start: 'who', nodes }))).map((row) => {
    const words =
      row.is === 'step' ? `${row.id} ${row.meeting}` : row.is === 'way' ? row.way : row.is === 'tail' ? row.tail.is : ''
    return `${row.level} ${row.is} ${words}`.trim()
  })
  assert.deepEqual(told, [
    '1 enter',
    '1 step who 0',
    ...['2 way 0', '3 step hello 0', '3 tail meets'],
    ...['2 way 1', '3 tail meets'],
    ...['2 way else', '3 step other 0', '4 way 0', '5 tail meets', '4 way 1', '5 tail meets'],
    '1 step last 4',
    '1 tail end',
  ])
})

test('coming into a segment and going out of it are said with its name, where that is known', () => {
  const node = {
    type: 'wait',
    for: [
      { segment: '4', when: 'enters', to: END },
      { segment: '9', when: 'leaves', to: END },
    ],
    timeout: 'P3D',
  }
  const nameOf = (id: string) => (id === '4' ? 'VIP' : undefined)
  assert.equal(wayText(node, '0', nameOf), 'Comes into the segment “VIP”')
  assert.equal(wayText(node, '1', nameOf), 'Goes out of a segment')
  assert.equal(nodeText(node, nameOf), 'comes into the segment “VIP” or goes out of a segment, 3 days at most')
})

test('rules and durations are said in a line, whatever stands there', () => {
  assert.equal(durationText('P1M2DT3H'), '1 month 2 days 3 hours')
  assert.equal(durationText('soon'), 'soon')
  const rules = [
    { field: 'custom:plan', operator: '=', value: 'pro' },
    { combinator: 'or', rules: [{ field: 'tag', operator: 'has', value: 'vip' }] },
  ]
  assert.equal(ruleText({ combinator: 'and', rules }), 'plan is pro and (tagged “vip”)')
  const others = [
    [{ field: 'tag', operator: 'doesNotHave', value: 'vip' }, 'not tagged “vip”'],
    [{ field: 'created_at', operator: 'withinLastDays', value: '90' }, 'created in the last 90 days'],
    [{ field: 'event.total', operator: '>=', value: 20 }, 'the event’s total is at least 20'],
    [{ field: 'custom:city', operator: 'notNull', value: '' }, 'city has a value'],
    [
      {
        field: 'event:order.paid',
        operator: 'performed',
        value: { atLeast: 2, withinLastDays: 30, where: [{ property: 'total', operator: '>', value: 20 }] },
      },
      'order.paid happened at least 2 times in the last 30 days where total is more than 20',
    ],
    [
      { field: 'event:email.opened', operator: 'notPerformed', value: '7' },
      'email.opened did not happen in the last 7 days',
    ],
  ] as const
  assert.deepEqual(
    others.map(([rule]) => ruleText(rule)),
    others.map(([, words]) => words),
  )
  assert.equal(ruleText(null), '')
})

test('segments have their names in rules, ways and steps, and a webhook is one', () => {
  const nameOf = (id: string) => (id === '7' ? 'VIP' : undefined)
  const rule = { field: 'segment', operator: 'has', value: '7' }
  assert.equal(ruleText({ rules: [rule, { ...rule, value: '8' }] }, nameOf), 'in the segment “VIP” and in a segment')
  assert.equal(wayText({ type: 'branch', ways: [{ if: rule, to: 'end' }] }, '0', nameOf), 'If in the segment “VIP”')
  const wait = { type: 'wait', for: [{ segment: '7', when: 'enters' }], timeout: 'P3D' }
  const nodes = { wait, call: { type: 'webhook', endpoint: '4', to: 'end' } }
  const definition = { start: 'wait', nodes } as never
  assert.equal(stepName(definition, 'wait', nameOf), 'Wait until: comes into the segment “VIP”, 3 days at most')
  const holds = { type: 'wait', for: [{ event: 'paid' }, { if: { rules: [rule] } }], timeout: 'P3D' }
  assert.equal(nodeText(holds, nameOf), 'paid or in the segment “VIP”, 3 days at most')
  assert.equal(wayText(holds, '1', nameOf), 'If in the segment “VIP”')
  const dated = [
    { date: 'event.startsAt', hours: -2 },
    { date: 'born', repeat: 'yearly', days: 1, at: '08:00' },
    { date: '' },
  ]
  assert.deepEqual(
    dated.map((_, n) => wayText({ type: 'wait', for: dated, timeout: 'P3D' }, String(n))),
    ['2 hours before startsAt', '1 day after born at 08:00, each year', 'On a date'],
  )
  assert.equal(stepName(definition, 'call', nameOf), 'Webhook: To the endpoint 4')
  const known = (id: string, kind?: string) => (id === '4' && kind === 'endpoint' ? 'https://crm.example' : undefined)
  assert.equal(stepName(definition, 'call', known), 'Webhook: To https://crm.example')
})

test('a branch is named by what it asks, and steps that say the same by their place from top to bottom', () => {
  const tagged = (value: string) => ({ combinator: 'and', rules: [{ field: 'tag', operator: 'has', value }] })
  const branch = (...tags: string[]) => ({
    type: 'branch',
    ways: tags.map((tag) => ({ if: tagged(tag), to: 'a' })),
    else: 'b',
  })
  assert.equal(nodeText(branch('vip')), 'tagged “vip”')
  assert.equal(nodeText(branch('vip', 'pro')), 'tagged “vip”, or else tagged “pro”')
  assert.equal(nodeText(branch('vip', 'pro', 'new', 'old')), 'tagged “vip”, or else tagged “pro”, or else 2 more')
  assert.equal(nodeText(branch('')), 'still to be chosen')
  assert.equal(wayText(branch(''), '0'), 'If: still to be chosen')
  const long = nodeText(branch('a very long name of a tag that somebody has made, and more of it without an end'))
  assert.equal(long, 'tagged “a very long name of a tag that somebody has made, and more of …')
  const definition = {
    start: 'first',
    nodes: {
      b: { type: 'delay', days: 1, to: 'a' },
      a: { type: 'delay', days: 2, to: 'end' },
      first: branch('vip'),
      c: { type: 'delay', days: 1, to: 'b' },
    },
  }
  definition.nodes.first.ways[0]!.to = 'c'
  assert.deepEqual(
    ['first', 'a', 'b', 'c'].map((id) => stepName(definition, id)),
    ['Branch: tagged “vip”', 'Wait: 2 days', 'Wait: 1 day (2 of 2)', 'Wait: 1 day (1 of 2)'],
  )
})

test('what a scenario asks for is said in lines, with moments as spans and as they are', () => {
  const names = { step: (node: string) => `Mail: ${node}` }
  const given = [
    { enroll: true },
    { click: 'm1', at: 'PT26H' },
    { untag: 'warm', at: 'P1DT2H' },
    { mailed: 'News', at: '-P2D' },
    { unsubscribe: 'everything', at: 'PT0M' },
  ]
  assert.deepEqual(givenLines({ given }, names), [
    'Is put in by hand right away',
    'Clicks in “Mail: m1” after 26 hours',
    'Loses the tag warm after 1 day 2 hours',
    'Gets “News” 2 days before',
    'Unsubscribes from everything right away',
  ])
  const expect = [{ mail: 'm1' }, { tag: 'warm', at: 'PT0S' }, { end: 'goal' }, { refused: 'mode', at: 'P30D' }]
  assert.deepEqual(expectedLines({ expect }, names), [
    'Mail: m1',
    'Gets the tag warm right away',
    'Finishes by reaching the goal',
    'Does not come in because they had been in it after 30 days',
  ])
  assert.deepEqual(expectedLines({}, names), ['Nothing: no mail and no tag, and they do not finish'])
  assert.match(momentText('2026-06-03T09:00:00Z'), /^on (?:3 Jun|Jun 3,) 2026/)
})

test('a tag with a comma of its own is told from two', () => {
  const node = { type: 'tag', add: ['news', 'weekend, sale'] }
  assert.equal(nodeText(node), 'add news, “weekend, sale”')
})

test('what is wrong with a scenario is said by its name and by the words of its form', () => {
  const scenarios = [{ name: 'Is reminded' }, {}]
  const told = (pointer: string) => scenarioFaultText({ pointer, detail: 'must not be blank' }, scenarios)
  assert.equal(told('/scenarios/0/given/1/event'), '“Is reminded”, what happens, 2: it must not be blank.')
  assert.equal(told('/scenarios/0/expect/0'), '“Is reminded”, what you expect, 1: it must not be blank.')
  assert.equal(told('/scenarios/1/person/tags/0'), '“Scenario 2”, the person: it must not be blank.')
  assert.equal(told('/scenarios/0/name'), '“Is reminded”, its name: it must not be blank.')
  assert.equal(told('/scenarios'), 'Scenarios: it must not be blank.')
})

test('what became of a scenario names a split by what it does, and leaves other words as they are', () => {
  const named = (said: string) => namedSteps(said, (id) => (id === 'half' ? 'Split: 50 % and 50 %' : id))
  assert.equal(
    named('the person is to go a way that the split does not have (at “half”, part 8)'),
    'the person is to go a way that the split does not have (at “Split: 50 % and 50 %”, part 8)',
  )
  assert.equal(named('a split that is no more (at “who”, part 1)'), 'a split that is no more (at “who”, part 1)')
  assert.equal(named('“half” cannot be run: it waits'), '“half” cannot be run: it waits')
})

test('a scenario that fails names mails that their subjects do not tell apart as the steps of the page do', () => {
  const mail = (to: string) => ({ type: 'email', subject: 'Still there?', to })
  const nodes = { a1: mail('b-2'), 'b-2': mail('c'), c: { type: 'email', template: { id: '7' }, to: 'end' } }
  const named = (said: string) => namedSteps(said, (id) => stepName({ format: 1, start: 'a1', nodes }, id))
  assert.equal(
    named(
      '“One”: gets the mail “Still there?” of the step b-2 (did not happen); gets the mail of the step c (not expected)',
    ),
    `“One”: gets “${stepName({ start: 'a1', nodes }, 'b-2')}” (did not happen); gets “${stepName({ start: 'a1', nodes }, 'c')}” (not expected)`,
  )
  assert.match(named('gets the mail “Still there?” of the step b-2 (missing)'), /Still there\? \(2 of 2\)/)
  const first = 'gets the mail “Hello” (did not happen); gets the mail “Still there?” of the step a1 (not expected)'
  assert.match(named(first), /^gets the mail “Hello” \(did not happen\); gets “Mail.*\(1 of 2\)” \(not expected\)$/)
  assert.equal(named('gets the mail of the step gone (not expected)'), 'gets the mail of the step gone (not expected)')
})

test('a span from the beginning of a scenario becomes a date, and a date a span, as they are told in its form', () => {
  const start = startOf({})
  const spans = { PT90M: '2026-06-01T08:30:00Z', '-P2D': '2026-05-30T07:00:00Z', P1W: '2026-06-08T07:00:00Z' }
  for (const [span, date] of Object.entries(spans)) {
    assert.equal(dateOf(start, span), date)
    assert.deepEqual([isDate(span), isDate(date)], [false, true])
  }
  assert.equal(dateOf('2026-03-01T09:00:00+01:00', 'P1DT2H'), '2026-03-01T08:00:00Z')
  assert.equal(spanTo(start, '2026-06-02T11:00:00+02:00'), 'PT26H')
  assert.equal(spanTo(start, '2026-06-01T07:01:20Z'), 'PT1M')
  assert.equal(spanTo(start, '2026-05-30T07:00:00Z'), 'PT0M')
  assert.deepEqual([isDate('2026-13-40'), isDate('1 day'), isDate('')], [false, false, false])
})
