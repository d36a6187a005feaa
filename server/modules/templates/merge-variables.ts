import { MERGE_FIELDS, type MergeField } from '../../catalogue/contact-fields.ts'

/** The fields of a contact that a template can name. */
export type MergeContact = Readonly<Record<MergeField, string | null>> & {
  customFields: Readonly<Record<string, unknown>>
}

/** Somebody of whom nothing but the address is known. */
export function strangerAt(email: string): MergeContact {
  const blank = Object.fromEntries(MERGE_FIELDS.map(({ name }) => [name, null])) as Record<MergeField, null>
  return { ...blank, email, customFields: {} }
}

export type MergeExtras = {
  unsubscribeUrl: string
  preferencesUrl: string
  /** Variables from the caller of a transactional mail; they win over everything. */
  variables?: Readonly<Record<string, unknown>>
}

/**
 * The variables of one message: the contact's custom fields by key, then its core fields that a template can name
 * (`email`, `first_name`, `last_name`: decisions 11), `unsubscribe_url`, `preferences_url`, then the call's own. Without a contact, or where it has no value, a name is empty.
 */
export function mergeVariables(contact: MergeContact | null, extras: MergeExtras): Record<string, unknown> {
  const merged: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(contact?.customFields ?? {})) merged[key] = plain(value)
  for (const { name, column } of MERGE_FIELDS) merged[column] = contact?.[name] ?? ''
  merged.unsubscribe_url = extras.unsubscribeUrl
  merged.preferences_url = extras.preferencesUrl
  for (const [key, value] of Object.entries(extras.variables ?? {})) merged[key] = plain(value)
  return merged
}

/** Numbers that no double holds arrive as their digits (`exact-json.ts`); a template writes these. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (JSON.isRawJSON(value)) return value.rawJSON
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}
