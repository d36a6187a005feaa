import { useState } from 'react'
import type { Contact, SiteCustomField } from '../../lib/site-types.ts'
import { Checkbox, IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Columns3Icon } from '../../ui/icons.tsx'
import { Popover } from '../../ui/popover.tsx'
import { choosableColumns } from './contact-columns.tsx'
import classes from './contacts.module.css'

type Props = { fields: readonly SiteCustomField[]; chosen: string; onChange: (chosen: string) => void }

/** Which columns the list has; the choice stands in the address. */
export function ColumnChooser(props: Props) {
  return (
    <Popover label="Columns" target={<IconButton label="Columns" icon={Columns3Icon} />}>
      <Choices {...props} />
    </Popover>
  )
}

/** Has a choice of its own, begun with that of the address whenever it opens: of two quick ones the address knows the first too late. */
function Choices({ fields, chosen, onChange }: Props) {
  const [ids, setIds] = useState(() => new Set(chosen.split(',')))
  const { known, custom } = choosableColumns(fields)
  const toggle = (id: string, isOn: boolean) => {
    const next = [...known, ...custom].filter((column) => (column.id === id ? isOn : ids.has(column.id)))
    setIds(new Set(next.map((column) => column.id)))
    onChange(next.map((column) => column.id).join(',') || 'none')
  }
  const choiceOf = ({ id, head }: Column<Contact>) => (
    <Checkbox
      key={id}
      label={head}
      checked={ids.has(id)}
      onChange={(event) => toggle(id, event.currentTarget.checked)}
    />
  )
  return (
    <>
      {known.map(choiceOf)}
      {custom.length > 0 && (
        <fieldset className={classes.customColumns}>
          <legend>Custom fields</legend>
          {custom.map(choiceOf)}
        </fieldset>
      )}
    </>
  )
}
