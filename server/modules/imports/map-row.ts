import { isIP } from 'node:net'
import { CONTACT_FIELD_NAMES, type ContactField } from '../../catalogue/contact-fields.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { isPlainObject } from '../../platform/json/plain-object.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import type { ConsentFacts } from '../consents/record-consents.ts'
import { readContactItem } from '../contacts/contact-item.ts'
import type { ContactItem } from '../contacts/plan-upsert.ts'
import type { ContactBody } from '../contacts/schemas.ts'
import { readTagName } from '../tags/tag-name.ts'
import { nameKey, type TopicsByName } from '../topics/topics-named.ts'
import { type ColumnFormat, readAs } from './column-format.ts'
import { yesOrNo } from './folded.ts'
import { CUSTOM, IGNORE, isTarget, type Mapping, type Target } from './mapping.ts'
import { namesIn } from './names-in.ts'
import { isNo, type No, type Status, statusOf, weightier } from './subscription-status.ts'

/** Whether every row of the file is of somebody who agreed, where the row itself does not say. */
export type DeclaredConsent = 'confirmed' | 'unconfirmed'

/** The content of a row: the contact, its tags, its consent if it gives one, what it is to, and its no. */
export type MappedRow = {
  item: ContactItem
  tags: string[]
  topicIds: string[]
  consent: ConsentFacts | null
  no: No | null
}

type Row = {
  body: Record<string, string> & { customFields?: Record<string, unknown> }
  tags: string[]
  topicIds: string[]
  consent: Partial<Record<'optedInAt' | 'optInIp' | 'confirmedAt' | 'confirmIp', string>>
  status: Status | undefined
}
type Setter = (row: Row, value: string, as: { format: ColumnFormat; topics: TopicsByName }) => string | undefined
/** Made by a spreadsheet's guard against formulas, ours included: the quote is not part of the value. */
const NEUTRALISED = /^'[=+\-@\t\r]/
const REPLACEMENT = '\ufffd'

type Reading = {
  consent: DeclaredConsent
  formats?: Readonly<Record<string, ColumnFormat>> | undefined
  topics?: TopicsByName
}

/**
 * Makes the reader of a file's rows for a mapping, which must be sound (`mappingFaults`). Values of a column with a format
 * that are not written so are text. The reader answers what a row
 * says, or what is wrong with it. Pure.
 */
export function compileMapping(
  columns: readonly { name: string }[],
  mapping: Mapping,
  { consent, formats = {}, topics = new Map() }: Reading,
): (fields: readonly string[]) => MappedRow | { fault: string } {
  const setters = columns.map(({ name }) => ({
    name,
    set: setterFor(targetOf(mapping, name)),
    format: (Object.hasOwn(formats, name) ? formats[name] : undefined) ?? 'text',
  }))
  return (fields) => {
    if (fields.length !== columns.length) {
      return { fault: `has ${fields.length} values where the header names ${columns.length}` }
    }
    const row: Row = { body: {} as Row['body'], tags: [], topicIds: [], consent: {}, status: undefined }
    for (const [n, { name, set, format }] of setters.entries()) {
      const given = set === undefined ? '' : fields[n]!.trim()
      if (set === undefined || given === '') continue
      const value = NEUTRALISED.test(given) ? given.slice(1) : given
      const fault = storableFault(value) ?? set(row, value, { format, topics })
      if (fault !== undefined) return { fault: `${name}: ${fault}` }
    }
    return finish(row, consent)
  }
}

/** A column may be called as a property that every object has. */
function targetOf(mapping: Mapping, name: string): string {
  return (Object.hasOwn(mapping, name) ? mapping[name] : undefined) ?? IGNORE
}

function storableFault(value: string): string | undefined {
  if (value.includes('\0')) return 'must not contain U+0000'
  return value.includes(REPLACEMENT) ? 'holds bytes that are not of the file’s encoding' : undefined
}

