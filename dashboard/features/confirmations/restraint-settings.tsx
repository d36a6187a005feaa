import { useCan } from '../../lib/permissions.ts'
import type { SendingSettings } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { Shown } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { say } from '../../ui/toasts.tsx'
import { SettingsPanel } from '../workspaces/settings-panel.tsx'
import { CapFields, NEW_CAP, newQuietHours, QuietFields } from './restraint-fields.tsx'

type Restraints = Pick<SendingSettings, 'quietHours' | 'frequencyCap'>

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
          readOnly={!canSave}
          faultAt={(name) => faults.at(`/quietHours/${name}`)}
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
          readOnly={!canSave}
          faultAt={(name) => faults.at(`/frequencyCap/${name}`)}
          onChange={(part) => edit({ frequencyCap: { ...values.frequencyCap!, ...part } })}
        />
      )}
    </SettingsPanel>
  )
}
