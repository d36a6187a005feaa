import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFINITION_CHARS_MAX, DEPTH_MAX, RULES_MAX } from './parse-definition.ts'
import {
  EVENT_RULES_MAX,
  RULES_IN_ALL_MAX,
  readRules,
  SEGMENT_DEPTH_MAX,
  type SegmentFacts,
  TAG_RULES_MAX,
} from './read-rules.ts'
import { LIST_VALUES_MAX } from './rule-values.ts'

const facts: SegmentFacts = {
  now: '2026-11-21T06:00:00.000Z',
  fields: new Map([
    ['age', { type: 'number', keys: ['age'] }],
    ['vip', { type: 'boolean', keys: ['vip'] }],
    ['joined', { type: 'time', keys: ['joined'] }],
  ]),
  tagIds: new Map([['VIP', '7']]),
  segments: new Map(),
}

const and = (...rules: unknown[]) => JSON.stringify({ combinator: 'and', rules })
const rule = (field: unknown, operator: unknown, value?: unknown) => ({ field, operator, value })
const faultsOf = (definition: string, known = facts, self?: string) => {
  const read = readRules(definition, known, self)
  return 'faults' in read ? read.faults : []
}
const firstFault = (definition: string) => {
  const [fault] = faultsOf(definition)
  return fault ? `${fault.pointer} ${fault.detail}` : 'none'
}

test('blank text and a group without rules are everyone, and turned round nobody', () => {
  for (const definition of ['', ' \n', '{"rules":[]}', '{"combinator":"or","rules":[]}', and({ muted: true })]) {
    assert.deepEqual(readRules(definition, facts), { condition: { kind: 'all', of: [] } }, definition)
  }
  assert.deepEqual(readRules('{"rules":[],"not":true}', facts), {
    condition: { kind: 'not', of: { kind: 'all', of: [] } },
  })
})

test('what the query builder adds to its groups and rules changes nothing', () => {
  const plain = { combinator: 'AND', rules: [rule('email', '=', 'ada@example.com')] }
  const dressed = {
    id: 'root',
    path: [],
    disabled: true,
    not: false,
    combinator: 'and',
    rules: [
      { id: 'r', path: [0], valueSource: 'value', meta: {}, field: 'email', operator: '=', value: 'Ada@Example.com ' },
    ],
  }
  assert.deepEqual(readRules(JSON.stringify(dressed), facts), readRules(JSON.stringify(plain), facts))
})

test('a definition that is no rule group says where it stops being one', () => {
  for (const [definition, fault] of [
    ['{"rules":[', /^\/definition must be JSON; it stops being that at position 10$/],
    ['[]', /^\/definition must be a rule group/],
    ['null', /^\/definition must be a rule group/],
    ['"x"', /^\/definition must be a rule group/],
    ['{"__proto__":{},"rules":[]}', /^\/definition must be JSON that can be stored/],
    ['{"rules":{}}', /^\/definition\/rules must be a list/],
    ['{"rules":[],"combinator":"xor"}', /^\/definition\/combinator must be "and" or "or"/],
    ['{"rules":[],"not":"yes"}', /^\/definition\/not must be true or false/],
    [and('and'), /^\/definition\/rules\/0 must be a rule or a group; combinators belong/],
    [and(rule('~', '=')), /^\/definition\/rules\/0\/field must name a field/],
    [and(rule('email', 1)), /^\/definition\/rules\/0\/operator must name an operator/],
    [and({ ...rule('email', '=', 'x'), valueSource: 'field' }), /^\/definition\/rules\/0\/valueSource must be "value"/],
  ] as const) {
    assert.match(firstFault(definition), fault, definition)
  }
})

test('an event rule whose value is text asks for each digit of its numbers', () => {
  const value = '{"where":[{"property":"account","operator":"=","value":9007199254740993}]}'
  const { condition } = readRules(and(rule('event:x', 'performed', value)), facts) as { condition: object }
  assert.match(JSON.stringify(condition), /9007199254740993/)
})

