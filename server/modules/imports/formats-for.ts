import type { Transaction } from '../../platform/db/transaction.ts'
import { fieldsNamed } from '../custom-fields/fields-named.ts'
import { inferType } from '../custom-fields/fit-value.ts'
import { addInferredFields, type FieldType } from '../custom-fields/take-custom-fields.ts'
import type { ColumnFormat } from './column-format.ts'
import type { Column } from './csv-shape.ts'
import { CUSTOM, type Mapping } from './mapping.ts'
import type { StartBody } from './schemas.ts'

/** Formats whose values are of a type; where none is known to fit, the first reads what is written as programs write it. */
export const FORMATS_OF: Readonly<Record<FieldType, readonly ColumnFormat[]>> = {
  string: ['text'],
  number: ['number_point', 'number_comma'],
  boolean: ['boolean'],
  datetime: ['date_ymd', 'date_dmy', 'date_mdy'],
  date: ['date_ymd', 'date_dmy', 'date_mdy'],
}

type Choice = { mapping: Mapping; columns: readonly Column[]; given: StartBody['formats'] }

/**
 * The formats that columns are read by: as given, else as the type of the field has it that a column goes to, else as found.
 * A field that is new with the import gets the type of its column's format: a first value that is not written so does not decide. It
 * is named as its column, where its key says the same.
 */
export async function formatsFor(
  tx: Transaction,
  workspaceId: string,
  { mapping, columns, given = {} }: Choice,
): Promise<Record<string, ColumnFormat>> {
  const keyOf = (name: string) => {
    const target = Object.hasOwn(mapping, name) ? mapping[name]! : ''
    return target.startsWith(CUSTOM) ? target.slice(CUSTOM.length) : undefined
  }
  const keys = columns.flatMap(({ name }) => keyOf(name) ?? [])
  const rules = await fieldsNamed(tx, workspaceId, keys)
  const formats: Record<string, ColumnFormat> = {}
  const added: { key: string; name: string; type: FieldType }[] = []
  for (const column of columns) {
    const key = keyOf(column.name)
    const type = key === undefined ? undefined : rules.get(key)?.type
    const format = (Object.hasOwn(given, column.name) ? given[column.name] : undefined) ?? formatFor(column, type)
    if (format !== 'text') formats[column.name] = format
    if (key === undefined || type !== undefined) continue
    const found = typeOf(column, format)
    if (found !== undefined)
      added.push({ key, name: alike(column.name) === alike(key) ? column.name : key, type: found })
  }
  await addInferredFields(tx, workspaceId, added)
  return formats
}

function formatFor(column: Column, type: FieldType | undefined): ColumnFormat {
  // Looked at by an earlier version, a column has neither.
  const { format = 'text', readings = {} } = column as Partial<Column>
  if (type === undefined) return format
  const fitting = FORMATS_OF[type]
  if (fitting.includes(format)) return format
  return fitting.find((one) => readings[one] !== undefined) ?? fitting[0]!
}

/** `Member since` as a key is made of it. */
const alike = (name: string) =>
  name
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join('_')

/** Undefined for a column of texts that has none among its first values: the first that comes decides. */
function typeOf({ readings, samples }: Column, format: ColumnFormat): FieldType | undefined {
  if (format === 'text') {
    const first = samples.find((value) => value !== '')
    return first === undefined ? undefined : inferType(first)
  }
  if (format === 'boolean') return 'boolean'
  if (!format.startsWith('date')) return 'number'
  return readings?.[format]?.some((value) => inferType(value) === 'datetime') ? 'datetime' : 'date'
}
