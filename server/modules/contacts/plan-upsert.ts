import { isDeepStrictEqual } from 'node:util'
import { ALIASES, type Alias, CONTACT_FIELD_NAMES, type ContactField } from '../../catalogue/contact-fields.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { FieldError } from '../../platform/problem.ts'
import { customFieldsFault } from './contact-fields.ts'
import { BLANK_FIELDS, type ContactRow, type ContactValues } from './queries.ts'
import type { UpsertMode } from './schemas.ts'

/**
 * Facts about one person: core fields, normalised, and custom fields to merge; null removes a key, and clears a field where
 * items overwrite.
 */
export type ContactItem = {
  fields: Partial<Record<ContactField, string | null>>
  customFields: Record<string, unknown>
}

/** An item held to the declared custom fields, which may have found a fault. */
type CheckedItem = ContactItem & {
  fault?: FieldError | undefined
  /** Given where custom fields fill blanks only: the keys under which contacts may still have those that are being renamed. */
  formerKeys?: ReadonlyMap<string, string> | undefined
}

/** A contact as it will be: `id` and `stored` are null while it is to be created. */
export type PlannedContact = { id: string | null; stored: ContactValues | null; values: ContactValues }

/** `changed` names the fields that the item changes. */
export type Planned = { created: boolean; contact: PlannedContact; changed: string[] } | { fault: FieldError }

/**
 * Decides what each item does to the stored contacts, as if they were done one after another: the first alias that hits
 * wins, core fields fill blanks or overwrite, custom fields merge key by key and the new value wins, unless they fill blanks. `stored` must hold
 * every contact that has an alias of any item. Pure; the contacts to write are the distinct ones of the answer.
 */
export function planUpsert(
  stored: readonly ContactRow[],
  items: readonly CheckedItem[],
  mode: UpsertMode = 'fill',
): Planned[] {
  const index = Object.fromEntries(ALIASES.map((alias) => [alias, new Map()])) as AliasIndex
  for (const row of stored) {
    const contact = { id: row.id, stored: row, values: row }
    for (const alias of ALIASES) if (row[alias] !== null) index[alias].set(row[alias], contact)
  }
  return items.map((item) => (item.fault ? { fault: item.fault } : planItem(index, item, mode)))
}

/** The fields of a planned contact that differ from what is stored of it. */
export function changesOf({ stored, values }: PlannedContact): string[] {
  if (stored === null) return []
  const fields: string[] = CONTACT_FIELD_NAMES.filter((field) => stored[field] !== values[field])
  const isSame = stored.customFields === values.customFields || isSameJson(stored.customFields, values.customFields)
  return isSame ? fields : [...fields, 'customFields']
}

function isSameJson(one: string, other: string): boolean {
  return isDeepStrictEqual(parseExactJson(one), parseExactJson(other))
}

type AliasIndex = Record<Alias, Map<string, PlannedContact>>

export const ALIAS_TAKEN = 'belongs to another contact of this workspace'

function planItem(index: AliasIndex, item: CheckedItem, mode: UpsertMode): Planned {
  const hit = ALIASES.map((alias) => index[alias].get(item.fields[alias] ?? '')).find(
    (contact) => contact !== undefined,
  )
  const contact = hit ?? { id: null, stored: null, values: BLANK }
  const { values } = contact
  const written = CONTACT_FIELD_NAMES.filter((field) => {
    const given = item.fields[field]
    return given !== undefined && given !== values[field] && (mode === 'overwrite' || values[field] === null)
  })
  const renamed = ALIASES.filter((alias) => written.includes(alias))
  for (const alias of renamed) {
    if (index[alias].has(item.fields[alias] ?? '')) return { fault: { pointer: `/${alias}`, detail: ALIAS_TAKEN } }
  }
  const customFields = mergedOrSame(contact.values.customFields, changeOf(values.customFields, item))
  if (typeof customFields === 'object') return { fault: customFields }
  const merges = customFields !== values.customFields
  contact.values = { ...values, customFields }
  for (const field of written) contact.values[field] = item.fields[field] ?? null
  for (const alias of renamed) {
    index[alias].delete(values[alias] ?? '')
    if (item.fields[alias]) index[alias].set(item.fields[alias], contact)
  }
  return { created: hit === undefined, contact, changed: [...written, ...(merges ? ['customFields'] : [])] }
}

/** The change of an item's custom fields that there is left of it where it fills blanks. */
function changeOf(current: string, { customFields, formerKeys }: CheckedItem): Record<string, unknown> {
  if (formerKeys === undefined) return customFields
  const known = parseExactJson(current) as Record<string, unknown>
  const isKnown = (key: string | undefined) => key !== undefined && Object.hasOwn(known, key)
  return Object.fromEntries(
    Object.entries(customFields).filter(
      ([key, value]) => value !== null && !isKnown(key) && !isKnown(formerKeys.get(key)),
    ),
  )
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
