import type { RuleNode } from './rule-tree.ts'

export type ValueKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'time'
  | 'date'
  | 'tag'
  | 'segment'
  | 'topic'
  | 'event'
  | 'property'
  | 'variable'
  | 'clicked'
export type FieldEntry = {
  field: string
  label: string
  kind: ValueKind
  /** What its value is one of. */
  choices?: readonly { value: string; label: string }[]
}

/** Fields that only runs of automations have: properties of what brought a person in, and mails they have clicked in. */
export const TRIGGER = 'event.'
export const CLICKED = 'clicked'

/** Fields that every contact has, as definitions spell them. */
export const CONTACT_FIELDS: readonly FieldEntry[] = [
  { field: 'email', label: 'Email', kind: 'text' },
  { field: 'first_name', label: 'First name', kind: 'text' },
  { field: 'last_name', label: 'Last name', kind: 'text' },
  { field: 'phone', label: 'Phone', kind: 'text' },
  { field: 'subject_id', label: 'Your id', kind: 'text' },
  { field: 'time_zone', label: 'Time zone', kind: 'text' },
  { field: 'created_at', label: 'Created', kind: 'time' },
  { field: 'updated_at', label: 'Changed', kind: 'time' },
]

const CUSTOM_KINDS = { string: 'text', number: 'number', boolean: 'boolean', datetime: 'time', date: 'date' } as const

export function customEntry({
  key,
  name,
  type,
}: {
  key: string
  name: string
  type: keyof typeof CUSTOM_KINDS
}): FieldEntry {
  return { field: `custom:${key}`, label: name, kind: CUSTOM_KINDS[type] }
}

const PRESENCE = { null: 'has no value', notNull: 'has a value' }
const ORDER = {
  '=': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is more than',
  '>=': 'is at least',
}

const OF_RUN = { ...ORDER, contains: 'contains', beginsWith: 'begins with', in: 'is one of', ...PRESENCE }

const OF_TIME = {
  withinLastDays: 'in the last … days',
  notWithinLastDays: 'not in the last … days',
  before: 'before',
  after: 'after',
  '=': 'on',
  between: 'between',
}

/** Operators by kind of value, in words. */
export const OPERATORS: Readonly<Record<ValueKind, Readonly<Record<string, string>>>> = {
  text: {
    '=': 'is',
    '!=': 'is not',
    contains: 'contains',
    doesNotContain: 'does not contain',
    beginsWith: 'begins with',
    doesNotBeginWith: 'does not begin with',
    endsWith: 'ends with',
    doesNotEndWith: 'does not end with',
    in: 'is one of',
    notIn: 'is none of',
    ...PRESENCE,
  },
  property: OF_RUN,
  variable: OF_RUN,
  clicked: { has: 'is this one', doesNotHave: 'is not this one' },
  number: {
    ...ORDER,
    between: 'is between',
    notBetween: 'is not between',
    in: 'is one of',
    notIn: 'is none of',
    ...PRESENCE,
  },
  boolean: { '=': 'is', '!=': 'is not', ...PRESENCE },
  time: { ...OF_TIME, ...PRESENCE },
  date: { ...OF_TIME, anniversaryWithinDays: 'has its birthday or anniversary in the next … days', ...PRESENCE },
  tag: { has: 'is there', doesNotHave: 'is not there' },
  segment: { has: 'they are in', doesNotHave: 'they are not in' },
  topic: { has: 'they said yes to', doesNotHave: 'they did not say yes to' },
  event: { performed: 'happened', notPerformed: 'did not happen' },
}

const WORDS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(OPERATORS))

/** An operator in words, also of a field whose kind is not known here. */
export function operatorText(operator: string, kind: ValueKind): string {
  return OPERATORS[kind][operator] ?? WORDS[operator] ?? operator
}

const EVENT = 'event:'

/** What people are in or not. */
export const SETS = { tag: 'Tag', segment: 'Segment', topic: 'Topic' }

/** The kind of a field; one that nobody declared holds text. */
export function kindOf(field: string, fields: readonly FieldEntry[]): ValueKind {
  if (Object.hasOwn(SETS, field)) return field as keyof typeof SETS
  if (field.startsWith(EVENT)) return 'event'
  if (field.startsWith(TRIGGER) && fields.some((entry) => entry.field === TRIGGER)) return 'property'
  return fields.find((entry) => entry.field === field)?.kind ?? 'text'
}

export function eventNameOf(field: string): string {
  return field.slice(EVENT.length)
}

export function eventField(name: string): string {
  return `${EVENT}${name}`
}

/** Events of which machines have some as well: proxies fetch pictures, scanners follow links. */
export const HITS: readonly string[] = ['event:email.opened', 'event:email.clicked']
/** The condition that leaves theirs out. */
export const BY_PEOPLE = { property: 'machine', operator: '=', value: false }

/** A rule about a field as it begins: what machines do is nobody's doing. */
export function newRule(field: string, kind: ValueKind): RuleNode {
  const [operator = '='] = Object.keys(OPERATORS[kind])
  const first = HITS.includes(field) ? { where: [BY_PEOPLE] } : {}
  return { field, operator, value: kind === 'boolean' ? 'true' : kind === 'event' ? { atLeast: 1, ...first } : '' }
}

export type EventValue = {
  atLeast?: number
  atMost?: number
  exactly?: number
  withinLastDays?: number
  [more: string]: unknown
}

/** The object of an event's rule; a bare number is days back. */
export function eventValue(value: unknown): EventValue {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as EventValue
  if (typeof value === 'string' && value.trim().startsWith('{')) {
    try {
      return JSON.parse(value) as EventValue
    } catch {
      return {}
    }
  }
  const days = Number(value)
  return value !== '' && Number.isInteger(days) && days > 0 ? { withinLastDays: days } : {}
}
