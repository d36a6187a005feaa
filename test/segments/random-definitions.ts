import {
  chance,
  EMAILS,
  EVENT_NAMES,
  FIELD_TYPES,
  NAMES,
  NUMBERS,
  pick,
  type Random,
  STRAY_KEYS,
  TAGS,
  TEXTS,
  TIMES,
  upTo,
  ZONES,
} from './world.ts'

const ORDER = ['=', '!=', '<', '<=', '>', '>=']
const SUBSTRING = ['contains', 'doesNotContain', 'beginsWith', 'doesNotBeginWith', 'endsWith', 'doesNotEndWith']
const TEXT_COLUMNS = {
  subject_id: ['user-1', 'user-2', 'USER', 'user', '0'],
  subjectId: ['user-1', 'user-12', '5'],
  email: [...EMAILS.slice(0, 9), 'PERSON3@example.com', 'mail', 'person'],
  phone: ['+49 1001', '+49', '10'],
  first_name: NAMES,
  lastName: NAMES,
  time_zone: [...ZONES, 'europe', '/'],
}
const TEXT_VALUES = [...TEXTS, '1', '2026-01-15T10:00:00Z', 'p', "'; --"].filter((text) => text !== '')

/** A definition that holds to the guide, with every field, operator and form of value in it sooner or later. */
export function randomDefinition(random: Random, segmentIds: readonly string[]): string {
  if (chance(random, 0.01)) return pick(random, ['', '  '])
  return JSON.stringify(randomGroup(random, segmentIds, 3))
}

function randomGroup(random: Random, segmentIds: readonly string[], depth: number): object {
  const rules = Array.from({ length: chance(random, 0.05) ? 0 : 1 + upTo(random, 2) }, () =>
    depth > 0 && chance(random, 0.3) ? randomGroup(random, segmentIds, depth - 1) : randomRule(random, segmentIds),
  )
  return {
    ...(chance(random, 0.9) ? { combinator: pick(random, ['and', 'or']) } : {}),
    ...(chance(random, 0.5) ? { not: chance(random, 0.4) } : {}),
    ...(chance(random, 0.1) ? { id: 'g-1', path: [0] } : {}),
    rules,
  }
}

function randomRule(random: Random, segmentIds: readonly string[]): object {
  const made = pick(random, [columnRule, customRule, customRule, tagRule, eventRule, eventRule, dateRule])(random)
  const rule = segmentIds.length > 0 && chance(random, 0.1) ? segmentRule(random, segmentIds) : made
  return { ...rule, ...(chance(random, 0.1) ? { id: 'r', valueSource: 'value' } : {}), ...muted(random) }
}

const muted = (random: Random) => (chance(random, 0.02) ? { muted: true } : {})

function columnRule(random: Random): object {
  const field = pick(random, Object.keys(TEXT_COLUMNS) as (keyof typeof TEXT_COLUMNS)[])
  return { field, ...textTest(random, TEXT_COLUMNS[field]) }
}

function textTest(random: Random, values: readonly string[]): object {
  return withLists(random, [...ORDER, ...SUBSTRING, 'in', 'notIn'], () => pick(random, values))
}

/** An operator and a value of its form; lists as arrays, or as text where no comma is in the way. */
function withLists(random: Random, operators: readonly string[], one: () => string | number): object {
  const operator = pick(random, [...operators, 'between', 'notBetween', 'null', 'notNull'])
  if (operator === 'null' || operator === 'notNull') return { operator, value: pick(random, ['', null]) }
  const isPair = operator.endsWith('etween')
  if (!isPair && operator !== 'in' && operator !== 'notIn') return { operator, value: one() }
  const items = Array.from({ length: isPair ? 2 : 1 + upTo(random, 3) }, one)
  const asText = chance(random, 0.5) && items.every((item) => item === '' || !/^\s|,|\s$/.test(String(item)))
  return { operator, value: asText ? items.join(',') : items }
}

