import { useCan } from '../../lib/permissions.ts'
import type { Workspace } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { Checkbox } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { TextField } from '../../ui/text-field.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { useChangeWorkspace } from './use-change-workspace.ts'

/** Who gets in, and for how long the audit log tells of it. */
export function SecurityPanel({ workspace }: { workspace: Workspace }) {
  const canSave = useCan()('workspace:write')
  const { values, changed, isChanged, edit, clear } = useEdits({
    requireSecondFactor: workspace.requireSecondFactor,
    auditRetentionDays: workspace.auditRetentionDays === null ? '' : String(workspace.auditRetentionDays),
  })
  const faults = useFormFaults(['/requireSecondFactor', '/auditRetentionDays'])
  const { save, busy } = useChangeWorkspace(faults, clear)
  const { auditRetentionDays: days, ...others } = changed
  const body = { ...others, ...(days === undefined ? {} : { auditRetentionDays: days === '' ? null : Number(days) }) }
  return (
    <SettingsPanel title="Security" {...{ faults, canSave, isChanged, busy }} onSave={() => save(body)}>
      <Checkbox
        label="Keep members out who have no second factor"
        checked={values.requireSecondFactor}
        disabled={!canSave}
        onChange={(event) => edit({ requireSecondFactor: event.currentTarget.checked })}
      />
      <TextField
        type="number"
        label="Days that the audit log is kept"
        description="Blank: for ever."
        placeholder="For ever"
        min={1}
        max={36_500}
        value={values.auditRetentionDays}
        error={faults.at('/auditRetentionDays')}
        readOnly={!canSave}
        onChange={(event) => edit({ auditRetentionDays: event.currentTarget.value })}
      />
    </SettingsPanel>
  )
}
