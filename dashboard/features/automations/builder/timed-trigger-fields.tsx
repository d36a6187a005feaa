import { useId } from 'react'
import { sentence } from '../../../lib/sentence.ts'
import { Checkbox, Select } from '../../../ui/controls.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { record, text } from '../flow-node.ts'
import { useSegments } from '../reference-names.ts'
import classes from './builder.module.css'
import { useDateFields } from './date-fields.ts'
import type { EventProps } from './event-fields.tsx'
import { faultAt } from './fault-places.ts'

type Props = Omit<EventProps, 'label' | 'matches'>

export const NEW_DATE = { date: '', repeat: 'yearly', at: '09:00' }
export const NEW_SCHEDULE = { schedule: { at: '09:00', on: ['mon'] }, segment: '' }

const WHEN = [
  { value: 'before', label: 'days before it' },
  { value: 'on', label: 'on the day itself' },
  { value: 'after', label: 'days after it' },
]
const REPEATS = [
  { value: 'yearly', label: 'Every year, as a birthday' },
  { value: 'once', label: 'Once, as the end of a contract' },
]
const LEAP_DAYS = [
  { value: 'feb28', label: '28 February' },
  { value: 'mar1', label: '1 March' },
]
export const WEEKDAYS = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' } as const

/** A day of each person that brings them in, by their own clock. */
export function DateTriggerFields({ value, pointer, faults, onChange }: Props) {
  const id = useId()
  const dates = useDateFields()
  const chosen = text(value.date)
  const days = Number(value.days ?? 0)
  const when = days < 0 ? 'before' : days > 0 ? 'after' : 'on'
  const at = (name: string) => {
    const fault = faultAt(faults, `${pointer}/${name}`)
    return fault && sentence(fault)
  }
  return (
    <>
      <Select
        id={`${id}-date`}
        label="Date of theirs"
        description="A custom field that is a date."
        value={chosen}
        error={at('date')}
        options={[
          { value: '', label: 'Choose a field' },
          ...(chosen === '' || dates.some(({ key }) => key === chosen) ? [] : [{ value: chosen, label: chosen }]),
          ...dates.map(({ key, name }) => ({ value: key, label: name })),
        ]}
        onChange={({ currentTarget }) => onChange({ date: currentTarget.value })}
      />
      <Select
        id={`${id}-repeat`}
        label="It comes"
        value={text(value.repeat) || 'once'}
        options={REPEATS}
        onChange={({ currentTarget }) => onChange({ repeat: currentTarget.value })}
      />
      <div className={classes.line}>
        {when !== 'on' && (
          <TextField
            label="They come in"
            type="number"
            min={1}
            max={366}
            value={String(Math.abs(days))}
            error={at('days')}
            onChange={({ currentTarget }) => {
              const count = Math.max(1, Math.floor(Number(currentTarget.value)))
              onChange({ days: when === 'before' ? -count : count })
            }}
          />
        )}
        <Select
          id={`${id}-when`}
          label={when === 'on' ? 'They come in' : 'Before or after'}
          hideLabel={when !== 'on'}
          value={when}
          options={WHEN}
          onChange={({ currentTarget: { value: next } }) => {
            const count = Math.max(1, Math.abs(days))
            onChange({ days: next === 'on' ? undefined : next === 'before' ? -count : count })
          }}
        />
      </div>
      <TextField
        label="At"
        description="By the person's own clock."
        type="time"
        value={text(value.at) || '09:00'}
        error={at('at')}
        onChange={({ currentTarget }) => onChange({ at: currentTarget.value })}
      />
      {text(value.repeat) === 'yearly' && (
        <Select
          id={`${id}-leap`}
          label="29 February is, in other years,"
          value={text(value.leapDay) || 'feb28'}
          options={LEAP_DAYS}
          onChange={({ currentTarget }) => onChange({ leapDay: currentTarget.value })}
        />
      )}
    </>
  )
}

/** Times at which all of a segment come in. */
export function ScheduleFields({ value, pointer, faults, onChange }: Props) {
  const id = useId()
  const segments = useSegments()
  const chosen = text(value.segment)
  const schedule = record(value.schedule)
  const on = Array.isArray(schedule.on) ? schedule.on.map(text) : []
  const isMonthly = schedule.day !== undefined && schedule.day !== null
  const put = (change: Record<string, unknown>) =>
    onChange({
      schedule: Object.fromEntries(Object.entries({ ...schedule, ...change }).filter(([, one]) => one !== undefined)),
    })
  const fault = faultAt(faults, `${pointer}/segment`)
  return (
    <>
      <Select
        id={`${id}-segment`}
        label="Segment"
        description="All who are in it at that time."
        value={chosen}
        error={fault && sentence(fault)}
        options={[
          { value: '', label: 'Choose a segment' },
          ...(chosen === '' || segments.some((one) => one.id === chosen)
            ? []
            : [{ value: chosen, label: `Segment ${chosen}` }]),
          ...segments.map(({ id: segment, name }) => ({ value: segment, label: name })),
        ]}
        onChange={({ currentTarget }) => onChange({ segment: currentTarget.value })}
      />
      <Select
        id={`${id}-rhythm`}
        label="How often"
        value={isMonthly ? 'monthly' : 'weekly'}
        options={[
          { value: 'weekly', label: 'On days of the week' },
          { value: 'monthly', label: 'Once a month' },
        ]}
        onChange={({ currentTarget }) =>
          put(currentTarget.value === 'monthly' ? { on: undefined, day: 1 } : { on: ['mon'], day: undefined })
        }
      />
      {isMonthly ? (
        <TextField
          label="Day of the month"
          type="number"
          min={1}
          max={28}
          value={text(schedule.day)}
          onChange={({ currentTarget }) => put({ day: Math.floor(Number(currentTarget.value)) })}
        />
      ) : (
        <fieldset className={classes.days}>
          <legend className="field-label">On (none: every day)</legend>
          {Object.entries(WEEKDAYS).map(([day, label]) => (
            <Checkbox
              key={day}
              label={label}
              checked={on.includes(day)}
              onChange={(event) => {
                const isChecked = event.currentTarget.checked
                const days = Object.keys(WEEKDAYS).filter((one) => (one === day ? isChecked : on.includes(one)))
                put({ on: days.length === 0 ? undefined : days })
              }}
            />
          ))}
        </fieldset>
      )}
      <TextField
        label="At"
        description="By the clock of the automation's zone, which is among its settings."
        type="time"
        value={text(schedule.at) || '09:00'}
        onChange={({ currentTarget }) => put({ at: currentTarget.value })}
      />
    </>
  )
}
