import { isDeepStrictEqual } from 'node:util'
import { ALIASES, type Alias, CONTACT_FIELD_NAMES, type ContactField } from '../../catalogue/contact-fields.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { FieldError } from '../../platform/problem.ts'
import { customFieldsFault } from './contact-fields.ts'
import { BLANK_FIELDS, type ContactRow, type ContactValues } from './queries.ts'

/** Facts about one person: the core fields that are set, normalised, and custom fields to merge; null removes a key. */
export type ContactItem = { fields: Partial<Record<ContactField, string>>; customFields: Record<string, unknown> }

/** An item held to the declared custom fields, which may have found a fault. */
type CheckedItem = ContactItem & { fault?: FieldError | undefined }

/** A contact as it will be: `id` is null while it is to be created, `changed` names what differs from the stored row. */
export type PlannedContact = { id: string | null; values: ContactValues; changed: Set<string> }

export type Planned = { created: boolean; contact: PlannedContact } | { fault: FieldError }

/**
 * Decides what each item does to the stored contacts, as if they were done one after another: the first alias that hits
 * wins, core fields fill blanks only, custom fields merge key by key and the new value wins. `stored` must hold every
 * contact that has an alias of any item. Pure; the contacts to write are the distinct ones of the answer.
 */
export function planUpsert(stored: readonly ContactRow[], items: readonly CheckedItem[]): Planned[] {
  const index = Object.fromEntries(ALIASES.map((alias) => [alias, new Map()])) as AliasIndex
  for (const row of stored) {
    const contact = { id: row.id, values: row, changed: new Set<string>() }
    for (const alias of ALIASES) if (row[alias] !== null) index[alias].set(row[alias], contact)
  }
  return items.map((item) => (item.fault ? { fault: item.fault } : planItem(index, item)))
}

type AliasIndex = Record<Alias, Map<string, PlannedContact>>

function planItem(index: AliasIndex, item: ContactItem): Planned {
  const hit = ALIASES.map((alias) => index[alias].get(item.fields[alias] ?? '')).find(
    (contact) => contact !== undefined,
  )
  const contact = hit ?? { id: null, values: BLANK, changed: new Set<string>() }
  const filled = CONTACT_FIELD_NAMES.filter(
    (field) => contact.values[field] === null && item.fields[field] !== undefined,
  )
  for (const alias of ALIASES) {
    if (filled.includes(alias) && index[alias].has(item.fields[alias] ?? '')) {
      return { fault: { pointer: `/${alias}`, detail: 'belongs to another contact of this workspace' } }
    }
  }
  const customFields = mergedOrSame(contact.values.customFields, item.customFields)
  if (typeof customFields === 'object') return { fault: customFields }
  const merges = customFields !== contact.values.customFields
  contact.values = { ...contact.values, customFields }
  for (const field of filled) contact.values[field] = item.fields[field] ?? null
  for (const field of [...filled, ...(merges ? ['customFields'] : [])]) contact.changed.add(field)
  for (const alias of ALIASES) if (filled.includes(alias)) index[alias].set(item.fields[alias] ?? '', contact)
  return { created: hit === undefined, contact }
}

const NOTHING = '{}'
const BLANK: ContactValues = { ...BLANK_FIELDS, customFields: NOTHING }

/** The custom fields with a change merged in, as JSON: the very same text when nothing differs. A fault if too many. */
function mergedOrSame(current: string, change: Record<string, unknown>): string | FieldError {
  const keys = Object.keys(change)
  if (keys.length === 0) return current
  const merged = current === NOTHING ? {} : { ...(parseExactJson(current) as Record<string, unknown>) }
  let differs = false
  for (const key of keys) {
    const value = change[key]
    if (value === null ? !Object.hasOwn(merged, key) : isDeepStrictEqual(merged[key], value)) continue
    differs = true
    if (value === null) delete merged[key]
    else merged[key] = value
  }
  if (!differs) return current
  return customFieldsFault(merged) ?? JSON.stringify(merged)
}
