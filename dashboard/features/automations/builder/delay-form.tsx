import { wordsOf } from '../../../lib/format.ts'
import { sentence } from '../../../lib/sentence.ts'
import { Checkbox, Select } from '../../../ui/controls.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { text } from '../flow-node.ts'
import classes from './builder.module.css'
import type { FormProps } from './step-form.tsx'
import { WholeField } from './whole-field.tsx'

const UNITS = ['minutes', 'hours', 'days', 'weeks', 'months'] as const
const ALL_UNITS = ['months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const
const DAYS = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' } as const
const NINE = '09:00'

/** How long, and until which time of day or weekday, by the person's own clock. */
export function DelayForm({ node, faultAt, change }: FormProps) {
  const given = ALL_UNITS.filter((unit) => node[unit] !== undefined)
  const on = Array.isArray(node.on) ? (node.on as string[]) : []
  const [unit] = given
  const at = text(node.at)
  const fault = ALL_UNITS.map((one) => faultAt(`/${one}`)).find((one) => one !== undefined)
  // What ends at a time of day, or on a weekday, may have no time before it.
  const min = at !== '' || on.length > 0 ? 0 : 1
  const cleared = Object.fromEntries(ALL_UNITS.map((one) => [one, undefined]))
  return (
    <>
      {given.length > 1 ? (
        <div className={classes.line}>
          {given.map((one) => (
            <WholeField
              key={one}
              label={wordsOf(one)}
              min={0}
              value={text(node[one])}
              onChange={(count) => change({ [one]: count })}
            />
          ))}
        </div>
      ) : (
        <div className={classes.line}>
          <WholeField
            label="Wait for"
            min={min}
            value={unit === undefined ? '0' : text(node[unit])}
            fault={fault && sentence(fault)}
            onChange={(count) => change({ ...cleared, [unit ?? 'days']: count === 0 && at !== '' ? undefined : count })}
          />
          <Select
            id="delay-unit"
            label="Unit of the wait"
            hideLabel
            value={unit ?? 'days'}
            options={(unit === 'seconds' ? ALL_UNITS : UNITS).map((value) => ({ value, label: value }))}
            onChange={(event) =>
              change({ ...cleared, [event.currentTarget.value]: unit === undefined ? min : node[unit] })
            }
          />
        </div>
      )}
      <Switch
        label="Then until a time of day"
        description="By the person's own clock."
        checked={at !== ''}
        onChange={(event) => change({ at: event.currentTarget.checked ? NINE : undefined })}
      />
      {at !== '' && (
        <TextField
          label="Time of day"
          type="time"
          value={at}
          error={faultAt('/at')}
          onChange={(event) => change({ at: event.currentTarget.value })}
        />
      )}
      <fieldset className={classes.days}>
        <legend className="field-label">Ends only on</legend>
        {Object.entries(DAYS).map(([day, label]) => (
          <Checkbox
            key={day}
            label={label}
            checked={on.includes(day)}
            onChange={(event) => {
              const days = Object.keys(DAYS).filter((one) =>
                one === day ? event.currentTarget.checked : on.includes(one),
              )
              change({ on: days.length === 0 ? undefined : days })
            }}
          />
        ))}
      </fieldset>
    </>
  )
}
