import { DAY_MS } from '../../platform/durations.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { Comparison, DaysOfYear, Match, Moment, ValueType } from './conditions.ts'
import type { Rule } from './parse-definition.ts'
import {
  DAYS_MAX,
  daysBefore,
  type Given,
  readBoolean,
  readFilledText,
  readList,
  readMoment,
  readNumber,
  readPair,
  readText,
  readWhole,
} from './rule-values.ts'

/** Days ahead: of more than these it is every day of the year. */
const ANNIVERSARY_DAYS_MAX = 365

const NEGATED: Readonly<Record<string, string>> = {
  '!=': '=',
  notIn: 'in',
  notBetween: 'between',
  doesNotContain: 'contains',
  doesNotBeginWith: 'beginsWith',
  doesNotEndWith: 'endsWith',
  notWithinLastDays: 'withinLastDays',
}
const SAME: Readonly<Record<string, string>> = { before: '<', after: '>' }

type Context = {
  now: string
  /** Addresses are stored normalised, and compared so. */
  isEmail?: boolean
  /** Custom fields may hold '' as a value; for a contact's own fields it means unset. */
  blankIsValue?: boolean
}

/** The comparison of a rule with an operator of `OPERATORS[type]`, presence apart. Throws a `RuleFault` for a value that does not fit. */
export function readComparison(type: ValueType, rule: Pick<Rule, 'operator' | 'value'>, context: Context): Comparison {
  const negated = Object.hasOwn(NEGATED, rule.operator)
  const operator = NEGATED[rule.operator] ?? SAME[rule.operator] ?? rule.operator
  const given = { value: rule.value, pointer: '/value' }
  switch (type) {
    case 'text':
      return { type, negated, match: readTextMatch(operator, given, context) }
    case 'number':
      return { type, negated, match: readMatch(operator, given, readNumber) }
    case 'boolean':
      return { type, negated, match: { is: 'equal', value: readBoolean(given) } }
    case 'time':
      if (operator === 'anniversaryWithinDays') return { type, negated, match: anniversaryWithin(given, context.now) }
      if (operator === 'withinLastDays') return { type, negated, match: withinLastDays(given, context.now) }
      return { type, negated, match: inOrder(readMatch(operator, given, readMoment)) }
  }
}

function readTextMatch(
  operator: string,
  given: Given,
  context: Context,
): Extract<Comparison, { type: 'text' }>['match'] {
  if (operator === 'contains' || operator === 'beginsWith' || operator === 'endsWith') {
    const value = readFilledText(given)
    // Addresses are stored in lower case, whatever a rule writes.
    return { is: operator, value: context.isEmail ? value.toLowerCase().normalize('NFC') : value }
  }
  return readMatch(operator, given, (one) => {
    if (context.isEmail) return storedEmail(readFilledText(one, PRESENCE_HINT))
    return context.blankIsValue ? readText(one) : readFilledText(one, PRESENCE_HINT)
  })
}

const PRESENCE_HINT = '; the operator null finds contacts without a value'

function storedEmail(text: string): string {
  return normaliseEmail(text) ?? text.trim().toLowerCase()
}

function readMatch<V>(operator: string, given: Given, read: (given: Given) => V): Match<V> {
  switch (operator) {
    case '<':
    case '<=':
      return { is: 'below', value: read(given), orEqual: operator === '<=' }
    case '>':
    case '>=':
      return { is: 'above', value: read(given), orEqual: operator === '>=' }
    case 'between': {
      const [low, high] = readPair(given)
      return { is: 'between', low: read(low), high: read(high) }
    }
    case 'in':
      return { is: 'oneOf', values: readList(given).map(read) }
    default:
      return { is: 'equal', value: read(given) }
  }
}

/** `between` takes its ends in either order. */
function inOrder(match: Match<Moment>): Match<Moment> {
  if (match.is !== 'between' || Date.parse(match.low.from) <= Date.parse(match.high.from)) return match
  return { is: 'between', low: match.high, high: match.low }
}

/** Today and so many days that follow, in UTC. The 29th of February is the 28th in years that have none. */
function anniversaryWithin(given: Given, now: string): DaysOfYear {
  const days = readWhole(given, { min: 0, max: ANNIVERSARY_DAYS_MAX })
  const values = new Set<string>()
  for (let n = 0; n <= days; n++) {
    const day = new Date(Date.parse(now) + n * DAY_MS).toISOString().slice(5, 10)
    const next = new Date(Date.parse(now) + (n + 1) * DAY_MS).toISOString().slice(5, 10)
    values.add(day)
    if (day === '02-28' && next === '03-01') values.add('02-29')
  }
  return { is: 'dayOfYear', values: [...values] }
}

function withinLastDays(given: Given, now: string): Match<Moment> {
  const days = readWhole(given, { min: 1, max: DAYS_MAX })
  return { is: 'between', low: { from: daysBefore(now, days), until: null }, high: { from: now, until: null } }
}
