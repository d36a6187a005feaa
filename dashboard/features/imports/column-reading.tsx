import type { SiteCustomField } from '../../lib/site-types.ts'
import { Select } from '../../ui/controls.tsx'
import { type ColumnFormat, FORMATS_OF, formatFor, type ImportColumn } from './column-formats.ts'
import { Samples } from './column-samples.tsx'
import classes from './imports.module.css'

const FORMATS: Readonly<Record<ColumnFormat, string>> = {
  text: 'as text',
  date_dmy: 'day, month, year',
  date_mdy: 'month, day, year',
  date_ymd: 'year, month, day',
  number_comma: 'number, 1.234,50',
  number_point: 'number, 1,234.50',
  boolean: 'yes or no',
}
const KINDS: Readonly<Record<SiteCustomField['type'], string>> = {
  string: 'text',
  number: 'numbers',
  boolean: 'yes and no',
  datetime: 'times',
  date: 'dates',
}
const READ_BY_FORMAT = /^(custom:|consent:(optIn|confirm)Time$)/

type Props = {
  column: ImportColumn
  target: string
  /** The field there is that the column goes to. */
  field: SiteCustomField | undefined
  format: ColumnFormat
  onChange: (format: ColumnFormat) => void
}

/** How the values of a column will be read, as the type of its field or their own look has it, and what becomes of those that do not fit. */
export function ColumnReading({ column, target, field, format, onChange }: Props) {
  if (!READ_BY_FORMAT.test(target) || column.samples.length === 0) return null
  const found = Object.keys(column.readings) as ColumnFormat[]
  if (field !== undefined && field.type !== 'string' && !FORMATS_OF[field.type].some((one) => found.includes(one)))
    return (
      <div className={classes.reading}>
        <Misfit field={field} />
      </div>
    )
  const choices = (['text', ...found] as const).filter((one) => !field || FORMATS_OF[field.type].includes(one))
  if (found.length === 0) return null
  const read = column.readings[format]
  return (
    <div className={classes.reading}>
      {choices.length > 1 && (
        <Select
          id={`format-${column.name}`}
          label={`How ${column.name} is written`}
          hideLabel
          value={format}
          options={choices.map((value) => ({ value, label: FORMATS[value] }))}
          onChange={(event) => onChange(event.currentTarget.value as ColumnFormat)}
        />
      )}
      <span className="soft">
        {read ? 'read as ' : 'kept as it stands'}
        {read && <Samples values={read} />}
      </span>
      {format !== 'text' && target.startsWith('custom:') && <Others field={field} />}
      {isGuessed(column, field, format) && <strong>Look: it could be the other way round.</strong>}
    </div>
  )
}

/** Values of which none is of the type that their field has. */
function Misfit({ field }: { field: SiteCustomField }) {
  const kind = KINDS[field.type]
  return (
    <strong>
      {field.name} is for {kind}, and these values are none.{' '}
      {field.declared ? 'Rows with them fail.' : `They stay text, and rules for ${kind} do not find them.`}
    </strong>
  )
}

function Others({ field }: { field: SiteCustomField | undefined }) {
  return (
    <span className="soft">
      {field?.declared ? 'A row with any other value fails.' : 'Any other value stays text.'}
    </span>
  )
}

/** Of two ways to read a column that differ, one was taken without a reason. */
function isGuessed(column: ImportColumn, field: SiteCustomField | undefined, format: ColumnFormat): boolean {
  if (format !== formatFor(column, field)) return false
  if (format === column.format) return !column.isSure
  const readings = (field ? FORMATS_OF[field.type] : []).flatMap((one) => column.readings[one]?.join('\n') ?? [])
  return new Set(readings).size > 1
}