function finish(row: Row, declared: DeclaredConsent): MappedRow | { fault: string } {
  const read = readContactItem(row.body as ContactBody)
  if ('faults' in read) {
    const [{ pointer, detail }] = read.faults
    return { fault: `${pointer.slice(1)} ${detail}`.trim() }
  }
  const no = isNo(row.status) ? row.status : null
  if (no !== null && no !== 'no_newsletters' && read.item.fields.email === undefined)
    return { fault: 'is of somebody who opted out and has no email' }
  const proven = row.consent.confirmedAt !== undefined || row.consent.optedInAt !== undefined
  const agreed = row.status === undefined ? proven || declared === 'confirmed' : row.status === 'subscribed'
  return { item: read.item, tags: row.tags, topicIds: row.topicIds, consent: agreed ? row.consent : null, no }
}

function setterFor(target: string): Setter | undefined {
  if (target === IGNORE) return undefined
  if (isTarget(target)) return SETTERS[target]
  const key = target.slice(CUSTOM.length)
  return (row, value, { format }) => {
    row.body.customFields = { ...row.body.customFields, [key]: readAs(format, value) ?? value }
    return undefined
  }
}

const plain =
  (field: ContactField): Setter =>
  (row, value) => {
    row.body[field] = value
    return undefined
  }

const moment =
  (fact: 'optedInAt' | 'confirmedAt'): Setter =>
  (row, value, { format }) => {
    const at = momentOf(value, format)
    if (at === undefined) return 'is no time'
    row.consent[fact] = at
    return undefined
  }

const address =
  (fact: 'optInIp' | 'confirmIp'): Setter =>
  (row, value) => {
    if (isIP(value) === 0 || value.includes('%')) return 'is no IP address'
    row.consent[fact] = value
    return undefined
  }

/** Written for a time or a list that there is none of: `[]`, `-`, `null`. A mark, such as `✓`, `*` or `+`, says yes. */
const NOTHING = /^(?:[\p{Pd}\p{Ps}\p{Pe}.,/'"_]+|null|none|never)$/iu

/** A time in a column of its own says that it happened, and so does a yes; a no says that it did not. */
const happened =
  (no: No): Setter =>
  (row, value) => {
    if (yesOrNo(value) !== false && !NOTHING.test(value)) row.status = weightier(row.status, no)
    return undefined
  }

const SETTERS: Readonly<Record<Target, Setter>> = {
  ...(Object.fromEntries(CONTACT_FIELD_NAMES.map((field) => [field, plain(field)])) as Record<ContactField, Setter>),
  fullName(row, value) {
    const [first = '', ...rest] = value.split(/\s+/)
    row.body.firstName ??= first
    if (rest.length > 0) row.body.lastName ??= rest.join(' ')
    return undefined
  },
  tags(row, value) {
    for (const given of namesIn(value)) {
      const read = readTagName(given)
      if ('fault' in read) return `the tag ${read.fault}`
      row.tags.push(read.name)
    }
    return undefined
  },
  topics(row, value, { topics }) {
    for (const name of namesIn(value)) {
      const topic = topics.get(nameKey(name))
      if (topic === undefined) return `no topic is called “${name}”`
      row.topicIds.push(topic.id)
    }
    return undefined
  },
  customFields(row, value) {
    const given = jsonObject(value)
    if (given === undefined) return 'is no JSON object'
    row.body.customFields = { ...given, ...row.body.customFields }
    return undefined
  },
  'consent:status'(row, value) {
    const status = statusOf(value)
    if (status === undefined) return 'is no status of a subscription'
    row.status = weightier(row.status, status)
    return undefined
  },
  'consent:optInTime': moment('optedInAt'),
  'consent:optInIp': address('optInIp'),
  'consent:confirmTime': moment('confirmedAt'),
  'consent:confirmIp': address('confirmIp'),
  'consent:unsubscribeTime': happened('unsubscribed'),
  'consent:cleanTime': happened('suppressed'),
}

/** By the format of its column, or year first; without a zone it is UTC, as in the exports that we know. */
function momentOf(value: string, format: ColumnFormat): string | undefined {
  const read = readAs(format.startsWith('date') ? format : 'date_ymd', value)
  return typeof read === 'string' ? toUtc(read.length === 10 ? `${read}T00:00:00Z` : read) : undefined
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseExactJson(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
