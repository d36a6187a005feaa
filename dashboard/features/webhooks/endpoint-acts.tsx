import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { SiteWebhookEndpointRead as Endpoint } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import {
  DotsIcon,
  HistoryIcon,
  KeyIcon,
  PencilIcon,
  PlayerPauseIcon,
  PlayerPlayIcon,
  SendIcon,
  TrashIcon,
} from '../../ui/icons.tsx'
import { InUse } from '../../ui/in-use.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

const EndpointForm = lazyPart(() => import('./endpoint-form.tsx'))
const RecoverDialog = lazyPart(() => import('./recover-dialog.tsx'))

type Open = 'change' | 'recover' | 'rotate' | 'delete'

/** Everything that can be done with an endpoint, for those who may. */
export function EndpointActs({ endpoint, etag }: { endpoint: Endpoint; etag: string | undefined }) {
  const can = useCan()
  const [open, setOpen] = useState<Open>()
  const test = useAct('POST /webhooks/{id}/test', { changes: ['/webhooks'] })
  const change = useAct('PATCH /webhooks/{id}', { changes: ['/webhooks'] })
  if (!can('webhooks:write')) return null
  const params = { id: endpoint.id }
  const close = () => setOpen(undefined)
  const switchTo = (enabled: boolean) =>
    change
      .mutateAsync({ params, body: { enabled }, ifMatch: etag })
      .then(() => say(enabled ? 'Switched on. What waited goes out now.' : 'Paused. New deliveries are collected.'))
      .catch(sayProblem)
  return (
    <>
      <Button
        icon={SendIcon}
        busy={test.isPending}
        onClick={() =>
          test
            .mutateAsync({ params })
            .then(() => say('A test event is on its way. It is the first delivery.'), sayProblem)
        }
      >
        Send test event
      </Button>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          { label: 'Change', icon: PencilIcon, onSelect: () => setOpen('change') },
          { label: 'Recover since …', icon: HistoryIcon, onSelect: () => setOpen('recover') },
          { label: 'Rotate secret', icon: KeyIcon, onSelect: () => setOpen('rotate') },
          endpoint.enabled
            ? { label: 'Pause', icon: PlayerPauseIcon, onSelect: () => switchTo(false) }
            : { label: 'Switch on', icon: PlayerPlayIcon, onSelect: () => switchTo(true) },
          'divider',
          { label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'change' && <EndpointForm endpoint={endpoint} etag={etag} onClose={close} />}
      {open === 'recover' && <RecoverDialog endpoint={endpoint} onClose={close} />}
      <RotateSecret endpoint={endpoint} opened={open === 'rotate'} onClose={close} />
      <DeleteEndpoint endpoint={endpoint} opened={open === 'delete'} onClose={close} />
    </>
  )
}

type Asked = { endpoint: Endpoint; opened: boolean; onClose: () => void }

function RotateSecret({ endpoint, ...dialog }: Asked) {
  const rotate = useAct('POST /webhooks/{id}/rotate-secret', { changes: ['/webhooks'] })
  return (
    <ConfirmDialog
      title="Rotate the signing secret"
      action="Rotate secret"
      {...dialog}
      onConfirm={async () => {
        await rotate.mutateAsync({ params: { id: endpoint.id }, body: {} })
        say('The new secret is among the details. Both sign for 24 hours.')
      }}
    >
      <p>
        A new secret is made. For 24 hours deliveries carry the signatures of both, so that your receiver can change
        over without missing one.
      </p>
    </ConfirmDialog>
  )
}

function DeleteEndpoint({ endpoint, ...dialog }: Asked) {
  const navigate = useNavigate()
  const remove = useAct('DELETE /webhooks/{id}', { changes: ['/webhooks'] })
  return (
    <ConfirmDialog
      title="Delete this endpoint"
      action="Delete endpoint"
      danger
      Refusal={InUse}
      {...dialog}
      onConfirm={async () => {
        await remove.mutateAsync({ params: { id: endpoint.id } })
        await navigate({ to: '/webhooks' as never, replace: true })
      }}
    >
      <p>
        <strong>{endpoint.url}</strong> is told nothing any more, and what waits for it is dropped. To stop for a while,
        pause it instead: then everything is collected.
      </p>
    </ConfirmDialog>
  )
}
