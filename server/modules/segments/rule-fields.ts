import { CONTACT_FIELDS } from '../../catalogue/contact-fields.ts'
import type { ContactColumn, ValueType } from './conditions.ts'
import { RuleFault } from './rule-fault.ts'

export type RuleField =
  | { kind: 'column'; column: ContactColumn; type: 'text' | 'time' }
  | { kind: 'custom'; key: string }
  | { kind: 'event'; name: string }
  | { kind: 'tag' | 'segment' | 'topic' }

const KEY_CHARS_MAX = 100
const EVENT_NAME_CHARS_MAX = 200

/** The fields of a contact as definitions spell them: as in the database, or as in the API. */
const COLUMNS: ReadonlyMap<string, { column: ContactColumn; type: 'text' | 'time' }> = new Map(
  [
    ...CONTACT_FIELDS.map(({ name, column }) => ({ name, column, type: 'text' as const })),
    { name: 'createdAt', column: 'created_at' as const, type: 'time' as const },
    { name: 'updatedAt', column: 'updated_at' as const, type: 'time' as const },
  ].flatMap(({ name, column, type }) => [
    [column, { column, type }],
    [name, { column, type }],
  ]),
)

/** The field that a rule is about. Throws a `RuleFault` for a field that does not exist. */
export function readField(field: string): RuleField {
  const column = COLUMNS.get(field)
  if (column) return { kind: 'column', ...column }
  if (field === 'tag' || field === 'segment' || field === 'topic') return { kind: field }
  const [, prefix, rest = ''] = /^(custom|event):(.*)$/s.exec(field) ?? []
  if (prefix === 'custom') return { kind: 'custom', key: named(rest, 'a key', KEY_CHARS_MAX) }
  if (prefix === 'event') return { kind: 'event', name: named(rest, 'an event name', EVENT_NAME_CHARS_MAX) }
  const known = [...COLUMNS.keys()].filter((name) => !/[A-Z]/.test(name)).join(', ')
  throw new RuleFault('/field', `must be one of ${known}, tag, segment, topic, custom:<key>, event:<name>`)
}

function named(text: string, what: string, charsMax: number): string {
  if (text.trim() === '') throw new RuleFault('/field', `must have ${what} behind the colon`)
  if (text.length > charsMax) throw new RuleFault('/field', `must have ${what} of at most ${charsMax} characters`)
  return text
}

const ORDER = ['=', '!=', '<', '<=', '>', '>=', 'between', 'notBetween'] as const
const LIST = ['in', 'notIn'] as const
const SUBSTRING = [
  'contains',
  'doesNotContain',
  'beginsWith',
  'doesNotBeginWith',
  'endsWith',
  'doesNotEndWith',
] as const
const DATE = ['before', 'after', 'withinLastDays', 'notWithinLastDays', 'anniversaryWithinDays'] as const
const PRESENCE = ['null', 'notNull'] as const

/** Operators of values, by type: the names of the query builder, and ours for dates. */
export const OPERATORS: Readonly<Record<ValueType, readonly string[]>> = {
  text: [...ORDER, ...LIST, ...SUBSTRING, ...PRESENCE],
  number: [...ORDER, ...LIST, ...PRESENCE],
  boolean: ['=', '!=', ...PRESENCE],
  time: [...ORDER, ...DATE, ...PRESENCE],
}
/** Operators of tags, topics and other segments. */
export const MEMBERSHIP_OPERATORS: readonly string[] = ['has', 'doesNotHave', '=', '!=', ...LIST]
export const EVENT_OPERATORS: readonly string[] = ['performed', 'notPerformed']

/** Throws a `RuleFault` that lists the operators there are. */
export function requireOperator(operator: string, offered: readonly string[], what: string): void {
  if (!offered.includes(operator)) throw new RuleFault('/operator', `must be one of ${offered.join(', ')} for ${what}`)
}
