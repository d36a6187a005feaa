import type { ReactNode } from 'react'
import { Button } from '../../ui/controls.tsx'
import type { FormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { Panel } from '../../ui/panel.tsx'

/** Some settings that are saved together; those who may not change them have no button. */
export function SettingsPanel({
  title,
  faults,
  canSave,
  isChanged,
  busy,
  onSave,
  children,
}: {
  title: string
  faults: FormFaults
  canSave: boolean
  isChanged: boolean
  busy: boolean
  onSave: () => unknown
  children: ReactNode
}) {
  return (
    <Panel title={title}>
      <Form
        faults={faults}
        onSubmit={onSave}
        actions={
          canSave && (
            <Button type="submit" kind="primary" busy={busy} disabled={!isChanged}>
              Save
            </Button>
          )
        }
      >
        {children}
      </Form>
    </Panel>
  )
}
