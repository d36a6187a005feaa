import { Fragment } from 'react'
import type { Contact, SiteCustomField } from '../../lib/site-types.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Link } from '../../ui/link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { contactName } from './contact-name.ts'
import classes from './contacts.module.css'
import { toldText } from './field-value.ts'
import { mailStanding } from './mail-standing.tsx'

const none = <span className="soft none">–</span>

/** The first column says who it is and is always there; the others are chosen. */
const PERSON: Column<Contact> = {
  id: 'person',
  head: 'Contact',
  width: '34%',
  sortKey: 'email',
  cell: (contact) => {
    const name = contactName(contact)
    return (
      <div className={classes.person}>
        <Link to={`/contacts/${contact.id}`} className={classes.name}>
          {name}
        </Link>
        {contact.email !== null && contact.email !== name && <span className={classes.address}>{contact.email}</span>}
      </div>
    )
  },
}

const KNOWN_COLUMNS: readonly Column<Contact>[] = [
  {
    id: 'subjectId',
    head: 'Your id',
    cell: ({ subjectId }) => (subjectId === null ? none : <span className={classes.id}>{subjectId}</span>),
  },
  { id: 'phone', head: 'Phone', cell: ({ phone }) => phone ?? none },
  { id: 'tags', head: 'Tags', cell: ({ tags }) => (tags.length === 0 ? none : <TagNames names={tags} />) },
  { id: 'mail', head: 'Mail', width: '150px', cell: (contact) => mailStanding(contact) ?? none },
  { id: 'timeZone', head: 'Time zone', cell: ({ timeZone }) => timeZone ?? none },
]
const TIME_COLUMNS: readonly Column<Contact>[] = [
  {
    id: 'created',
    head: 'Created',
    sortKey: 'id',
    width: '130px',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'updated',
    head: 'Changed',
    sortKey: 'updatedAt',
    width: '130px',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
]

export const CONTACT_ORDERS = [
  { value: 'id', label: 'Oldest first' },
  { value: '-id', label: 'Newest first' },
  { value: 'email', label: 'By email' },
  { value: '-email', label: 'By email, backwards' },
  { value: '-updatedAt', label: 'Changed last first' },
  { value: 'updatedAt', label: 'Changed last last' },
] as const
export type ContactOrder = (typeof CONTACT_ORDERS)[number]['value']

/** The order that the address has, or that of the list by itself. */
export function orderOf(sort: string): ContactOrder {
  return CONTACT_ORDERS.find(({ value }) => value === sort)?.value ?? 'id'
}

export const COLUMNS_BY_DEFAULT = 'subjectId,tags,mail,created'

/** Columns that may be chosen: what every contact has, and the custom fields of the workspace. */
export function choosableColumns(fields: readonly SiteCustomField[]): {
  known: readonly Column<Contact>[]
  custom: readonly Column<Contact>[]
} {
  const all = {
    id: 'fields',
    head: 'All custom fields',
    cell: (contact: Contact) => fieldsText(contact, fields) || none,
  }
  const custom = fields.length === 0 ? [] : [...fields.map(fieldColumn), all]
  return { known: [...KNOWN_COLUMNS, ...TIME_COLUMNS], custom }
}

/** The columns of the list; `chosen` as the address has it: ids with commas between. */
export function columnsOf(chosen: string, fields: readonly SiteCustomField[]): Column<Contact>[] {
  const ids = new Set(chosen.split(','))
  const columns = [...KNOWN_COLUMNS, ...choosableColumns(fields).custom, ...TIME_COLUMNS]
  return [PERSON, ...columns.filter(({ id }) => ids.has(id))]
}

/** A field's column is known by its id, which stays when the field is renamed. */
function fieldColumn(field: SiteCustomField): Column<Contact> {
  return {
    id: `field-${field.id}`,
    head: field.name,
    numeric: field.type === 'number',
    cell: (contact) => toldText(valueIn(contact, field)) || none,
  }
}

/** While a field's key changes, some have its value by the key before. */
function valueIn({ customFields }: Contact, { key, previousKey }: SiteCustomField): unknown {
  return customFields[key] ?? (previousKey === null ? null : customFields[previousKey]) ?? null
}

const TAGS_SHOWN = 3

/** Some of a person's tags, who may have fifty: their row is as high as others, and a long name keeps to its line. Each is read in the direction of its own script. */
function TagNames({ names }: { names: readonly string[] }) {
  const more = names.length - TAGS_SHOWN
  return (
    <span className={classes.tagNames}>
      {names.slice(0, TAGS_SHOWN).map((name, n) => (
        <Fragment key={name}>
          {n > 0 && ' '}
          <span>
            <bdi>{name}</bdi>
            {n < names.length - 1 && n < TAGS_SHOWN - 1 && ','}
          </span>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </span>
  )
}

const FIELDS_SHOWN = 3

function fieldsText({ customFields }: Contact, fields: readonly SiteCustomField[]): string {
  const entries = Object.entries(customFields)
  const nameOf = (key: string) => fields.find((field) => field.key === key || field.previousKey === key)?.name ?? key
  const shown = entries.slice(0, FIELDS_SHOWN).map(([key, value]) => `${nameOf(key)}: ${toldText(value)}`)
  const more = entries.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
