import { useState } from 'react'
import { localText, ZONE } from '../../../lib/local-time.ts'
import { Select } from '../../../ui/controls.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { DurationField } from '../builder/duration-field.tsx'
import { dateOf, isDate, spanTo, utcOf } from './scenario.ts'
import classes from './scenarios.module.css'

type Props = {
  /** What it is the moment of. */
  place: string
  at: string
  /** When the scenario begins. */
  start: string
  /** What has gone to somebody already is so long before the beginning. */
  mayBeBefore: boolean
  onChange: (at: string) => void
}

const DATE = 'date'
const AFTER = [
  { value: '', label: 'after the start' },
  { value: DATE, label: 'on a date' },
]
const AROUND = [
  { value: '-', label: 'before the start' },
  { value: '', label: 'after the start' },
  { value: DATE, label: 'on a date' },
]

/** So long after the beginning of a scenario, or a date and time of its own. */
export function MomentField({ place, at, start, mayBeBefore, onChange }: Props) {
  const side = at.startsWith('-') ? '-' : ''
  const span = at.slice(side.length)
  const turn = (to: string) => {
    if (to === DATE) onChange(dateOf(start, at))
    else onChange(to + (isDate(at) ? spanTo(start, at) : span))
  }
  return (
    <div className={classes.moment}>
      {isDate(at) ? (
        <DateField at={at} onChange={onChange} />
      ) : (
        <DurationField
          label={mayBeBefore ? 'How long before or after' : 'How long after the start'}
          value={span}
          min={0}
          fault={undefined}
          onChange={(next) => onChange(side + next)}
        />
      )}
      <Select
        label={`${place}: counted how`}
        hideLabel
        options={mayBeBefore ? AROUND : AFTER}
        value={isDate(at) ? DATE : side}
        onChange={({ currentTarget }) => turn(currentTarget.value)}
      />
    </div>
  )
}

function DateField({ at, onChange }: Pick<Props, 'at' | 'onChange'>) {
  // A date is no date while it is typed: it stands as it is until it is one.
  const [typed, setTyped] = useState('')
  const isTyped = typed === '' ? false : Number.isNaN(Date.parse(typed)) || Date.parse(typed) === Date.parse(at)
  return (
    <TextField
      type="datetime-local"
      label={`Date and time (${ZONE})`}
      value={isTyped ? typed : localText(new Date(at))}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        if (value !== '') onChange(utcOf(new Date(value)))
      }}
    />
  )
}
