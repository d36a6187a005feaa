import type { SendingSettings } from '../../lib/site-types.ts'
import { zoneOptions } from '../../lib/zone-options.ts'
import { Select } from '../../ui/controls.tsx'
import { TextField } from '../../ui/text-field.tsx'

export type QuietHours = NonNullable<SendingSettings['quietHours']>
export type FrequencyCap = NonNullable<SendingSettings['frequencyCap']>

const HOURS_A_DAY = 24
export const NEW_CAP: FrequencyCap = { messages: 3, days: 7, waitHours: 3 * HOURS_A_DAY }
export const newQuietHours = (): QuietHours => ({
  ...{ from: '21:00', until: '08:00' },
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

type Fields<T> = {
  value: T
  readOnly?: boolean
  faultAt: (name: keyof T) => string | undefined
  onChange: (part: Partial<T>) => void
}

export function QuietFields({ value, readOnly, faultAt, onChange }: Fields<QuietHours>) {
  const time = (name: 'from' | 'until', label: string) => (
    <TextField
      label={label}
      type="time"
      required
      value={value[name]}
      error={faultAt(name)}
      readOnly={readOnly}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      {time('from', 'Quiet from')}
      {time('until', 'Quiet until')}
      <Select
        id="quiet-zone"
        label="Time zone of people who have none"
        value={value.zone}
        disabled={readOnly}
        error={faultAt('zone')}
        options={zoneOptions(value.zone)}
        onChange={(event) => onChange({ zone: event.currentTarget.value })}
      />
    </>
  )
}

export function CapFields({ value, readOnly, faultAt, onChange }: Fields<FrequencyCap>) {
  const number = (name: keyof FrequencyCap, label: string, { min, max }: { min: number; max: number }) => (
    <TextField
      {...{ label, min, max }}
      type="number"
      required
      value={String(value[name])}
      error={faultAt(name)}
      readOnly={readOnly}
      onChange={(event) => onChange({ [name]: Math.floor(Number(event.currentTarget.value)) })}
    />
  )
  return (
    <>
      {number('messages', 'Mails at most', { min: 1, max: 100 })}
      {number('days', 'Within days', { min: 1, max: 30 })}
      {number('waitHours', 'Hours that a mail waits for room', { min: 0, max: 336 })}
    </>
  )
}
