import { useCan } from '../../lib/permissions.ts'
import type { Workspace } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Fact, Facts } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { useChangeWorkspace } from './use-change-workspace.ts'

export function NamePanel({ workspace }: { workspace: Workspace }) {
  const canSave = useCan()('workspace:write')
  const { values, changed, isChanged, edit, clear } = useEdits({ name: workspace.name })
  const faults = useFormFaults(['/name'])
  const { save, busy } = useChangeWorkspace(faults, clear)
  return (
    <SettingsPanel title="Workspace" {...{ faults, canSave, isChanged, busy }} onSave={() => save(changed)}>
      <TextField
        label="Name"
        description="Readers see it on every page behind a link, and in the mail that asks for consent."
        value={values.name}
        error={faults.at('/name')}
        readOnly={!canSave}
        onChange={(event) => edit({ name: event.currentTarget.value })}
      />
      <Facts>
        <Fact name="Part of addresses">
          <Copyable text={workspace.slug} what="the slug" />
        </Fact>
        <Fact name="Id">
          <Copyable text={workspace.id} what="the id" />
        </Fact>
      </Facts>
    </SettingsPanel>
  )
}
