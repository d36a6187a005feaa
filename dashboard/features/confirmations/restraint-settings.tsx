import { useCan } from '../../lib/permissions.ts'
import type { SendingSettings } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { type FormFaults, useFormFaults } from '../../ui/form.ts'
import { Shown } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { say } from '../../ui/toasts.tsx'
import { SettingsPanel } from '../workspaces/settings-panel.tsx'

type Restraints = Pick<SendingSettings, 'quietHours' | 'frequencyCap'>
type QuietHours = NonNullable<Restraints['quietHours']>
type FrequencyCap = NonNullable<Restraints['frequencyCap']>

const HOURS_A_DAY = 24
const NEW_CAP: FrequencyCap = { messages: 3, days: 7, waitHours: 3 * HOURS_A_DAY }
const newQuietHours = (): QuietHours => ({
  ...{ from: '21:00', until: '08:00' },
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

/** When marketing mail waits, and how much of it one person gets. */
export function RestraintSettingsPanel() {
  const settings = useSite('GET /sending-settings', {})
  return (
    <Shown read={settings} rows={4}>
      {(read) => <Settings saved={read} />}
    </Shown>
  )
}

function Settings({ saved }: { saved: SendingSettings }) {
  const canSave = useCan()('integrations:write')
  const { quietHours, frequencyCap } = saved
  const { values, changed, isChanged, edit, clear } = useEdits<Restraints>({ quietHours, frequencyCap })
  const faults = useFormFaults(['/quietHours', '/frequencyCap'])
  const change = useAct('PATCH /sending-settings', { changes: ['/sending-settings'] })
  const save = () =>
    change
      .mutateAsync({ body: changed })
      .then(() => {
        clear()
        say('Saved.')
      })
      .catch(faults.take)
  return (
    <SettingsPanel title="Consideration" {...{ faults, canSave, isChanged }} busy={change.isPending} onSave={save}>
      <p className="soft">
        For marketing mail, of broadcasts and automations together. What people need in any case goes at once.
      </p>
      <Switch
        label="Quiet hours: nobody is written to in their night"
        description="By the clock of each person. What is due then goes when they end."
        checked={values.quietHours !== null}
        disabled={!canSave}
        onChange={(event) => edit({ quietHours: event.currentTarget.checked ? newQuietHours() : null })}
      />
      {values.quietHours && (
        <QuietFields
          value={values.quietHours}
          {...{ faults, canSave }}
          onChange={(part) => edit({ quietHours: { ...values.quietHours!, ...part } })}
        />
      )}
      <Switch
        label="A limit to how much one person gets"
        description="What comes on top waits until there is room again, what matters most first."
        checked={values.frequencyCap !== null}
        disabled={!canSave}
        onChange={(event) => edit({ frequencyCap: event.currentTarget.checked ? NEW_CAP : null })}
      />
      {values.frequencyCap && (
        <CapFields
          value={values.frequencyCap}
          {...{ faults, canSave }}
          onChange={(part) => edit({ frequencyCap: { ...values.frequencyCap!, ...part } })}
        />
      )}
    </SettingsPanel>
  )
}

type Fields<T> = { value: T; faults: FormFaults; canSave: boolean; onChange: (part: Partial<T>) => void }

function QuietFields({ value, faults, canSave, onChange }: Fields<QuietHours>) {
  const time = (name: 'from' | 'until', label: string) => (
    <TextField
      label={label}
      type="time"
      required
      value={value[name]}
      error={faults.at(`/quietHours/${name}`)}
      readOnly={!canSave}
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
        disabled={!canSave}
        error={faults.at('/quietHours/zone')}
        options={[...new Set([value.zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
          value: zone,
          label: zone,
        }))}
        onChange={(event) => onChange({ zone: event.currentTarget.value })}
      />
    </>
  )
}

function CapFields({ value, faults, canSave, onChange }: Fields<FrequencyCap>) {
  const number = (name: keyof FrequencyCap, label: string, { min, max }: { min: number; max: number }) => (
    <TextField
      {...{ label, min, max }}
      type="number"
      required
      value={String(value[name])}
      error={faults.at(`/frequencyCap/${name}`)}
      readOnly={!canSave}
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
