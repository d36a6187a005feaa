import type { Proof } from '../../../catalogue/proofs.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/durations.ts'
import { timeZoneNamed } from '../../../platform/time-zone.ts'
import { MIN_PROOFS } from '../../segments/event-proof.ts'
import { isObject } from '../../segments/parse-definition.ts'
import { readPropertyTests } from '../../segments/read-event-rule.ts'
import { RuleFault } from '../../segments/rule-fault.ts'
import type { Happening, Match, Span, Where, WrittenTest } from './definition.ts'
import { EVENT_CHARS_MAX, MATCHES_MAX, PROPERTY_CHARS_MAX, WAIT_MS_MAX } from './limits.ts'
import type { Reading } from './reading.ts'
import { escaped } from './reading.ts'
import { readSpan, spanMsMax } from './spans.ts'
import { ofSegment, SEGMENT_EVENTS, SEGMENT_WHENS } from './watched-segments.ts'

const TIME = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/

/** A time of day; midnight for what is none. */
export function readTime(reading: Reading, given: unknown, at: string): string {
  if (typeof given === 'string' && TIME.test(given)) return given
  reading.fault(at, 'must be a time of day, such as 09:00')
  return '00:00'
}

/** A time zone by its name in any case; undefined for one that is not known. */
export function zoneNamed(name: string): string | undefined {
  return timeZoneNamed(name.trim())
}

export function readEventName(reading: Reading, given: unknown, pointer: string): string {
  return reading.text(given, pointer, EVENT_CHARS_MAX)
}

/** A filter on properties: a list of `{property, operator, value}`, as rules about events have them. */
export function readWhere(reading: Reading, given: unknown, pointer: string): Where {
  if (given === undefined || given === null) return []
  try {
    readPropertyTests(given, new Date().toISOString())
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error
    reading.fault(pointer + error.pointer.replace('/value/where', ''), error.detail)
    return []
  }
  return (given as WrittenTest[]).map(({ property, operator, value }) => ({
    ...{ property, operator },
    ...(value === undefined ? {} : { value }),
  }))
}

/** Properties by name that must be those of the trigger. */
export function readMatch(reading: Reading, given: unknown, pointer: string): Match {
  if (given === undefined || given === null) return {}
  if (!isObject(given)) {
    reading.fault(pointer, 'must be an object: a property of the event, and that of the trigger it must equal')
    return {}
  }
  const entries = Object.entries(given)
  if (entries.length > MATCHES_MAX) reading.fault(pointer, `must have at most ${MATCHES_MAX} properties`)
  return Object.fromEntries(
    entries.map(([name, other]) => [name, reading.text(other, `${pointer}/${escaped(name)}`, PROPERTY_CHARS_MAX)]),
  )
}

/**
 * An event, `{event, where, match}`, or coming into a segment and going out of it, `{segment, when}`, which is an event as well. `more`
 * are the other keys that the place has.
 */
export function readHappening(
  reading: Reading,
  given: unknown,
  { at, more = [] }: { at: string; more?: readonly string[] },
): Happening {
  if (isObject(given) && 'segment' in given) {
    const { segment, when } = reading.object(given, at, ['segment', 'when', ...more])
    const isId = typeof segment === 'string' && /^[1-9][0-9]{0,14}$/.test(segment)
    if (!isId) reading.fault(`${at}/segment`, 'must be the id of a segment')
    const happens = reading.oneOf(when, `${at}/when`, SEGMENT_WHENS)
    return { event: SEGMENT_EVENTS[happens], where: ofSegment(isId ? segment : '0'), match: {} }
  }
  const { event, where, match, minProof } = reading.object(given, at, [
    'event',
    'where',
    'match',
    ...new Set(['minProof', ...more]),
  ])
  return {
    event: readEventName(reading, event, `${at}/event`),
    where: readWhere(reading, where, `${at}/where`),
    match: readMatch(reading, match, `${at}/match`),
    ...readProof(reading, minProof, `${at}/minProof`),
  }
}

/** How well it must be proven whose an event of a browser is; nothing where nothing is said. */
export function readProof(reading: Reading, given: unknown, pointer: string): { minProof?: Proof } {
  return given === undefined || given === null ? {} : { minProof: reading.oneOf(given, pointer, MIN_PROOFS) }
}

type SpanRange = { msMin: number; msMax?: number }

/** An ISO 8601 duration. */
export function readDuration(reading: Reading, given: unknown, pointer: string, range: SpanRange): Span {
  const { msMin, msMax = WAIT_MS_MAX } = range
  const span = typeof given === 'string' ? readSpan(given) : undefined
  if (span === undefined) {
    reading.fault(pointer, 'must be a duration of ISO 8601, such as PT2H, P3D or P1M')
    return { months: 0, days: 0, ms: msMin }
  }
  const ms = spanMsMax(span)
  if (ms < msMin) reading.fault(pointer, 'must be longer')
  if (ms > msMax + HOUR_MS) reading.fault(pointer, `must be at most ${Math.floor(msMax / DAY_MS)} days`)
  return span
}
