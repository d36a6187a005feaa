import type { FieldError } from '../../../platform/problem.ts'
import { isShallow } from '../../../platform/schema/schemas.ts'
import { isTimestamp } from '../../../platform/schema/timestamps.ts'
import { isObject } from '../../segments/parse-definition.ts'
import { RuleFault } from '../../segments/rule-fault.ts'
import { readField } from '../../segments/rule-fields.ts'
import type { Span } from '../definition/definition.ts'
import {
  EVENT_CHARS_MAX,
  FIELDS_OF_NODE_MAX,
  NAME_CHARS_MAX,
  NODE_ID_CHARS_MAX,
  TAGS_OF_NODE_MAX,
  WAYS_MAX,
} from '../definition/limits.ts'
import { PRIORITY_NAMES } from '../definition/read-definition.ts'
import { readDuration, zoneNamed } from '../definition/read-parts.ts'
import { escaped, Reading } from '../definition/reading.ts'
import { ofSegment, SEGMENT_EVENTS, SEGMENT_WHENS } from '../definition/watched-segments.ts'
import { readWorkspace } from './read-scenario-workspace.ts'
import {
  ENDS,
  EXPECTED_MAX,
  type Expected,
  GIVEN_MAX,
  type Given,
  REFUSALS,
  SCENARIOS_CHARS_MAX,
  SCENARIOS_MAX,
  type Scenario,
  type ScenarioMoment,
  type ScenarioPerson,
  SEEN_KINDS,
  type SeenKind,
  START_MS,
  UNSUBSCRIBES,
} from './scenario.ts'

const DEPTH_MAX = 20
const TAG_CHARS_MAX = 100
const TOPICS_MAX = 20
/** Moments of these years are exact in microseconds, with all that may come of them. */
const MOMENT_MS_MIN = Date.UTC(1970)
const MOMENT_MS_MAX = Date.UTC(2200)
const GIVEN_KINDS = ['event', 'segment', 'tag', 'untag', 'click', 'unsubscribe', 'enroll', 'mailed'] as const
const NOW = { after: { months: 0, days: 0, ms: 0 } }

/** Reads the scenarios of an automation; `faults` has everything that is wrong, with pointers that begin with `/scenarios`. */
export function readScenarios(given: unknown): { scenarios: Scenario[]; faults: FieldError[] } {
  const reading = new Reading()
  const at = '/scenarios'
  if (typeof given === 'object' && given !== null && !isShallow(given, DEPTH_MAX)) {
    return { scenarios: [], faults: [{ pointer: at, detail: `must be nested at most ${DEPTH_MAX} deep` }] }
  }
  if (JSON.stringify(given)?.length > SCENARIOS_CHARS_MAX) {
    return {
      scenarios: [],
      faults: [{ pointer: at, detail: `must have at most ${SCENARIOS_CHARS_MAX} characters as JSON` }],
    }
  }
  const list = reading.list(given, at, { max: SCENARIOS_MAX })
  const scenarios = list.map((one, n) => readScenario(reading, one, `${at}/${n}`))
  const names = new Set<string>()
  for (const [n, { name }] of scenarios.entries()) {
    if (names.has(name)) reading.fault(`${at}/${n}/name`, 'must be another one: an earlier scenario has this name')
    names.add(name)
  }
  return { scenarios, faults: reading.faults }
}

function readScenario(reading: Reading, given: unknown, at: string): Scenario {
  const value = reading.object(given, at, ['name', 'start', 'person', 'workspace', 'given', 'expect'])
  return {
    name: reading.text(value.name, `${at}/name`, NAME_CHARS_MAX),
    startMs: value.start === undefined ? START_MS : (readMoment(reading, value.start, `${at}/start`) ?? START_MS),
    person: readPerson(reading, value.person ?? {}, `${at}/person`),
    workspace: readWorkspace(reading, value.workspace ?? {}, `${at}/workspace`),
    given: reading
      .list(value.given, `${at}/given`, { min: 1, max: GIVEN_MAX })
      .map((one, n) => readGiven(reading, one, `${at}/given/${n}`)),
    expect: reading
      .list(value.expect, `${at}/expect`, { max: EXPECTED_MAX })
      .map((one, n) => readExpected(reading, one, `${at}/expect/${n}`)),
  }
}

