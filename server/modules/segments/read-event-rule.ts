import type { Proof } from '../../catalogue/proofs.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { Condition, Performed, PropertyTest, ValueType } from './conditions.ts'
import { MIN_PROOFS } from './event-proof.ts'
import { isObject, type Rule } from './parse-definition.ts'
import { readComparison } from './read-comparison.ts'
import { RuleFault } from './rule-fault.ts'
import { OPERATORS, requireOperator } from './rule-fields.ts'
import { DAYS_MAX, daysBefore, isNumberText, readFilledText, readMoment, readText, readWhole } from './rule-values.ts'

const COUNT_MAX = 1_000_000
/** Conditions on the properties of one rule's events. */
const CONDITIONS_MAX = 10
const PROPERTY_CHARS_MAX = 200

const KEYS = ['atLeast', 'atMost', 'exactly', 'withinLastDays', 'from', 'to', 'where', 'minProof'] as const
type EventValue = Partial<Record<(typeof KEYS)[number], unknown>>

/**
 * Reads the question of an `event:<name>` rule. Its value is a number of days back ('' or 0: ever), or an object, or the JSON text of
 * one: how often (`atLeast`, `atMost`, `exactly`; at least once if unsaid), when (`withinLastDays`, or `from` and `to`),
 * `where` the event's properties are so, and of those of browsers how well it is proven whose they are (`minProof`).
 */
export function readEventRule(name: string, rule: Rule, now: string): Condition {
  const value = readEventValue(rule.value)
  for (const key of Object.keys(value)) {
    if (!(KEYS as readonly string[]).includes(key)) {
      throw new RuleFault(`/value/${key}`, `is not known: an event rule has ${KEYS.join(', ')}`)
    }
  }
  const which = { name, ...readWindow(value, now), where: readPropertyTests(value.where, now), ...readMinProof(value) }
  const performed = withCount(which, readCount(value))
  return rule.operator === 'notPerformed' ? { kind: 'not', of: performed } : performed
}

function readEventValue(value: unknown): EventValue {
  if (isObject(value)) return value
  if (typeof value === 'string' && value.trim().startsWith('{')) {
    const parsed = parseObject(value)
    if (parsed) return parsed
    throw new RuleFault('/value', 'must be a number of days, or the JSON of an object')
  }
  if (typeof value === 'string' && value.trim() === '') return {}
  const days = readWhole({ value, pointer: '/value' }, { min: 0, max: DAYS_MAX })
  return days === 0 ? {} : { withinLastDays: days }
}

function readMinProof({ minProof }: EventValue): { minProof?: Proof } {
  if (minProof === undefined) return {}
  const known = MIN_PROOFS.find((one) => one === minProof)
  if (known === undefined) throw new RuleFault('/value/minProof', `must be one of ${MIN_PROOFS.join(', ')}`)
  return { minProof: known }
}

function parseObject(text: string): EventValue | undefined {
  try {
    const value = parseExactJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function readCount(value: EventValue): { min: number; max: number | null } {
  const read = (key: 'atLeast' | 'atMost' | 'exactly', min: number) =>
    value[key] === undefined
      ? undefined
      : readWhole({ value: value[key], pointer: `/value/${key}` }, { min, max: COUNT_MAX })
  const [atLeast, atMost, exactly] = [read('atLeast', 1), read('atMost', 0), read('exactly', 0)]
  if (exactly !== undefined) {
    if (atLeast !== undefined || atMost !== undefined) {
      throw new RuleFault('/value/exactly', 'cannot stand beside atLeast or atMost')
    }
    return { min: exactly, max: exactly }
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    throw new RuleFault('/value/atMost', 'must not be less than atLeast')
  }
  return { min: atLeast ?? (atMost === undefined ? 1 : 0), max: atMost ?? null }
}

/** Those who did nothing at all are in no table of events: what holds for them too is said by its opposite. */
function withCount(
  which: Omit<Performed, 'min' | 'max'>,
  { min, max }: { min: number; max: number | null },
): Condition {
  if (min > 0) return { kind: 'performed', ...which, min, max }
  return { kind: 'not', of: { kind: 'performed', ...which, min: (max ?? 0) + 1, max: null } }
}

function readWindow(value: EventValue, now: string): { from: string | null; until: string | null } {
  const { withinLastDays, from, to } = value
  if (withinLastDays !== undefined) {
    if (from !== undefined || to !== undefined) {
      throw new RuleFault('/value/withinLastDays', 'cannot stand beside from or to')
    }
    const days = readWhole({ value: withinLastDays, pointer: '/value/withinLastDays' }, { min: 1, max: DAYS_MAX })
    return { from: daysBefore(now, days), until: null }
  }
  const start = from === undefined ? null : readMoment({ value: from, pointer: '/value/from' })
  const end = to === undefined ? null : readMoment({ value: to, pointer: '/value/to' })
  const window = { from: start?.from ?? null, until: end === null ? null : (end.until ?? end.from) }
  if (window.from !== null && window.until !== null && Date.parse(window.from) >= Date.parse(window.until)) {
    throw new RuleFault('/value/to', 'must be later than from')
  }
  return window
}

/** Reads a filter on the properties of an event. Throws a `RuleFault` whose pointer begins with `/value/where`. */
export function readPropertyTests(where: unknown, now: string): PropertyTest[] {
  if (where === undefined) return []
  const wanted = 'must be a list of {"property", "operator", "value"}'
  if (!Array.isArray(where)) throw new RuleFault('/value/where', wanted)
  if (where.length > CONDITIONS_MAX) throw new RuleFault('/value/where', `must have at most ${CONDITIONS_MAX} items`)
  return where.map((item: unknown, index) => {
    const at = `/value/where/${index}`
    if (!isObject(item)) throw new RuleFault(at, 'must be {"property", "operator", "value"}')
    try {
      return readCondition(item, now)
    } catch (error) {
      throw error instanceof RuleFault ? new RuleFault(at + error.pointer, error.detail) : error
    }
  })
}

function readCondition(item: Record<string, unknown>, now: string): PropertyTest {
  const property = readFilledText({ value: item.property, pointer: '/property' })
  if (property.length > PROPERTY_CHARS_MAX) {
    throw new RuleFault('/property', `must have at most ${PROPERTY_CHARS_MAX} characters`)
  }
  const operator = readText({ value: item.operator, pointer: '/operator' })
  const value = item.value ?? ''
  const type = typeOfProperty(operator, value)
  requireOperator(operator, OPERATORS[type], `a ${type} property`)
  if (operator === 'null' || operator === 'notNull') return { property, present: operator === 'notNull' }
  return { property, comparison: readComparison(type, { operator, value }, { now, blankIsValue: true }) }
}

const TIME_OPERATORS = ['before', 'after', 'withinLastDays', 'notWithinLastDays']
const ORDER_OPERATORS = ['<', '<=', '>', '>=', 'between', 'notBetween']

/** Properties have no declared types: operator and value say what they are compared as. */
function typeOfProperty(operator: string, value: unknown): ValueType {
  if (TIME_OPERATORS.includes(operator)) return 'time'
  if (typeof value === 'boolean') return 'boolean'
  const values = Array.isArray(value) ? value : [value]
  if (values.every((one) => typeof one === 'number' || JSON.isRawJSON(one))) return 'number'
  const ends = typeof value === 'string' && operator.endsWith('etween') ? value.split(',') : values
  return ORDER_OPERATORS.includes(operator) && ends.every(isNumberText) ? 'number' : 'text'
}
