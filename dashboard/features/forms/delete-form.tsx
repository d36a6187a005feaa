import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Form } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { DotsIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'

/** Deletes a form, once its name was typed: sites that have it are left with one that takes nothing. */
export function DeleteForm({ form }: { form: Form }) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const remove = useAct('DELETE /forms/{id}')
  return (
    <>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[{ label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setOpen(true) }]}
      />
      <ConfirmDialog
        title={`Delete the form “${form.name}”`}
        opened={isOpen}
        onClose={() => setOpen(false)}
        action="Delete form"
        danger
        typed={form.name}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id: form.id } })
          await navigate({ to: '/forms' as never, replace: true })
        }}
      >
        <p>
          Sites that have it take no more sign-ups, and those who have not yet confirmed cannot any more. Those who have
          stay contacts, and what they agreed to stays with them. To stop for a while, pause it instead.
        </p>
      </ConfirmDialog>
    </>
  )
}