test('each rule at fault is pointed at, with what would be right', () => {
  for (const [given, fault] of [
    [rule('shoe_size', '=', '1'), /^\/field must be one of subject_id, email, .*custom:<key>, event:<name>$/],
    [rule('constructor', '=', '1'), /^\/field must be one of/],
    [rule('custom:', '=', '1'), /^\/field must have a key behind the colon$/],
    [rule('event: ', 'performed', ''), /^\/field must have an event name behind/],
    [rule('email', 'has', 'x'), /^\/operator must be one of =, !=, .* for a text field$/],
    [rule('email', '=', ' '), /^\/value must not be blank; the operator null/],
    [rule('email', 'contains', ''), /^\/value must not be blank$/],
    [rule('email', '=', { a: 1 }), /^\/value must be text$/],
    [rule('email', 'in', ' , ,'), /^\/value must have at least one item$/],
    [rule('email', 'between', 'a'), /^\/value must be two values/],
    [rule('email', 'in', ['a', {}]), /^\/value\/1 must be text$/],
    [rule('custom:age', '>', 'old'), /^\/value must be a number$/],
    [rule('custom:age', 'contains', '4'), /^\/operator must be one of .* for a number field$/],
    [rule('custom:age', 'in', ['1', '2x']), /^\/value\/1 must be a number$/],
    [rule('custom:vip', '=', 'yes'), /^\/value must be true or false$/],
    [rule('custom:joined', 'after', 'yesterday'), /^\/value must be a date \(2026-01-31\) or a time with its zone/],
    [rule('custom:joined', 'after', '2026-02-30'), /^\/value must be a date/],
    [rule('created_at', 'withinLastDays', '0'), /^\/value must be a whole number from 1 to 36500$/],
    [rule('tag', 'has', ''), /^\/value must not be blank$/],
    [rule('tag', 'contains', 'x'), /^\/operator must be one of has, doesNotHave/],
    [rule('segment', 'has', '9'), /^\/value must be the id of a segment of this workspace$/],
    [rule('event:x', '=', ''), /^\/operator must be one of performed, notPerformed for events$/],
    [rule('event:x', 'performed', '-1'), /^\/value must be a whole number from 0 to 36500$/],
    [rule('event:x', 'performed', 'often'), /^\/value must be a whole number/],
    [rule('event:x', 'performed', '{'), /^\/value must be a number of days, or the JSON of an object$/],
    [rule('event:x', 'performed', { times: 3 }), /^\/value\/times is not known: an event rule has atLeast, /],
    [rule('event:x', 'performed', { atLeast: 0 }), /^\/value\/atLeast must be a whole number from 1/],
    [rule('event:x', 'performed', { exactly: 1, atMost: 2 }), /^\/value\/exactly cannot stand beside/],
    [rule('event:x', 'performed', { atLeast: 3, atMost: 2 }), /^\/value\/atMost must not be less than atLeast$/],
    [rule('event:x', 'performed', { from: '2026-02-01', to: '2026-01-01' }), /^\/value\/to must be later than from$/],
    [rule('event:x', 'performed', { from: '2026-02-01', withinLastDays: 3 }), /^\/value\/withinLastDays cannot stand/],
    [rule('event:x', 'performed', { where: {} }), /^\/value\/where must be a list/],
    [rule('event:x', 'performed', { where: [rule('', '=', '')] }), /^\/value\/where\/0\/property must/],
    [
      rule('event:x', 'performed', { where: [{ property: 'a', operator: 'like', value: 'x' }] }),
      /^\/value\/where\/0\/operator must be one of =/,
    ],
    [
      rule('event:x', 'performed', { where: [{ property: 'a', operator: 'after', value: 'x' }] }),
      /^\/value\/where\/0\/value must be a date/,
    ],
  ] as const) {
    const nested = and(rule('email', 'notNull'), { combinator: 'or', rules: [given] })
    const prefix = '/definition/rules/1/rules/0'
    const text = firstFault(nested)
    assert.ok(text.startsWith(prefix), `${text} ${JSON.stringify(given)}`)
    assert.match(text.slice(prefix.length), fault)
  }
})

test('all rules at fault are told at once', () => {
  const faults = faultsOf(and(rule('nothing', '=', '1'), rule('email', 'null'), rule('custom:age', '=', 'x')))
  assert.deepEqual(
    faults.map(({ pointer }) => pointer),
    ['/definition/rules/0/field', '/definition/rules/2/value'],
  )
})

