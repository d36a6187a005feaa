import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Integration } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import { CircleCheckIcon, DotsIcon, PlayerPauseIcon, PlayerPlayIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { leadsToMailbox } from './leads-to-mailbox.ts'

/** Making it the default, switching it, removing it. */
export function IntegrationActs({ integration, etag }: { integration: Integration; etag: string | undefined }) {
  const can = useCan()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'default' | 'delete'>()
  const update = useAct('PATCH /integrations/{id}', { changes: ['/integrations', '/sending-domains'] })
  const remove = useAct('DELETE /integrations/{id}', { changes: ['/integrations'] })
  if (!can('integrations:write')) return null
  const params = { id: integration.id }
  const close = () => setAsked(undefined)
  const change = (body: { enabled?: boolean; isDefault?: boolean }) =>
    update.mutateAsync({ params, body, ifMatch: etag })
  const switchTo = (enabled: boolean) =>
    change({ enabled }).then(
      () => say(enabled ? 'Switched on.' : 'Switched off. Nothing is sent through it.'),
      sayProblem,
    )
  return (
    <>
      {!integration.isDefault && (
        <Button icon={CircleCheckIcon} onClick={() => setAsked('default')}>
          Make it the default
        </Button>
      )}
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          integration.enabled
            ? { label: 'Switch off', icon: PlayerPauseIcon, onSelect: () => switchTo(false) }
            : { label: 'Switch on', icon: PlayerPlayIcon, onSelect: () => switchTo(true) },
          'divider',
          { label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setAsked('delete') },
        ]}
      />
      <ConfirmDialog
        title="Make it the default"
        opened={asked === 'default'}
        onClose={close}
        action="Make it the default"
        onConfirm={() => change({ isDefault: true })}
      >
        <p>
          {leadsToMailbox(integration)
            ? 'From now on mail that names no integration stays in the mailbox of this machine and reaches nobody.'
            : 'From now on mail that names no integration goes through it, and reaches people.'}
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete this integration"
        opened={asked === 'delete'}
        onClose={close}
        action="Delete integration"
        danger
        typed={integration.name}
        onConfirm={async () => {
          await remove.mutateAsync({ params })
          await navigate({ to: '/integrations' as never, replace: true })
        }}
      >
        <p>
          {integration.isDefault
            ? 'It is the default. Nothing becomes the default by itself, so mail waits until you choose another one.'
            : 'Nothing is sent through it any more.'}{' '}
          Its password or keys are forgotten.
        </p>
      </ConfirmDialog>
    </>
  )
}
