import { CONTACT_FIELD_NAMES, type ContactField, FIELD_CHARS_MAX } from '../../catalogue/contact-fields.ts'
import { invalid } from '../../catalogue/problems.ts'
import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { type FieldError, pointerTo } from '../../platform/problem.ts'
import { timeZoneNamed } from '../../platform/time-zone.ts'
import { fieldKeyFault } from '../custom-fields/field-key.ts'
import { identifierFault, normaliseText } from './aliases.ts'
import type { ContactChange } from './schemas.ts'

const CUSTOM_FIELDS_MAX = 200
const CUSTOM_FIELDS_BYTES_MAX = 64 * 1024

export type FieldValues = Partial<Record<ContactField, string | null>>

/** Fields that are more than text: how they are stored, undefined for a value that is none. */
const readers: Partial<Record<ContactField, { read: (text: string) => string | undefined; fault: string }>> = {
  email: { read: normaliseEmail, fault: 'must be an email address' },
  timeZone: { read: timeZoneNamed, fault: 'must be an IANA time zone, such as Europe/Berlin' },
}

/** The core fields that a body states, trimmed and normalised; '' unsets. Throws a 400 naming every field at fault. */
export function readContactFields(body: ContactChange): FieldValues {
  const { change, errors } = checkContactFields(body)
  if (errors.length > 0) throw invalid(errors)
  return change
}

/** The same for one of many, whose faults are its own: every fault is answered, nothing is thrown. */
export function checkContactFields(body: ContactChange): { change: FieldValues; errors: FieldError[] } {
  const change: FieldValues = {}
  const errors: FieldError[] = []
  for (const field of CONTACT_FIELD_NAMES) {
    if (body[field] === undefined) continue
    const text = normaliseText(body[field])
    const value = text === null ? null : readers[field] ? readers[field].read(text) : text
    const fault = value === undefined ? readers[field]?.fault : value && identifierFault(value, FIELD_CHARS_MAX[field])
    if (fault) errors.push({ pointer: `/${field}`, detail: fault })
    change[field] = value ?? null
  }
  for (const key of Object.keys(body.customFields ?? {})) {
    const fault = fieldKeyFault(key)
    if (fault) errors.push({ pointer: pointerTo('customFields', key), detail: `the key ${fault}` })
  }
  return { change, errors }
}

/** Custom fields after a change: null clears them all, a null value removes its key. Throws a 400 when they are too many. */
export function mergeCustomFields(
  current: Record<string, unknown>,
  change: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  if (change === undefined) return current
  const merged: Record<string, unknown> = change === null ? {} : { ...current, ...change }
  for (const key of Object.keys(merged)) if (merged[key] === null) delete merged[key]
  const fault = customFieldsFault(merged)
  if (fault) throw invalid([fault])
  return merged
}

/** The fault of a contact's custom fields as a whole, or undefined. */
export function customFieldsFault(customFields: Record<string, unknown>): FieldError | undefined {
  const tooMany = Object.keys(customFields).length > CUSTOM_FIELDS_MAX
  const tooLong = writtenBytes(JSON.stringify(customFields)) > CUSTOM_FIELDS_BYTES_MAX
  if (!tooMany && !tooLong) return undefined
  const limit = tooMany ? `${CUSTOM_FIELDS_MAX} fields` : `${CUSTOM_FIELDS_BYTES_MAX} bytes as JSON`
  return { pointer: '/customFields', detail: `must have at most ${limit}` }
}
