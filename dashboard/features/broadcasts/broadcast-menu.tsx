import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { copyName } from '../../lib/copy-name.ts'
import { loadPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { CopyIcon, DotsIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem, sayToStay } from '../../ui/toasts.tsx'
import { writtenOf } from './broadcast-draft.ts'

/** What else can be done with a broadcast, whatever its status, as it stands on the page: saved or not yet. */
export function BroadcastMenu({ broadcast }: { broadcast: Broadcast }) {
  const can = useCan()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const create = useAct('POST /broadcasts', { changes: ['/broadcasts'] })
  const remove = useAct('DELETE /broadcasts/{id}', { changes: ['/broadcasts'] })
  if (!can('broadcasts:write')) return null
  const { id, name, status } = broadcast
  const duplicate = async () => {
    const copy = { ...writtenOf(broadcast), name: copyName(name) }
    let tell = () => say('A copy to change as you like.')
    const { value } = await create.mutateAsync({ body: copy }).catch(async (refusal: unknown) => {
      const { copiedText, remainingOf } = await loadPart(() => import('./copy-of-broadcast.ts'))
      const remaining = remainingOf(copy, refusal)
      if (!remaining) throw refusal
      tell = () => sayToStay(copiedText(remaining))
      return create.mutateAsync({ body: remaining.copy })
    })
    await navigate({ to: `/broadcasts/${value.id}` as never })
    tell()
  }
  const isDeletable = status === 'draft' || status === 'failed'
  return (
    <>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          { label: 'Duplicate', icon: CopyIcon, onSelect: () => void duplicate().catch(sayProblem) },
          {
            label: 'Delete',
            icon: TrashIcon,
            danger: true,
            onSelect: () => setDeleting(true),
            ...(isDeletable ? {} : { disabled: 'People were written to: it stays, with what became of them.' }),
          },
        ]}
      />
      <ConfirmDialog
        title="Delete this broadcast"
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        action="Delete"
        danger
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id } })
          await navigate({ to: '/broadcasts' as never, replace: true })
        }}
      >
        <p>“{name}” and what was written in it are gone. Nobody has been written to.</p>
      </ConfirmDialog>
    </>
  )
}
