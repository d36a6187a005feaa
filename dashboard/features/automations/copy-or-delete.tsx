import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { copyName } from '../../lib/copy-name.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Automation } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyIcon, TrashIcon } from '../../ui/icons.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

const changes = ['/automations']

/** What else can be done with an automation, whatever its status: entries of its menu, and the dialog that one of them opens. */
export function useCopyOrDelete({ id, name, status, definition, scenarios }: Automation) {
  const can = useCan()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const create = useAct('POST /automations', { changes })
  const remove = useAct('DELETE /automations/{id}', { changes })
  const duplicate = async () => {
    const body = { name: copyName(name), definition, scenarios }
    const { value } = await create.mutateAsync({ body })
    await navigate({ to: `/automations/${value.id}/edit` as never })
    say('A copy to change as you like. Nobody comes in before it is activated.')
  }
  const isOver = status === 'draft' || status === 'stopped'
  const entries: MenuEntry[] = can('automations:write')
    ? [
        { label: 'Duplicate', icon: CopyIcon, onSelect: () => void duplicate().catch(sayProblem) },
        {
          label: 'Delete',
          icon: TrashIcon,
          danger: true,
          onSelect: () => setDeleting(true),
          ...(isOver ? {} : { disabled: 'Stop it first: that says who would leave it.' }),
        },
      ]
    : []
  const dialog = (
    <ConfirmDialog
      title="Delete this automation"
      opened={isDeleting}
      onClose={() => setDeleting(false)}
      action="Delete"
      danger
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id } })
        await navigate({ to: '/automations' as never, replace: true })
      }}
    >
      <p>
        {status === 'draft'
          ? `“${name}” and what was written in it are gone. Nobody has come into it.`
          : `“${name}”, what was written in it and its report are gone from here. Mail that it has sent stays with those who got it.`}
      </p>
    </ConfirmDialog>
  )
  return { entries, dialog }
}
