import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { CopyIcon, DotsIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

const NAME_CHARS_MAX = 200

/** What else can be done with a broadcast, whatever its status. */
export function BroadcastMenu({ broadcast }: { broadcast: Broadcast }) {
  const can = useCan()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const create = useAct('POST /broadcasts', { changes: ['/broadcasts'] })
  const audience = useAct('PUT /broadcasts/{id}/audience', { changes: ['/broadcasts'] })
  const remove = useAct('DELETE /broadcasts/{id}', { changes: ['/broadcasts'] })
  if (!can('broadcasts:write')) return null
  const { id, name, subject, fromName, fromEmail, integrationId, topicId, body, text, segmentIds, excludedSegmentIds } =
    broadcast
  const duplicate = async () => {
    const copy = {
      name: `${name} (copy)`.slice(0, NAME_CHARS_MAX),
      subject,
      fromName,
      fromEmail,
      integrationId,
      topicId,
      body,
      text,
    }
    const { value } = await create.mutateAsync({ body: copy })
    if (segmentIds.length + excludedSegmentIds.length > 0) {
      await audience.mutateAsync({ params: { id: value.id }, body: { segmentIds, excludedSegmentIds } })
    }
    await navigate({ to: `/broadcasts/${value.id}` as never })
    say('A copy to change as you like.')
  }
  const isDeletable = broadcast.status === 'draft' || broadcast.status === 'failed'
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
