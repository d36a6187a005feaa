import { MERGE_FIELDS, type MergeField } from '../../catalogue/contact-fields.ts'
import { assertNever } from '../../platform/assert-never.ts'
import type { FieldType } from '../custom-fields/fit-value.ts'
import type { MergeContact } from './merge-variables.ts'

/** A person who has a value for each custom field, so that a preview shows where it goes. */
export function sampleContact(fields: readonly { key: string; name: string; type: FieldType }[]): MergeContact {
  const core = Object.fromEntries(MERGE_FIELDS.map(({ name, mergeSample }) => [name, mergeSample]))
  return {
    ...(core as Record<MergeField, string>),
    customFields: Object.fromEntries(fields.map(({ key, name, type }) => [key, sampleValue(name, type)])),
  }
}

function sampleValue(name: string, type: FieldType): unknown {
  switch (type) {
    case 'string':
      return name
    case 'number':
      return 42
    case 'boolean':
      return true
    case 'datetime':
      return '2026-01-15T09:30:00Z'
    case 'date':
      return '1990-01-15'
    default:
      return assertNever(type)
  }
}
