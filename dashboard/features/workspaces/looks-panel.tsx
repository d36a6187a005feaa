import { useCan } from '../../lib/permissions.ts'
import type { Workspace } from '../../lib/site-types.ts'
import { useEdits } from '../../lib/use-edits.ts'
import { Button, IconButton } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { PlusIcon, TrashIcon } from '../../ui/icons.tsx'
import { TextField } from '../../ui/text-field.tsx'
import classes from './settings.module.css'
import { SettingsPanel } from './settings-panel.tsx'
import { useChangeWorkspace } from './use-change-workspace.ts'

const COLORS_MAX = 12
const POINTERS = Array.from({ length: COLORS_MAX }, (_, n) => [`/palette/${n}/name`, `/palette/${n}/color`]).flat()

/** Colours and font of the workspace, which the editor of mails offers. */
export function LooksPanel({ workspace }: { workspace: Workspace }) {
  const canSave = useCan()('workspace:write')
  const { values, changed, isChanged, edit, clear } = useEdits({
    palette: workspace.palette,
    fontFamily: workspace.fontFamily ?? '',
  })
  const faults = useFormFaults(['/palette', '/fontFamily', ...POINTERS])
  const { save, busy } = useChangeWorkspace(faults, clear)
  const { palette } = values
  const put = (at: number, change: Partial<(typeof palette)[number]>) =>
    edit({ palette: palette.map((one, n) => (n === at ? { ...one, ...change } : one)) })
  const submit = () =>
    save({
      ...(changed.palette ? { palette: palette.map(({ name, color }) => ({ name: name.trim(), color })) } : {}),
      ...(changed.fontFamily === undefined ? {} : { fontFamily: changed.fontFamily.trim() || null }),
    })
  return (
    <SettingsPanel title="Looks of mails" {...{ faults, canSave, isChanged, busy }} onSave={submit}>
      {palette.length === 0 && <p className="soft">No colours yet. The editor offers those of the mail itself.</p>}
      {palette.map(({ name, color }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name is typed, and a row has no other mark
        <div key={at} className={classes.namedColor}>
          <TextField
            label={`Name of colour ${at + 1}`}
            value={name}
            maxLength={40}
            error={faults.at(`/palette/${at}/name`)}
            readOnly={!canSave}
            onChange={(event) => put(at, { name: event.currentTarget.value })}
          />
          <TextField
            label="Colour"
            value={color}
            maxLength={7}
            error={faults.at(`/palette/${at}/color`)}
            readOnly={!canSave}
            onChange={(event) => put(at, { color: event.currentTarget.value.trim() })}
          />
          <input
            type="color"
            aria-label={`Choose colour ${at + 1}`}
            className={classes.swatch}
            disabled={!canSave}
            value={/^#[0-9a-f]{6}$/i.test(color) ? color : UNSET}
            onChange={(event) => put(at, { color: event.currentTarget.value })}
          />
          {canSave && (
            <IconButton
              label={`Remove colour ${at + 1}`}
              icon={TrashIcon}
              onClick={() => edit({ palette: palette.filter((_, n) => n !== at) })}
            />
          )}
        </div>
      ))}
      {canSave && palette.length < COLORS_MAX && (
        <div>
          <Button
            icon={PlusIcon}
            onClick={() => edit({ palette: [...palette, { name: '', color: workspace.color ?? UNSET }] })}
          >
            Add a colour
          </Button>
        </div>
      )}
      <TextField
        label="Font of mails"
        description="As CSS lists them: the one you like, then what stands in for it where it is missing."
        placeholder="Georgia, 'Times New Roman', serif"
        value={values.fontFamily}
        error={faults.at('/fontFamily')}
        readOnly={!canSave}
        onChange={(event) => edit({ fontFamily: event.currentTarget.value })}
      />
    </SettingsPanel>
  )
}

/** Black, of which a first colour begins. */
const UNSET = `#${'0'.repeat(6)}`
