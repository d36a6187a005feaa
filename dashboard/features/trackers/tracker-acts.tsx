import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Tracker } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import { DotsIcon, KeyIcon, PencilIcon, PlayerPauseIcon, PlayerPlayIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { KEEPS_OLD_KEY_DAYS } from './tracker-words.ts'

const TrackerForm = lazyPart(() => import('./tracker-form.tsx'))

type Seen = { tracker: Tracker; etag: string | undefined }

/** Everything that can be done with a tracker, for those who may. */
export function TrackerActs({ tracker, etag }: Seen) {
  const can = useCan()
  const [open, setOpen] = useState<'change' | 'rotate' | 'delete'>()
  const change = useAct('PATCH /trackers/{id}', { changes: ['/trackers'] })
  if (!can('trackers:write')) return null
  const close = () => setOpen(undefined)
  const pause = (paused: boolean) =>
    change
      .mutateAsync({ params: { id: tracker.id }, body: { paused }, ifMatch: etag })
      .then(() => say(paused ? 'Paused. What pages send is thrown away.' : 'It records again.'))
      .catch(sayProblem)
  return (
    <>
      <Button icon={PencilIcon} onClick={() => setOpen('change')}>
        Change
      </Button>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          tracker.paused
            ? { label: 'Resume', icon: PlayerPlayIcon, onSelect: () => pause(false) }
            : { label: 'Pause', icon: PlayerPauseIcon, onSelect: () => pause(true) },
          { label: 'Rotate key', icon: KeyIcon, onSelect: () => setOpen('rotate') },
          'divider',
          { label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'change' && <TrackerForm tracker={tracker} etag={etag} onClose={close} />}
      <RotateKey tracker={tracker} opened={open === 'rotate'} onClose={close} />
      <DeleteTracker tracker={tracker} etag={etag} opened={open === 'delete'} onClose={close} />
    </>
  )
}

type Asked = { tracker: Tracker; opened: boolean; onClose: () => void }

function RotateKey({ tracker, ...dialog }: Asked) {
  const rotate = useAct('POST /trackers/{id}/rotate-key', { changes: ['/trackers'] })
  return (
    <ConfirmDialog
      title={`Rotate the key of “${tracker.name}”`}
      action="Rotate key"
      {...dialog}
      onConfirm={async () => {
        await rotate.mutateAsync({ params: { id: tracker.id } })
        say(`Copy the new line into your pages. The old key works for ${KEEPS_OLD_KEY_DAYS} days.`)
      }}
    >
      <p>
        A new key is made, and with it a new line for your pages. The old key works for {KEEPS_OLD_KEY_DAYS} more days:
        change your pages by then, or they record nothing.
      </p>
      {tracker.previousKeyUntil !== null && <p>The key before this one ends at once.</p>}
    </ConfirmDialog>
  )
}

function DeleteTracker({ tracker, etag, ...dialog }: Asked & Seen) {
  const navigate = useNavigate()
  const remove = useAct('DELETE /trackers/{id}', { changes: ['/trackers'] })
  return (
    <ConfirmDialog
      title={`Delete the tracker “${tracker.name}”`}
      action="Delete tracker"
      danger
      typed={tracker.name}
      {...dialog}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: tracker.id }, ifMatch: etag })
        await navigate({ to: '/trackers' as never, replace: true })
      }}
    >
      <p>
        Pages that have its line record nothing any more, and its key cannot be brought back. What was recorded stays.
        To stop for a while, pause it instead.
      </p>
    </ConfirmDialog>
  )
}
