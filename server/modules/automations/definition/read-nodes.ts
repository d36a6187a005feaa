import { reservedFault } from '../../../catalogue/domain-events.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/durations.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { isObject } from '../../segments/parse-definition.ts'
import { readTagName } from '../../tags/tag-name.ts'
import { BODY_CHARS_MAX, SUBJECT_CHARS_MAX, TEXT_CHARS_MAX } from '../../templates/template-limits.ts'
import {
  type DelayNode,
  type EmailNode,
  type MailContent,
  type Node,
  type NodeType,
  type Target,
  type WaitNode,
  WEEKDAYS,
} from './definition.ts'
import { FIELDS_OF_NODE_MAX, SHARES, TAGS_OF_NODE_MAX, WAIT_MS_MAX, WAYS_MAX } from './limits.ts'
import { readRuleText } from './read-entry.ts'
import { readNotify } from './read-notify.ts'
import { readDuration, readEventName, readHappening } from './read-parts.ts'
import { readTarget } from './read-target.ts'
import { readDatedWay } from './read-timed-triggers.ts'
import { readSet, readSetOfEvent } from './read-variables.ts'
import type { Reading } from './reading.ts'
import { spanMsMax } from './spans.ts'

type Reader = (reading: Reading, given: unknown, at: string) => Node

const READERS: Readonly<Record<NodeType, Reader>> = {
  email: readEmail,
  delay: readDelay,
  wait: readWait,
  branch(reading, given, at) {
    const value = reading.object(given, at, ['type', 'ways', 'else'])
    const ways = reading.list(value.ways, `${at}/ways`, { min: 1, max: WAYS_MAX }).map((way, n) => {
      const one = reading.object(way, `${at}/ways/${n}`, ['if', 'to'])
      const rule = readRuleText(reading, one.if, `${at}/ways/${n}/if`)
      return { if: rule, to: readTarget(reading, one.to, `${at}/ways/${n}/to`) }
    })
    return { type: 'branch', ways, else: readTarget(reading, value.else, `${at}/else`) }
  },
  split(reading, given, at) {
    const value = reading.object(given, at, ['type', 'ways'])
    const ways = reading.list(value.ways, `${at}/ways`, { min: 2, max: WAYS_MAX }).map((way, n) => {
      const one = reading.object(way, `${at}/ways/${n}`, ['weight', 'to'])
      const weight = reading.whole(one.weight, `${at}/ways/${n}/weight`, { min: 0, max: SHARES })
      return { weight, to: readTarget(reading, one.to, `${at}/ways/${n}/to`) }
    })
    const sum = ways.reduce((total, { weight }) => total + weight, 0)
    if (sum !== SHARES) reading.fault(`${at}/ways`, `must have weights that add up to ${SHARES}; they are ${sum}`)
    return { type: 'split', ways }
  },
  tag(reading, given, at) {
    const value = reading.object(given, at, ['type', 'add', 'remove', 'to'])
    const [add, remove] = [readTags(reading, value.add, `${at}/add`), readTags(reading, value.remove, `${at}/remove`)]
    if (add.length + remove.length === 0) reading.fault(at, 'must have tags to add or to remove')
    return { type: 'tag', add, remove, to: readTarget(reading, value.to, `${at}/to`) }
  },
  field(reading, given, at) {
    const value = reading.object(given, at, ['type', 'set', 'to'])
    const set = isObject(value.set) ? value.set : {}
    const count = Object.keys(set).length
    if (count === 0 || count > FIELDS_OF_NODE_MAX) {
      reading.fault(`${at}/set`, `must be an object of 1 to ${FIELDS_OF_NODE_MAX} custom fields and their values`)
    }
    return { type: 'field', set, to: readTarget(reading, value.to, `${at}/to`) }
  },
  emit(reading, given, at) {
    const value = reading.object(given, at, ['type', 'event', 'properties', 'to'])
    const properties = value.properties ?? {}
    const fault = typeof value.event === 'string' ? reservedFault(value.event) : undefined
    if (fault) reading.fault(`${at}/event`, fault)
    if (!isObject(properties)) reading.fault(`${at}/properties`, 'must be an object')
    return {
      type: 'emit',
      event: readEventName(reading, value.event, `${at}/event`),
      properties: isObject(properties) ? properties : {},
      to: readTarget(reading, value.to, `${at}/to`),
    }
  },
  webhook(reading, given, at) {
    const value = reading.object(given, at, ['type', 'endpoint', 'properties', 'to'])
    const { properties = {} } = value
    if (!isObject(properties)) reading.fault(`${at}/properties`, 'must be an object')
    return {
      type: 'webhook',
      endpoint: readId(reading, value.endpoint, `${at}/endpoint`),
      properties: isObject(properties) ? properties : {},
      to: readTarget(reading, value.to, `${at}/to`),
    }
  },
  notify: readNotify,
  set: readSet,
  enroll: (reading, given, at) => ({ type: 'enroll', ...readOther(reading, given, at) }),
  leave: (reading, given, at) => ({ type: 'leave', ...readOther(reading, given, at) }),
  goal(reading, given, at) {
    const value = reading.object(given, at, ['type', 'to'])
    return { type: 'goal', to: readTarget(reading, value.to, `${at}/to`) }
  },
  end(reading, given, at) {
    reading.object(given, at, ['type'])
    return { type: 'end' }
  },
}

/** Reads one node; undefined when it is none at all. */
export function readNode(reading: Reading, given: unknown, at: string): Node | undefined {
  const type = isObject(given) ? given.type : undefined
  if (typeof type === 'string' && Object.hasOwn(READERS, type)) return READERS[type as NodeType](reading, given, at)
  reading.fault(`${at}/type`, `must be one of ${Object.keys(READERS).join(', ')}`)
  return undefined
}

