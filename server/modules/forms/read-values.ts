import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { type FieldType, fitValue } from '../custom-fields/fit-value.ts'
import { CUSTOM } from './form-content.ts'
import type { FormField } from './schemas.ts'

/** The values that somebody filled in, as a contact will have them. */
export type FilledIn = {
  email: string
  firstName: string | null
  lastName: string | null
  phone: string | null
  customFields: Record<string, string>
}

export type FieldFault = { field: string; fault: 'required' | 'email' | 'long' | 'value' }

/** Phone numbers are an alias of contacts, and no longer than that. */
const PHONE_CHARS_MAX = 40

/**
 * Reads what was filled in, by the names of the form's fields; anything else that came along is left. `types` has the types of
 * declared custom fields, and of others nothing.
 */
export function readValues(
  fields: readonly FormField[],
  types: ReadonlyMap<string, FieldType>,
  given: Readonly<Record<string, unknown>>,
): { values: FilledIn; faults: FieldFault[] } {
  const values: FilledIn = { email: '', firstName: null, lastName: null, phone: null, customFields: {} }
  const faults: FieldFault[] = []
  for (const field of fields) {
    const text = textOf(Object.hasOwn(given, field.field) ? given[field.field] : undefined)
    const fault = faultOf(field, types, text)
    if (fault !== undefined) faults.push({ field: field.field, fault })
    else if (text) put(values, field.field, text)
  }
  return { values, faults }
}

/** Undefined for what is no text at all; '' for nothing. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' || JSON.isRawJSON(value)
    ? JSON.stringify(value)
    : undefined
}

function faultOf(
  { field, required, maxLength }: FormField,
  types: ReadonlyMap<string, FieldType>,
  text: string | undefined,
): FieldFault['fault'] | undefined {
  if (text === undefined || CONTROL_CHARACTER.test(text) || !text.isWellFormed()) return 'value'
  if (text === '') return required ? 'required' : undefined
  if (text.length > maxLength || (field === 'phone' && text.length > PHONE_CHARS_MAX)) return 'long'
  if (field === 'email') return normaliseEmail(text) === undefined ? 'email' : undefined
  const type = field.startsWith(CUSTOM) ? types.get(field.slice(CUSTOM.length)) : undefined
  return type !== undefined && fitValue(type, text) === undefined ? 'value' : undefined
}

function put(values: FilledIn, field: string, text: string): void {
  if (field === 'email') values.email = normaliseEmail(text)!
  else if (field === 'firstName' || field === 'lastName' || field === 'phone') values[field] = text
  else values.customFields[field.slice(CUSTOM.length)] = text
}
