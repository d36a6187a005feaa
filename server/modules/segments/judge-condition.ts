import type { Proof } from '../../catalogue/proofs.ts'
import { assertNever } from '../../platform/assert-never.ts'
import { isTimestamp } from '../../platform/schema/timestamps.ts'
import type { Comparison, Condition, Match, Moment, Performed, PropertyTest, Subject, TextMatch } from './conditions.ts'
import { isProvenTo } from './event-proof.ts'

/*
 * Conditions judged for one person in memory, as `compileMembers` has the database judge them for all: for replays, which ask as of
 * a moment that is over. test/segments holds both to the same naive evaluation.
 */

/** An act of somebody: when it happened, its properties, and how well it is proven of a browser's event whose it is. */
export type Deed = { atMs: number; data: Readonly<Record<string, unknown>>; proof: Proof | null }

/** All that conditions ask of one person, as of a moment. */
export type PersonAsked = {
  /** Text of a column, JSON of a custom field, undefined without one; and whether that was so then, or is only so now. */
  valueAt(subject: Subject): { value: unknown; isKnown: boolean }
  hasTag(tagId: string): boolean
  isSubscribed(topicId: string): boolean
  deedsOf(name: string): readonly Deed[]
}

/** `isKnown`: whatever the values were that are not known, it would be the same. */
export type Finding = { holds: boolean; isKnown: boolean }

const known = (holds: boolean): Finding => ({ holds, isKnown: true })

export function judgeCondition(condition: Condition, person: PersonAsked): Finding {
  switch (condition.kind) {
    case 'all':
      return joined(condition.of, person, false)
    case 'any':
      return joined(condition.of, person, true)
    case 'not': {
      const { holds, isKnown } = judgeCondition(condition.of, person)
      return { holds: !holds, isKnown }
    }
    case 'present': {
      const { value, isKnown } = person.valueAt(condition.subject)
      return { holds: textOf(value) !== undefined, isKnown }
    }
    case 'compares': {
      const { value, isKnown } = person.valueAt(condition.subject)
      const isColumn = 'column' in condition.subject
      return { holds: valueCompares(value, condition.comparison, isColumn), isKnown }
    }
    case 'tagged':
      return known(condition.tagIds.some((id) => person.hasTag(id)))
    case 'subscribed':
      return known(condition.topicIds.some((id) => person.isSubscribed(id)))
    case 'performed':
      return known(hasPerformed(condition, person.deedsOf(condition.name)))
    default:
      return assertNever(condition)
  }
}

/** One part that decides by what is known makes the whole known, whatever the others are. */
function joined(parts: readonly Condition[], person: PersonAsked, deciding: boolean): Finding {
  let found = known(!deciding)
  for (const part of parts) {
    const one = judgeCondition(part, person)
    if (one.holds === deciding && one.isKnown) return one
    if (one.holds === deciding || (!one.isKnown && found.holds !== deciding)) found = { ...one, isKnown: false }
  }
  return found
}

function hasPerformed({ min, max, from, until, where, minProof }: Performed, deeds: readonly Deed[]): boolean {
  const [fromMs, untilMs] = [from === null ? null : Date.parse(from), until === null ? null : Date.parse(until)]
  let times = 0
  for (const { atMs, data, proof } of deeds) {
    if ((fromMs !== null && atMs < fromMs) || (untilMs !== null && atMs >= untilMs)) continue
    if (minProof !== undefined && !isProvenTo(minProof, proof)) continue
    if (passesTests(where, data)) times++
  }
  return times >= min && (max === null || times <= max)
}

/** Whether properties pass a filter. */
export function passesTests(tests: readonly PropertyTest[], data: Readonly<Record<string, unknown>>): boolean {
  return tests.every((test) => {
    const value = Object.hasOwn(data, test.property) ? data[test.property] : undefined
    if ('comparison' in test) return valueCompares(value, test.comparison, false)
    return (textOf(value) !== undefined) === test.present
  })
}

/** The text of a value of JSON as the database gives it; undefined for none. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function valueCompares(value: unknown, comparison: Comparison, isColumn: boolean): boolean {
  const holds = matches(value, comparison, isColumn)
  return holds !== undefined && holds !== comparison.negated
}

/** Undefined where there is no value of the comparison's type. */
function matches(value: unknown, { type, match }: Comparison, isColumn: boolean): boolean | undefined {
  switch (type) {
    case 'text': {
      if (match.is === 'contains' && !isColumn && Array.isArray(value)) return value.includes(match.value)
      if (value === undefined || value === null || typeof value === 'object') return undefined
      return matchesText(String(value), match)
    }
    case 'number':
      return typeof value === 'number' ? matchesOrdered(match, (one) => Math.sign(value - Number(one))) : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value === match.value : undefined
    case 'time': {
      if (match.is === 'dayOfYear') {
        const [, day] = DAY_OF_YEAR.exec(textOf(value) ?? '') ?? []
        return day === undefined ? undefined : match.values.includes(day)
      }
      const atMs = typeof value === 'string' ? momentOf(value) : undefined
      return atMs === undefined ? undefined : matchesTime(atMs, match)
    }
    default:
      return assertNever(type)
  }
}

const DAY_OF_YEAR = /^(?:\d{4}-|--)(\d{2}-\d{2})(?:$|[T ])/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Milliseconds since 1970; undefined for text that is no moment and no day, as a leap second is none to the database's rule. */
function momentOf(text: string): number | undefined {
  const full = DAY.test(text) ? `${text}T00:00:00Z` : text
  const ms = isTimestamp(full) ? Date.parse(full) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

function matchesText(text: string, match: Match<string> | TextMatch): boolean {
  switch (match.is) {
    case 'contains':
      return text.toLowerCase().includes(match.value.toLowerCase())
    case 'beginsWith':
      return text.startsWith(match.value)
    case 'endsWith':
      return text.endsWith(match.value)
    default:
      return matchesOrdered(match, (one) => (text === one ? 0 : Buffer.compare(Buffer.from(text), Buffer.from(one))))
  }
}

/** `order`: negative where the person's value is the lower one. */
function matchesOrdered<V>(match: Match<V>, order: (value: V) => number): boolean {
  switch (match.is) {
    case 'equal':
      return order(match.value) === 0
    case 'below':
      return order(match.value) < (match.orEqual ? 1 : 0)
    case 'above':
      return order(match.value) > (match.orEqual ? -1 : 0)
    case 'between': {
      const [low, high] = [order(match.low), order(match.high)]
      return (low >= 0 && high <= 0) || (low <= 0 && high >= 0)
    }
    case 'oneOf':
      return match.values.some((one) => order(one) === 0)
    default:
      return assertNever(match)
  }
}

/** A day stands for all its moments. */
function matchesTime(atMs: number, match: Match<Moment>): boolean {
  const isFrom = ({ from }: Moment) => atMs >= Date.parse(from)
  const isUpTo = ({ from, until }: Moment) => (until === null ? atMs <= Date.parse(from) : atMs < Date.parse(until))
  switch (match.is) {
    case 'equal':
      return isFrom(match.value) && isUpTo(match.value)
    case 'below':
      return match.orEqual ? isUpTo(match.value) : !isFrom(match.value)
    case 'above':
      return match.orEqual ? isFrom(match.value) : !isUpTo(match.value)
    case 'between':
      return isFrom(match.low) && isUpTo(match.high)
    case 'oneOf':
      return match.values.some((moment) => isFrom(moment) && isUpTo(moment))
    default:
      return assertNever(match)
  }
}
