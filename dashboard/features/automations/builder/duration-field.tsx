import { sentence } from '../../../lib/sentence.ts'
import { Select } from '../../../ui/controls.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import classes from './builder.module.css'
import { readDuration, UNITS, type Unit } from './duration.ts'
import { WholeField } from './whole-field.tsx'

type Props = {
  label: string
  value: string
  onChange: (duration: string) => void
  fault: string | undefined
  min?: number
}

/** A span of time as a number and its unit. One of several units is edited as it is written. */
export function DurationField({ label, value, onChange, fault, min = 1 }: Props) {
  const read = readDuration(value)
  const error = fault && sentence(fault)
  if (read === undefined) {
    return (
      <TextField
        label={label}
        placeholder="P3DT12H"
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  const { count, unit } = read
  const write = (next: number, one: Unit) => onChange(`${one.before}${next}${one.after}`)
  return (
    <div className={classes.line}>
      <WholeField label={label} min={min} value={String(count)} fault={error} onChange={(next) => write(next, unit)} />
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
