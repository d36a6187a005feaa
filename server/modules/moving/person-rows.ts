import { csvLines } from '../../platform/csv/csv-lines.ts'
import { cutText } from '../../platform/cut-text.ts'
import { valueText } from '../../platform/json/value-text.ts'
import { CUSTOM, customTarget, type Mapping, suggestMapping } from '../imports/mapping.ts'
import { TAG_NAME_CHARS_MAX } from '../tags/tag-name.ts'
import type { MovedPeople } from './moved.ts'

/** Somebody as a service's API shows them. `consent` is what it can show of one; null where it shows none. */
export type Person = {
  email: string
  subjectId?: string
  firstName?: string
  lastName?: string
  tags?: readonly string[]
  fields?: Readonly<Record<string, unknown>>
  consent: { optInTime?: Maybe; optInIp?: Maybe; confirmTime?: Maybe; confirmIp?: Maybe } | null
}
type Maybe = string | null | undefined

const TARGETS = {
  email: 'email',
  subject_id: 'subjectId',
  first_name: 'firstName',
  last_name: 'lastName',
  tags: 'tags',
  attributes: 'customFields',
  status: 'consent:status',
  optin_time: 'consent:optInTime',
  optin_ip: 'consent:optInIp',
  confirm_time: 'consent:confirmTime',
  confirm_ip: 'consent:confirmIp',
}
const HEAD = csvLines([Object.keys(TARGETS)])

/** Targets of the columns of such a file. */
export const PERSON_MAPPING: Mapping = TARGETS

/** People as a stretch of a file that an import takes. */
export function personRows(file: string, people: readonly Person[]): MovedPeople[] {
  return people.length === 0 ? [] : [{ file, head: HEAD, rows: csvLines(people.map(rowOf)) }]
}

function rowOf({ email, subjectId, firstName, lastName, tags = [], fields = {}, consent }: Person): string[] {
  return [
    ...[email, subjectId ?? '', firstName ?? '', lastName ?? '', tags.map(quoted).join(',')],
    Object.keys(fields).length === 0 ? '' : JSON.stringify(fields),
    consent === null ? '' : 'subscribed',
    ...[consent?.optInTime, consent?.optInIp, consent?.confirmTime, consent?.confirmIp].map((value) => value ?? ''),
  ]
}

/** A tag of its own, whatever is in it. */
const quoted = (tag: string) => `"${cutText(tag.trim(), TAG_NAME_CHARS_MAX).trimEnd().replaceAll('"', '""')}"`

/** A whole name in two parts. */
export function nameParts(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.trim().split(/\s+/)
  return { firstName, lastName: rest.join(' ') }
}

const NAMES: ReadonlySet<string> = new Set(['firstName', 'lastName'])

/** Where attributes of another service go, by their names there: a name, or a custom field. */
export function attributeTargets(names: readonly string[]): Mapping {
  const suggested = suggestMapping([{ name: 'email' }, ...names.map((name) => ({ name }))])
  const kept = Object.entries(suggested).filter(([name]) => name !== 'email')
  return Object.fromEntries(
    kept.map(([name, target]) => [name, NAMES.has(target) || target.startsWith(CUSTOM) ? target : customTarget(name)]),
  )
}

/** Attributes by these targets. An empty value is none. */
export function attributesHere(
  attributes: Readonly<Record<string, unknown>>,
  targets: Mapping,
): Pick<Person, 'firstName' | 'lastName' | 'fields'> {
  const fields: Record<string, unknown> = {}
  const names: Pick<Person, 'firstName' | 'lastName'> = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === '') continue
    const target = Object.hasOwn(targets, name) ? targets[name]! : customTarget(name)
    if (NAMES.has(target)) names[target as 'firstName'] = valueText(value)
    else if (target.startsWith(CUSTOM)) fields[target.slice(CUSTOM.length)] = value
  }
  return { ...names, fields }
}

const VARIABLES: Readonly<Record<string, string>> = { firstName: 'first_name', lastName: 'last_name' }

/** The variable of a mail that has what goes to a target; undefined for one that goes nowhere. */
export function variableOf(target: string): string | undefined {
  const key = VARIABLES[target] ?? (target.startsWith(CUSTOM) ? target.slice(CUSTOM.length) : undefined)
  if (key === undefined || /["\\]/.test(key)) return undefined
  return /^[A-Za-z_]\w*$/.test(key) ? key : `["${key}"]`
}
