import { Select } from '../../../ui/controls.tsx'
import { sentence } from '../../../ui/form.ts'
import { TextField } from '../../../ui/text-field.tsx'
import classes from './builder.module.css'

/** Units of ISO 8601 with what stands around their number. */
const UNITS = [
  { value: 'minutes', label: 'minutes', before: 'PT', after: 'M' },
  { value: 'hours', label: 'hours', before: 'PT', after: 'H' },
  { value: 'days', label: 'days', before: 'P', after: 'D' },
  { value: 'weeks', label: 'weeks', before: 'P', after: 'W' },
  { value: 'months', label: 'months', before: 'P', after: 'M' },
] as const
const ONE_UNIT = /^P(?:(\d+)([DWM])|T(\d+)([HM]))$/

/** `PT2H` as two hours; undefined for what has no unit or several. */
export function readDuration(text: string): { count: number; unit: (typeof UNITS)[number] } | undefined {
  const [, days, dayUnit, hours, hourUnit] = ONE_UNIT.exec(text) ?? []
  const [before, after, count] = days === undefined ? ['PT', hourUnit, hours] : ['P', dayUnit, days]
  const unit = UNITS.find((one) => one.before === before && one.after === after)
  return unit && { count: Number(count), unit }
}

type Props = {
  label: string
  value: string
  onChange: (duration: string) => void
  fault: string | undefined
  description?: string
}

/** A span of time as a number and its unit. One of several units is edited as it is written. */
export function DurationField({ label, value, onChange, fault, description }: Props) {
  const read = readDuration(value)
  const error = fault && sentence(fault)
  if (read === undefined) {
    return (
      <TextField
        label={label}
        description={description}
        placeholder="P3DT12H"
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  const { count, unit } = read
  const write = (next: number, one: (typeof UNITS)[number]) => onChange(`${one.before}${next}${one.after}`)
  return (
    <div className={classes.line}>
      <TextField
        label={label}
        description={description}
        type="number"
        min={1}
        value={String(count)}
        error={error}
        onChange={(event) => write(Math.max(0, Math.floor(Number(event.currentTarget.value))), unit)}
      />
      <Select
        label={`Unit of ${label}`}
        hideLabel
        value={unit.value}
        options={UNITS}
        onChange={(event) => write(count, UNITS.find((one) => one.value === event.currentTarget.value) ?? unit)}
      />
    </div>
  )
}