function customRule(random: Random): object {
  const key = pick(random, [...Object.keys(FIELD_TYPES), ...STRAY_KEYS])
  const field = `custom:${key}`
  switch (FIELD_TYPES[key as keyof typeof FIELD_TYPES] ?? 'string') {
    case 'string':
      return { field, ...textTest(random, TEXT_VALUES) }
    case 'number':
      return { field, ...numberTest(random, chance(random, 0.5)) }
    case 'boolean':
      return { field, ...booleanTest(random, pick(random, [true, false, 'true', 'false'])) }
    case 'datetime':
      return { field, ...timeTest(random) }
  }
}

function numberTest(random: Random, asText: boolean): object {
  return withLists(random, [...ORDER, 'in', 'notIn'], () => {
    const number = pick(random, [...NUMBERS, 3])
    return asText ? String(number) : number
  })
}

function booleanTest(random: Random, value: boolean | string): object {
  const operator = pick(random, ['=', '!=', 'null', 'notNull'])
  return { operator, value }
}

function timeTest(random: Random): object {
  if (chance(random, 0.3)) {
    return { operator: pick(random, ['withinLastDays', 'notWithinLastDays']), value: pick(random, [1, '20', 400]) }
  }
  return withLists(random, [...ORDER, 'before', 'after'], () => pick(random, [...TIMES, '2026-10-01', '2026-11-20']))
}

function dateRule(random: Random): object {
  return { field: pick(random, ['created_at', 'createdAt', 'updated_at', 'updatedAt']), ...timeTest(random) }
}

function tagRule(random: Random): object {
  const names = [...TAGS, 'vip', 'no such tag']
  const operator = pick(random, ['has', 'doesNotHave', '=', '!=', 'in', 'notIn'])
  if (operator !== 'in' && operator !== 'notIn') return { field: 'tag', operator, value: pick(random, names) }
  return { field: 'tag', operator, value: Array.from({ length: 1 + upTo(random, 2) }, () => pick(random, names)) }
}

function segmentRule(random: Random, segmentIds: readonly string[]): object {
  const operator = pick(random, ['has', 'doesNotHave', '=', '!=', 'in', 'notIn'])
  return { field: 'segment', operator, value: pick(random, segmentIds) }
}

function eventRule(random: Random): object {
  const field = `event:${pick(random, [...EVENT_NAMES, 'never.happened'])}`
  const operator = pick(random, ['performed', 'notPerformed'])
  if (chance(random, 0.3)) return { field, operator, value: pick(random, ['', '0', 0, '30', 7, 400]) }
  const value = { ...randomCount(random), ...randomWindow(random), ...randomWhere(random) }
  return { field, operator, value: chance(random, 0.3) ? JSON.stringify(value) : value }
}

function randomCount(random: Random): object {
  return pick(random, [
    {},
    { atLeast: 1 + upTo(random, 3) },
    { atMost: upTo(random, 3) },
    { exactly: upTo(random, 3) },
    { atLeast: 1, atMost: 2 },
  ])
}

function randomWindow(random: Random): object {
  return pick(random, [
    {},
    { withinLastDays: 1 + upTo(random, 60) },
    { from: '2026-09-01' },
    { to: '2026-10-15' },
    { from: '2026-09-20T12:00:00Z', to: '2026-11-01T00:00:00+01:00' },
  ])
}

function randomWhere(random: Random): object {
  if (chance(random, 0.5)) return {}
  const tests: (() => object)[] = [
    () => ({ property: 'price', ...numberTest(random, false) }),
    () => ({ property: 'price', operator: pick(random, ['<', '>=']), value: '1.5' }),
    () => ({ property: 'kind', ...textTest(random, TEXT_VALUES) }),
    () => ({ property: 'paid', ...booleanTest(random, chance(random, 0.5)) }),
    () => ({ property: 'due', operator: pick(random, ['before', 'after']), value: pick(random, TIMES) }),
    () => ({ property: 'due', operator: 'withinLastDays', value: 30 }),
  ]
  return { where: Array.from({ length: upTo(random, 2) }, () => pick(random, tests)()) }
}
