import { useId } from 'react'
import { sentence } from '../../../lib/sentence.ts'
import { Select } from '../../../ui/controls.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { text } from '../flow-node.ts'
import classes from './builder.module.css'
import { useDateFields } from './date-fields.ts'
import type { EventProps } from './event-fields.tsx'
import { faultAt } from './fault-places.ts'

const TRIGGER = 'event.'
const UNITS = ['days', 'hours', 'minutes'] as const
type Unit = (typeof UNITS)[number]
const WHEN = [
  { value: 'on', label: 'exactly then' },
  ...UNITS.flatMap((unit) => [
    { value: `before ${unit}`, label: `${unit} before it` },
    { value: `after ${unit}`, label: `${unit} after it` },
  ]),
]
const REPEATS = [
  { value: 'once', label: 'Once, as an appointment' },
  { value: 'yearly', label: 'Every year, as a birthday' },
]

type Props = Omit<EventProps, 'label' | 'matches'> & { variables?: readonly string[] }

/** The moment that people wait for: a date of theirs or of what brought them in, or so long before or after it. */
export default function DatedWayFields({ value, pointer, faults, onChange, variables = [] }: Props) {
  const id = useId()
  const dates = useDateFields()
  const chosen = text(value.date)
  const isTriggers = chosen.startsWith(TRIGGER)
  const isListed = (date: string) =>
    dates.some(({ key }) => key === date) || variables.includes(date.replace(/^var\./, ''))
  const unit = UNITS.find((one) => Number(value[one] ?? 0) !== 0)
  const count = unit === undefined ? 0 : Number(value[unit])
  const at = (name: string) => {
    const fault = faultAt(faults, `${pointer}/${name}`)
    return fault && sentence(fault)
  }
  const shift = (to: string, by: number) => {
    const [side, next] = to.split(' ') as [string, Unit?]
    const none = { days: undefined, hours: undefined, minutes: undefined }
    onChange(next === undefined ? none : { ...none, [next]: side === 'before' ? -by : by })
  }
  const when = unit === undefined ? 'on' : `${count < 0 ? 'before' : 'after'} ${unit}`
  return (
    <>
      <Select
        id={`${id}-date`}
        label="The date"
        value={isTriggers ? TRIGGER : chosen}
        error={at('date')}
        options={[
          { value: '', label: 'Choose a date' },
          { value: TRIGGER, label: 'Of what brought them in…' },
          ...variables.map((name) => ({ value: `var.${name}`, label: `Variable ${name}` })),
          ...(chosen === '' || isTriggers || isListed(chosen) ? [] : [{ value: chosen, label: chosen }]),
          ...dates.map(({ key, name }) => ({ value: key, label: name })),
        ]}
        onChange={({ currentTarget }) => onChange({ date: currentTarget.value })}
      />
      {isTriggers && (
        <TextField
          label="Its property"
          description="A date such as 2026-05-17, or a moment such as 2026-05-17T18:30:00Z."
          placeholder="startsAt"
          value={chosen.slice(TRIGGER.length)}
          onChange={({ currentTarget }) => onChange({ date: TRIGGER + currentTarget.value })}
        />
      )}
      <Select
        id={`${id}-repeat`}
        label="It comes"
        value={text(value.repeat) || 'once'}
        options={REPEATS}
        onChange={({ currentTarget }) => onChange({ repeat: currentTarget.value })}
      />
      <div className={classes.line}>
        {unit !== undefined && (
          <TextField
            label="They go on"
            type="number"
            min={1}
            value={String(Math.abs(count))}
            error={at(unit)}
            onChange={({ currentTarget }) => shift(when, Math.max(1, Math.floor(Number(currentTarget.value))))}
          />
        )}
        <Select
          id={`${id}-when`}
          label={unit === undefined ? 'They go on' : 'Before or after'}
          hideLabel={unit !== undefined}
          value={when}
          options={WHEN}
          onChange={({ currentTarget }) => shift(currentTarget.value, Math.max(1, Math.abs(count)))}
        />
      </div>
      <TextField
        label="At"
        description="By the person's own clock. Empty: the time of the date; 09:00 where it has none."
        type="time"
        value={text(value.at)}
        error={at('at')}
        onChange={({ currentTarget }) => onChange({ at: currentTarget.value || undefined })}
      />
    </>
  )
}