function readPerson(reading: Reading, given: unknown, at: string): ScenarioPerson {
  const value = reading.object(given, at, ['timeZone', 'tags', 'fields', 'topics', 'suppressed', 'heldOut', 'split'])
  return {
    timeZone: value.timeZone === undefined || value.timeZone === null ? null : readZone(reading, value.timeZone, at),
    tags: reading
      .list(value.tags ?? [], `${at}/tags`, { max: TAGS_OF_NODE_MAX })
      .map((tag, n) => reading.text(tag, `${at}/tags/${n}`, TAG_CHARS_MAX)),
    fields: readFields(reading, value.fields ?? {}, `${at}/fields`),
    topics: reading
      .list(value.topics ?? [], `${at}/topics`, { max: TOPICS_MAX })
      .map((id, n) => reading.text(id, `${at}/topics/${n}`, NODE_ID_CHARS_MAX)),
    isSuppressed: reading.boolean(value.suppressed, `${at}/suppressed`, false),
    isHeldOut: reading.boolean(value.heldOut, `${at}/heldOut`, false),
    split: readSplit(reading, value.split ?? {}, `${at}/split`),
  }
}

function readZone(reading: Reading, given: unknown, at: string): string | null {
  const zone = typeof given === 'string' ? zoneNamed(given) : undefined
  if (zone === undefined) reading.fault(`${at}/timeZone`, 'must be a time zone, such as Europe/Berlin')
  return zone ?? null
}

function readFields(reading: Reading, given: unknown, at: string): Record<string, unknown> {
  if (!isObject(given)) {
    reading.fault(at, 'must be an object: values by the names that rules have for them')
    return {}
  }
  const entries = Object.entries(given)
  if (entries.length > FIELDS_OF_NODE_MAX) reading.fault(at, `must have at most ${FIELDS_OF_NODE_MAX} fields`)
  for (const [name, value] of entries) {
    const pointer = `${at}/${escaped(name)}`
    try {
      const { kind } = readField(name)
      if (kind !== 'column' && kind !== 'custom') reading.fault(pointer, 'is no field: name one, such as custom:plan')
      if (kind === 'column' && typeof value !== 'string') reading.fault(pointer, 'must be text')
      if (typeof value === 'object' && value !== null)
        reading.fault(pointer, 'must be text, a number, true, false or null')
    } catch (error) {
      if (!(error instanceof RuleFault)) throw error
      reading.fault(pointer, error.detail)
    }
  }
  return given
}

function readSplit(reading: Reading, given: unknown, at: string): Record<string, number> {
  if (!isObject(given)) {
    reading.fault(at, 'must be an object: the number of the way by the id of each split')
    return {}
  }
  return Object.fromEntries(
    Object.entries(given).map(([node, way]) => [
      node,
      reading.whole(way, `${at}/${escaped(node)}`, { min: 0, max: WAYS_MAX - 1 }),
    ]),
  )
}

