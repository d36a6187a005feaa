import { Checkbox, IconButton } from '../../ui/controls.tsx'
import { Columns3Icon } from '../../ui/icons.tsx'
import { Popover } from '../../ui/popover.tsx'
import { OTHER_COLUMNS } from './contact-columns.tsx'

/** Which columns the list has; the choice stands in the address. */
export function ColumnChooser({ chosen, onChange }: { chosen: string; onChange: (chosen: string) => void }) {
  const ids = new Set(chosen.split(','))
  const toggle = (id: string, isOn: boolean) => {
    if (isOn) ids.add(id)
    else ids.delete(id)
    const next = OTHER_COLUMNS.filter((column) => ids.has(column.id)).map((column) => column.id)
    onChange(next.join(',') || 'none')
  }
  return (
    <Popover label="Columns" target={<IconButton label="Columns" icon={Columns3Icon} />}>
      {OTHER_COLUMNS.map(({ id, head }) => (
        <Checkbox
          key={id}
          label={head}
          checked={ids.has(id)}
          onChange={(event) => toggle(id, event.currentTarget.checked)}
        />
      ))}
    </Popover>
  )
}
