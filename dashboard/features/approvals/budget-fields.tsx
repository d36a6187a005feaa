import type { SendPolicy } from '../../lib/site-types.ts'
import { zoneOptions } from '../../lib/zone-options.ts'
import { Checkbox, Select } from '../../ui/controls.tsx'
import type { FormFaults } from '../../ui/form.ts'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useSegments } from '../automations/reference-names.ts'

export type Budget = NonNullable<SendPolicy['budget']>
type Hours = NonNullable<Budget['hours']>

/** Above so many people a send the person shows once more who they are. */
export const PASSWORD_FROM = 1_000
export const NEW_BUDGET: Budget = {
  ...{ recipientsPerSend: 500, recipientsPerDay: 1_000, sendsPerDay: 5 },
  ...{ segmentIds: null, hours: null },
}
const newHours = (): Hours => ({
  ...{ from: '09:00', until: '17:00' },
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

type Props = { value: Budget; faults: FormFaults; onChange: (budget: Budget) => void }

/** How much a token sends without anybody being asked, to whom and when. */
export function BudgetFields({ value, faults, onChange }: Props) {
  const edit = (part: Partial<Budget>) => onChange({ ...value, ...part })
  const number = (name: 'recipientsPerSend' | 'recipientsPerDay' | 'sendsPerDay', label: string) => (
    <TextField
      label={label}
      type="number"
      min={1}
      required
      value={String(value[name] || '')}
      error={faults.at(`/budget/${name}`)}
      onChange={(event) => edit({ [name]: Number(event.currentTarget.value) })}
    />
  )
  return (
    <>
      <p className="soft">Broadcasts and mails to one contact. Automations are always asked for.</p>
      {number('recipientsPerSend', 'People of one broadcast, at most')}
      {number('recipientsPerDay', 'People in 24 hours, at most')}
      {number('sendsPerDay', 'Sends in 24 hours, at most')}
      <SegmentsOf value={value} faults={faults} onChange={(segmentIds) => edit({ segmentIds })} />
      <Switch
        label="At certain hours alone"
        checked={value.hours !== null}
        onChange={(event) => edit({ hours: event.currentTarget.checked ? newHours() : null })}
      />
      {value.hours && <HourFields value={value.hours} faults={faults} onChange={(hours) => edit({ hours })} />}
    </>
  )
}

type OfSegments = { value: Budget; faults: FormFaults; onChange: (ids: string[] | null) => void }

function SegmentsOf({ value: { segmentIds }, faults, onChange }: OfSegments) {
  const segments = useSegments()
  const [first] = segments
  if (first === undefined && segmentIds === null) return null
  const chosen = segmentIds ?? []
  const toggled = (id: string) => (chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <>
      <Switch
        label="To people of certain segments alone"
        checked={segmentIds !== null}
        onChange={(event) => onChange(event.currentTarget.checked && first ? [first.id] : null)}
      />
      {segmentIds !== null &&
        segments.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={chosen.includes(id)}
            disabled={chosen.length === 1 && chosen[0] === id}
            onChange={() => onChange(toggled(id))}
          />
        ))}
      {faults.at('/budget/segmentIds') !== undefined && <p role="alert">{faults.at('/budget/segmentIds')}</p>}
    </>
  )
}

type OfHours = { value: Hours; faults: FormFaults; onChange: (hours: Hours) => void }

function HourFields({ value, faults, onChange }: OfHours) {
  const time = (name: 'from' | 'until', label: string) => (
    <TextField
      label={label}
      type="time"
      required
      value={value[name]}
      error={faults.at(`/budget/hours/${name}`)}
      onChange={(event) => onChange({ ...value, [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      {time('from', 'From')}
      {time('until', 'Until')}
      <Select
        label="Time zone"
        value={value.zone}
        error={faults.at('/budget/hours/zone')}
        options={zoneOptions(value.zone)}
        onChange={(event) => onChange({ ...value, zone: event.currentTarget.value })}
      />
    </>
  )
}