test('what is too long, too deep, too much is refused, and the most that is allowed is not', () => {
  const deep = (depth: number): object => ({ rules: depth === 1 ? [] : [deep(depth - 1)] })
  const some = (count: number, item: unknown) => Array.from({ length: count }, () => item)
  const good = rule('email', 'notNull')
  const event = rule('event:x', 'performed', '')
  const tag = rule('tag', 'has', 'VIP')
  const list = (count: number) => rule('email', 'in', some(count, 'a@example.com'))
  for (const [allowed, refused, fault] of [
    [JSON.stringify(deep(DEPTH_MAX)), JSON.stringify(deep(DEPTH_MAX + 1)), /nested too deeply: at most 10 groups/],
    [and(...some(RULES_MAX, good)), and(...some(RULES_MAX + 1, good)), /rules\/200 is too much: at most 200 rules/],
    [and(...some(EVENT_RULES_MAX, event)), and(...some(EVENT_RULES_MAX + 1, event)), /at most 20 rules about events/],
    [and(...some(TAG_RULES_MAX, tag)), and(...some(TAG_RULES_MAX + 1, tag)), /at most 50 rules about tags/],
    [and(list(LIST_VALUES_MAX)), and(list(LIST_VALUES_MAX + 1)), /at most 1000 items/],
    [
      `${' '.repeat(DEFINITION_CHARS_MAX - 12)}{"rules":[]}`,
      `${' '.repeat(DEFINITION_CHARS_MAX - 11)}{"rules":[]}`,
      /at most 65536 characters/,
    ],
  ] as const) {
    assert.equal(firstFault(allowed), 'none')
    assert.match(firstFault(refused), fault)
  }
  const endless = '['.repeat(60_000)
  assert.match(firstFault(endless), /must be JSON/)
})

test('segments may refer to segments, but not to themselves, not endlessly, and not to too many rules', () => {
  const uses = (id: string) => and(rule('segment', 'has', id))
  const withSegments = (definitions: Record<string, string>): SegmentFacts => ({
    ...facts,
    segments: new Map(Object.entries(definitions).map(([id, definition]) => [id, { name: `S${id}`, definition }])),
  })
  const chain = withSegments({ 1: uses('2'), 2: uses('3'), 3: uses('4'), 4: uses('5'), 5: uses('6'), 6: '' })
  assert.deepEqual(faultsOf(uses('2'), chain), [])
  assert.match(faultsOf(uses('1'), chain)[0]?.detail ?? '', new RegExp(`at most ${SEGMENT_DEPTH_MAX} segments behind`))
  const circle = withSegments({ 1: uses('2'), 2: uses('1') })
  assert.match(faultsOf(uses('2'), circle, '1')[0]?.detail ?? '', /leads back to itself: 1 → 2 → 1$/)
  assert.deepEqual(faultsOf(uses('1'), circle, '1'), [
    { pointer: '/definition/rules/0/value', detail: 'leads back to itself: 1 → 1' },
  ])
  const many = and(...Array.from({ length: 100 }, () => rule('email', 'notNull')))
  const wide = (times: number) => and(...Array.from({ length: times }, () => rule('segment', 'has', '1')))
  assert.deepEqual(faultsOf(wide(4), withSegments({ 1: many })), [])
  assert.match(
    faultsOf(wide(5), withSegments({ 1: many }))[0]?.detail ?? '',
    new RegExp(`at most ${RULES_IN_ALL_MAX} rules`),
  )
  // One that holds no rules has to be read all the same, as often as lists name it.
  const often = (times: number) =>
    and(
      rule(
        'segment',
        'in',
        Array.from({ length: times }, () => '1'),
      ),
    )
  assert.deepEqual(faultsOf(often(RULES_IN_ALL_MAX - 1), withSegments({ 1: '' })), [])
  assert.deepEqual(
    faultsOf(often(RULES_IN_ALL_MAX), withSegments({ 1: '' }))[0]?.pointer,
    '/definition/rules/0/value/499',
  )
  const broken = withSegments({ 1: and(rule('custom:age', '=', 'x')) })
  assert.match(
    faultsOf(uses('1'), broken)[0]?.detail ?? '',
    /names the segment “S1”, where \/definition\/rules\/0\/value/,
  )
})

test('a day of the year is one of the days ahead, and the 29th of February is the 28th where there is none', () => {
  const daysOf = (now: string, days: number) => {
    const read = readRules(and(rule('custom:joined', 'anniversaryWithinDays', days)), { ...facts, now })
    return JSON.stringify(read).match(/\d\d-\d\d(?=")/g)
  }
  assert.deepEqual(daysOf('2026-12-30T23:59:59Z', 2), ['12-30', '12-31', '01-01'])
  assert.deepEqual(daysOf('2026-02-28T00:00:00Z', 0), ['02-28', '02-29'])
  assert.deepEqual(daysOf('2028-02-28T00:00:00Z', 1), ['02-28', '02-29'])
  const beyond = and(rule('custom:joined', 'anniversaryWithinDays', 366))
  assert.match(firstFault(beyond), /whole number from 0 to 365/)
})
