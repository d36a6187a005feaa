import type { ContactImport, SiteCustomField } from '../../lib/site-types.ts'

export type ImportColumn = ContactImport['columns'][number]
export type ColumnFormat = ImportColumn['format']
type FieldType = SiteCustomField['type']

export const CUSTOM = 'custom:'

/** Formats whose values are of a type; the first is taken where nothing tells more. */
export const FORMATS_OF: Readonly<Record<FieldType, readonly ColumnFormat[]>> = {
  string: ['text'],
  number: ['number_point', 'number_comma'],
  boolean: ['boolean'],
  datetime: ['date_ymd', 'date_dmy', 'date_mdy'],
  date: ['date_ymd', 'date_dmy', 'date_mdy'],
}

/** The field that is there already and that a column goes to. */
export function fieldOf(target: string, fields: readonly SiteCustomField[]): SiteCustomField | undefined {
  return target.startsWith(CUSTOM) ? fields.find(({ key }) => key === target.slice(CUSTOM.length)) : undefined
}

/** As the import reads a column by itself: by the type of the field that it goes to, else as its values are written. */
export function formatFor(column: ImportColumn, field: SiteCustomField | undefined): ColumnFormat {
  if (field === undefined) return column.format
  const fitting = FORMATS_OF[field.type]
  if (fitting.includes(column.format)) return column.format
  return fitting.find((format) => column.readings[format] !== undefined) ?? fitting[0]!
}
