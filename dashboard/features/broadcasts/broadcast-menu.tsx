import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { CopyIcon, DotsIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem, sayToStay } from '../../ui/toasts.tsx'
import { writtenOf } from './broadcast-draft.ts'
import { copiedText, copyOf, type Remaining, remainingOf } from './copy-of-broadcast.ts'

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
    const all = copyOf(writtenOf(broadcast))
    let made: Remaining = { copy: all, gone: [], isForOthers: false }
    const { value } = await create.mutateAsync({ body: all }).catch((refusal: unknown) => {
      const remaining = remainingOf(all, refusal)
      if (!remaining) throw refusal
      made = remaining
      return create.mutateAsync({ body: remaining.copy })
    })
    await navigate({ to: `/broadcasts/${value.id}` as never })
    const tell = made.gone.length === 0 ? say : sayToStay
    tell(copiedText(made))
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
          await navigate({ to: '/broadcasts' as never })
        }}
      >
        <p>“{name}” and what was written in it are gone. Nobody has been written to.</p>
      </ConfirmDialog>
    </>
  )
}
