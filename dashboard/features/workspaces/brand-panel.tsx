import { READER_LANGUAGES } from '../../lib/catalogue.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Workspace } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { TextField } from '../../ui/text-field.tsx'
import classes from './settings.module.css'
import { SettingsPanel } from './settings-panel.tsx'
import { useChangeWorkspace } from './use-change-workspace.ts'

const languages = new Intl.DisplayNames('en', { type: 'language' })
const NO_COLOR = ''
/** Ours, which buttons have while nothing else is said. */
const ours = () => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()
const COLOR = /^#[0-9a-f]{6}$/i

/** How readers see the workspace: on the pages behind the links of its mail, and in what it asks them. */
export function BrandPanel({ workspace }: { workspace: Workspace }) {
  const canSave = useCan()('workspace:write')
  const { values, changed, isChanged, edit, clear } = useEdits({
    logoUrl: workspace.logoUrl ?? '',
    color: workspace.color ?? NO_COLOR,
    language: workspace.language,
    confirmedUrl: workspace.confirmedUrl ?? '',
  })
  const faults = useFormFaults(['/logoUrl', '/color', '/language', '/confirmedUrl'])
  const { save, busy } = useChangeWorkspace(faults, clear)
  const body = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value === '' ? null : value]))
  return (
    <SettingsPanel title="Seen by readers" {...{ faults, canSave, isChanged, busy }} onSave={() => save(body)}>
      <TextField
        label="Logo"
        description="Address of a picture, over https."
        placeholder="https://www.example.com/logo.png"
        value={values.logoUrl}
        error={faults.at('/logoUrl')}
        readOnly={!canSave}
        onChange={(event) => edit({ logoUrl: event.currentTarget.value.trim() })}
      />
      <div className={classes.color}>
        <TextField
          label="Colour of buttons"
          placeholder="Ours"
          value={values.color}
          error={faults.at('/color')}
          readOnly={!canSave}
          onChange={(event) => edit({ color: event.currentTarget.value.trim() })}
        />
        {canSave && (
          <input
            type="color"
            aria-label="Choose the colour of buttons"
            className={classes.swatch}
            value={COLOR.test(values.color) ? values.color : ours()}
            onChange={(event) => edit({ color: event.currentTarget.value })}
          />
        )}
      </div>
      <Select
        label="Language"
        description="Of the pages and mails that we write to readers for you."
        value={values.language}
        disabled={!canSave}
        error={faults.at('/language')}
        onChange={(event) => edit({ language: event.currentTarget.value as Workspace['language'] })}
        options={READER_LANGUAGES.map((code) => ({ value: code, label: languages.of(code) ?? code }))}
      />
      <TextField
        label="Page after a confirmation"
        description="Where somebody goes on who has confirmed. Blank: a page of ours."
        placeholder="https://www.example.com/welcome"
        value={values.confirmedUrl}
        error={faults.at('/confirmedUrl')}
        readOnly={!canSave}
        onChange={(event) => edit({ confirmedUrl: event.currentTarget.value.trim() })}
      />
    </SettingsPanel>
  )
}
