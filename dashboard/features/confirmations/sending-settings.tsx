import { useCan } from '../../lib/permissions.ts'
import type { SendingSettings } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Checkbox } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Shown } from '../../ui/states.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { say } from '../../ui/toasts.tsx'
import { SettingsPanel } from '../workspaces/settings-panel.tsx'

/** How the workspace sends: whom it asks first, what it measures, where it can be reached. */
export function SendingSettingsPanel() {
  const settings = useSite('GET /sending-settings', {})
  return (
    <Shown read={settings} rows={4}>
      {(read) => <Settings saved={read} />}
    </Shown>
  )
}

function Settings({ saved }: { saved: SendingSettings }) {
  const canSave = useCan()('integrations:write')
  const { values, changed, isChanged, edit, clear } = useEdits({
    doubleOptIn: saved.doubleOptIn,
    trackOpens: saved.trackOpens,
    trackClicks: saved.trackClicks,
    postalAddress: saved.postalAddress ?? '',
  })
  const faults = useFormFaults(['/doubleOptIn', '/trackOpens', '/trackClicks', '/postalAddress'])
  const change = useAct('PATCH /sending-settings', { changes: ['/sending-settings'] })
  const { postalAddress, ...others } = changed
  const save = () =>
    change
      .mutateAsync({
        body: { ...others, ...(postalAddress === undefined ? {} : { postalAddress: postalAddress.trim() || null }) },
      })
      .then(() => {
        clear()
        say('Saved.')
      })
      .catch(faults.take)
  const box = (name: 'doubleOptIn' | 'trackOpens' | 'trackClicks', label: string) => (
    <Checkbox
      label={label}
      checked={values[name]}
      disabled={!canSave}
      onChange={(event) => edit({ [name]: event.currentTarget.checked })}
    />
  )
  return (
    <SettingsPanel title="Sending" {...{ faults, canSave, isChanged }} busy={change.isPending} onSave={save}>
      {box('doubleOptIn', 'Write marketing mail only to those who have confirmed that they want it')}
      {box('trackOpens', 'Measure opens, by a picture in HTML mail')}
      {box('trackClicks', 'Measure clicks: links lead by way of this service')}
      <TextArea
        label="Postal address"
        description="Many countries ask for it in marketing mail."
        minRows={2}
        value={values.postalAddress}
        error={faults.at('/postalAddress')}
        readOnly={!canSave}
        onChange={(event) => edit({ postalAddress: event.currentTarget.value })}
      />
    </SettingsPanel>
  )
}