function readGiven(reading: Reading, given: unknown, at: string): Given {
  const kind = kindOf(reading, given, { at, kinds: GIVEN_KINDS })
  if (kind === undefined) return { kind: 'enroll', at: NOW }
  const of = { event: ['data'], segment: ['when'], mailed: ['priority'] }[kind as string] ?? []
  const value = reading.object(given, at, [kind, 'at', ...of]) as Record<string, unknown>
  const when = value.at === undefined ? NOW : readWhen(reading, value.at, `${at}/at`)
  const text = (max: number) => reading.text(value[kind], `${at}/${kind}`, max)
  switch (kind) {
    case 'segment': {
      const happens = reading.oneOf(value.when, `${at}/when`, SEGMENT_WHENS)
      const [test] = ofSegment(text(NODE_ID_CHARS_MAX))
      return { kind: 'event', at: when, event: SEGMENT_EVENTS[happens], data: { [test!.property]: test!.value } }
    }
    case 'tag':
    case 'untag':
      return { kind, at: when, tag: text(TAG_CHARS_MAX) }
    case 'click':
      return { kind, at: when, node: text(NODE_ID_CHARS_MAX) }
    case 'unsubscribe':
      return { kind, at: when, from: reading.oneOf(value.unsubscribe, `${at}/unsubscribe`, UNSUBSCRIBES) }
    case 'enroll':
      if (value.enroll !== true) reading.fault(`${at}/enroll`, 'must be true')
      return { kind, at: when }
    case 'mailed': {
      const { priority = 'normal' } = value
      const by = text(NAME_CHARS_MAX)
      return { kind, at: when, by, priority: reading.oneOf(priority, `${at}/priority`, PRIORITY_NAMES) }
    }
    default: {
      const data = value.data ?? {}
      if (!isObject(data)) reading.fault(`${at}/data`, 'must be an object: the properties of the event')
      return { kind: 'event', at: when, event: text(EVENT_CHARS_MAX), data: isObject(data) ? data : {} }
    }
  }
}

function readExpected(reading: Reading, given: unknown, at: string): Expected {
  const kind = kindOf(reading, given, { at, kinds: SEEN_KINDS })
  if (kind === undefined) return { kind: 'mail', what: '', at: null }
  const value = reading.object(given, at, [kind, 'at'])
  const when = value.at === undefined || value.at === null ? null : readWhen(reading, value.at, `${at}/at`)
  return { kind, what: whatOf(reading, value[kind], { kind, at: `${at}/${kind}` }), at: when }
}

function whatOf(reading: Reading, given: unknown, { kind, at }: { kind: SeenKind; at: string }): string {
  if (kind === 'end') return reading.oneOf(given, at, ENDS)
  if (kind === 'refused') return reading.oneOf(given, at, REFUSALS)
  return reading.text(given, at, kind === 'mail' ? NODE_ID_CHARS_MAX : TAG_CHARS_MAX)
}

type OfKinds<K extends string> = { at: string; kinds: readonly K[] }

/** The one key that says what it is. */
function kindOf<K extends string>(reading: Reading, given: unknown, { at, kinds }: OfKinds<K>): K | undefined {
  const found = isObject(given) ? kinds.filter((kind) => kind in given) : []
  if (found.length === 1) return found[0]
  reading.fault(at, `must be an object with one of ${kinds.join(', ')}`)
  return undefined
}

function readWhen(reading: Reading, given: unknown, at: string): ScenarioMoment {
  if (typeof given === 'string' && given.startsWith('P'))
    return { after: readDuration(reading, given, at, { msMin: 0 }) }
  if (typeof given === 'string' && given.startsWith('-P'))
    return { after: backwards(readDuration(reading, given.slice(1), at, { msMin: 0 })) }
  const ms = readMoment(reading, given, at)
  return ms === undefined ? NOW : { ms }
}

const backwards = ({ months, days, ms }: Span): Span => ({ months: -months, days: -days, ms: -ms })

function readMoment(reading: Reading, given: unknown, at: string): number | undefined {
  const ms = typeof given === 'string' && isTimestamp(given) ? Date.parse(given) : Number.NaN
  if (ms >= MOMENT_MS_MIN && ms < MOMENT_MS_MAX) return ms
  reading.fault(
    at,
    at.endsWith('/start')
      ? 'must be a moment, such as 2026-06-01T09:00:00+02:00'
      : 'must be a duration from the beginning, such as PT2H, or -P1D before it, or a moment, such as 2026-06-01T09:00:00+02:00',
  )
  return undefined
}
