import type { SiteCustomField } from '../../lib/site-types.ts'

export type FieldType = SiteCustomField['type']

export const TYPES: Readonly<Record<FieldType, string>> = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  datetime: 'Time',
  date: 'Date or birthday',
}

export const TYPE_OPTIONS = Object.entries(TYPES).map(([value, label]) => ({ value, label }))
