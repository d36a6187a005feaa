import type { ContactImport } from '../../lib/site-types.ts'
import { Select } from '../../ui/controls.tsx'
import { Samples } from './column-samples.tsx'
import classes from './imports.module.css'

type Column = ContactImport['columns'][number]
export type ColumnFormat = Column['format']

const FORMATS: Readonly<Record<ColumnFormat, string>> = {
  text: 'as text',
  date_dmy: 'day, month, year',
  date_mdy: 'month, day, year',
  date_ymd: 'year, month, day',
  number_comma: 'number, 1.234,50',
  number_point: 'number, 1,234.50',
  boolean: 'yes or no',
}
const READ_BY_FORMAT = /^(custom:|consent:(optIn|confirm)Time$)/

type Props = { column: Column; target: string; format: ColumnFormat; onChange: (format: ColumnFormat) => void }

/** How the values of a column will be read, where they could be read in more than one way. */
export function ColumnReading({ column, target, format, onChange }: Props) {
  const choices = Object.keys(column.readings) as ColumnFormat[]
  if (choices.length === 0 || !READ_BY_FORMAT.test(target)) return null
  const read = column.readings[format]
  return (
    <div className={classes.reading}>
      <Select
        id={`format-${column.name}`}
        label={`How ${column.name} is written`}
        hideLabel
        value={format}
        options={(['text', ...choices] as const).map((value) => ({ value, label: FORMATS[value] }))}
        onChange={(event) => onChange(event.currentTarget.value as ColumnFormat)}
      />
      <span className="soft">
        {read ? 'read as ' : 'kept as it stands'}
        {read && <Samples values={read} />}
      </span>
      {!column.isSure && format === column.format && <strong>Look: it could be the other way round.</strong>}
    </div>
  )
}