function readEmail(reading: Reading, given: unknown, at: string): EmailNode {
  const keys = ['type', 'template', 'subject', 'body', 'text', 'notLaterThan', 'to', 'skipped'] as const
  const value = reading.object(given, at, keys)
  const to = readTarget(reading, value.to, `${at}/to`)
  return {
    type: 'email',
    content: readContent(reading, value, at),
    notLaterThan:
      value.notLaterThan === undefined || value.notLaterThan === null
        ? null
        : readDuration(reading, value.notLaterThan, `${at}/notLaterThan`, { msMin: 1 }),
    to,
    skipped: value.skipped === undefined ? to : readTarget(reading, value.skipped, `${at}/skipped`),
  }
}

type Content = Partial<Record<'template' | 'subject' | 'body' | 'text', unknown>>

function readContent(reading: Reading, value: Content, at: string): MailContent {
  if (value.template === undefined || value.template === null) {
    return {
      subject: reading.text(value.subject, `${at}/subject`, SUBJECT_CHARS_MAX),
      body: reading.text(value.body, `${at}/body`, BODY_CHARS_MAX),
      text: reading.textOrNull(value.text, `${at}/text`, TEXT_CHARS_MAX),
    }
  }
  for (const field of ['subject', 'body', 'text'] as const) {
    if (value[field] !== undefined) reading.fault(`${at}/${field}`, 'cannot stand beside a template')
  }
  const { id, version } = reading.object(value.template, `${at}/template`, ['id', 'version'])
  return {
    template: {
      id: readId(reading, id, `${at}/template/id`),
      version:
        version === undefined || version === null
          ? null
          : reading.whole(version, `${at}/template/version`, { min: 1, max: 2_147_483_647 }),
    },
  }
}

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const UNITS = ['months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const

function readDelay(reading: Reading, given: unknown, at: string): DelayNode {
  const value = reading.object(given, at, ['type', ...UNITS, 'at', 'on', 'to'])
  const faults = reading.faults.length
  const of = (unit: (typeof UNITS)[number]) =>
    value[unit] === undefined ? 0 : reading.whole(value[unit], `${at}/${unit}`, { min: 0, max: 40_000_000 })
  const span = {
    months: of('months'),
    days: of('weeks') * 7 + of('days'),
    ms: of('hours') * HOUR_MS + of('minutes') * MINUTE_MS + of('seconds') * SECOND_MS,
  }
  if (value.at !== undefined && !(typeof value.at === 'string' && CLOCK.test(value.at))) {
    reading.fault(`${at}/at`, 'must be a time of day, such as 09:00')
  }
  const on = value.on === undefined ? [] : reading.list(value.on, `${at}/on`, { min: 1, max: WEEKDAYS.length })
  if (spanMsMax(span) > WAIT_MS_MAX + HOUR_MS) reading.fault(at, 'must be at most 400 days')
  const isSound = reading.faults.length === faults
  if (isSound && UNITS.every((unit) => value[unit] === undefined) && value.at === undefined && on.length === 0) {
    reading.fault(at, 'must say how long: months, weeks, days, hours, minutes, seconds, at or on')
  }
  return {
    type: 'delay',
    span,
    at: typeof value.at === 'string' ? value.at : null,
    on: on.map((day, n) => reading.oneOf(day, `${at}/on/${n}`, WEEKDAYS)),
    to: readTarget(reading, value.to, `${at}/to`),
  }
}

function readWait(reading: Reading, given: unknown, at: string): WaitNode {
  const value = reading.object(given, at, ['type', 'for', 'timeout', 'late'])
  if (value.timeout === undefined) {
    reading.fault(`${at}/timeout`, 'must say for how long at most, such as P3D: nobody waits for ever')
  }
  const timeout = value.timeout === undefined ? 'P1D' : value.timeout
  return {
    type: 'wait',
    for: reading.list(value.for, `${at}/for`, { min: 1, max: WAYS_MAX }).map((way, n) => {
      const here = `${at}/for/${n}`
      const to = readTarget(reading, isObject(way) ? way.to : undefined, `${here}/to`)
      if (isObject(way) && 'date' in way) return { ...readDatedWay(reading, way, here), to }
      if (!isObject(way) || !('if' in way)) {
        const heard = readHappening(reading, way, { at: here, more: ['to', 'set'] })
        return { ...heard, to, ...readSetOfEvent(reading, isObject(way) ? way.set : undefined, `${here}/set`) }
      }
      const { if: rule } = reading.object(way, here, ['if', 'to'])
      return { if: readRuleText(reading, rule, `${here}/if`), to }
    }),
    timeout: readDuration(reading, timeout, `${at}/timeout`, { msMin: 1_000 }),
    late: readTarget(reading, value.late, `${at}/late`),
  }
}

function readTags(reading: Reading, given: unknown, at: string): string[] {
  if (given === undefined || given === null) return []
  return reading.list(given, at, { max: TAGS_OF_NODE_MAX }).map((one, n) => {
    const read = typeof one === 'string' ? readTagName(one) : { fault: 'must be text' }
    if ('name' in read) return read.name
    reading.fault(`${at}/${n}`, read.fault)
    return ''
  })
}

function readOther(reading: Reading, given: unknown, at: string): { automation: string; to: Target } {
  const value = reading.object(given, at, ['type', 'automation', 'to'])
  const automation = readId(reading, value.automation, `${at}/automation`)
  return { automation, to: readTarget(reading, value.to, `${at}/to`) }
}

function readId(reading: Reading, given: unknown, at: string): string {
  if (typeof given === 'string' && /^[0-9]{1,19}$/.test(given) && !isBeyondIds(given)) return BigInt(given).toString()
  reading.fault(at, 'must be an id')
  return '0'
}
