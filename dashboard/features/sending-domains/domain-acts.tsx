import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { SendingDomain, SendingDomainChecks } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import { DotsIcon, KeyIcon, RefreshIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'

/** Looking up now, changing the key, and removing the domain. */
export function DomainActs({ domain, checks }: { domain: SendingDomain; checks: SendingDomainChecks | undefined }) {
  const can = useCan()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'rotate' | 'delete'>()
  const verify = useAct('POST /sending-domains/{id}/verify', { changes: ['/sending-domains'] })
  const rotate = useAct('POST /sending-domains/{id}/rotate-key', { changes: ['/sending-domains'] })
  const remove = useAct('DELETE /sending-domains/{id}', { changes: ['/sending-domains', '/integrations'] })
  if (!can('sending_domains:write')) return null
  const params = { id: domain.id }
  const isRotating = checks?.dkim.some(({ role }) => role === 'next') === true
  const close = () => setOpen(undefined)
  return (
    <>
      <Button
        icon={RefreshIcon}
        busy={verify.isPending}
        onClick={() =>
          verify
            .mutateAsync({ params })
            .then(() => say('Looking the records up. What is found appears here.'), sayProblem)
        }
      >
        Check now
      </Button>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          {
            label: 'Rotate the DKIM key',
            icon: KeyIcon,
            onSelect: () => setOpen('rotate'),
            ...(isRotating ? { disabled: 'A rotation is under way: publish the next key’s record.' } : {}),
          },
          'divider',
          { label: 'Remove domain', icon: TrashIcon, danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      <ConfirmDialog
        title="Rotate the DKIM key"
        opened={open === 'rotate'}
        onClose={close}
        action="Make the next key"
        onConfirm={() => rotate.mutateAsync({ params })}
      >
        <ol className="steps">
          <li>A second key appears here, with a record of its own. Publish it beside the current one.</li>
          <li>As soon as it is found, mail is signed with it.</li>
          <li>The record of the key before stays for seven days more, then it may go.</li>
        </ol>
        <p className="soft">Nothing changes before the new record is found.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title="Remove this domain"
        opened={open === 'delete'}
        onClose={close}
        action="Remove domain"
        danger
        typed={domain.domain}
        onConfirm={async () => {
          await remove.mutateAsync({ params })
          await navigate({ to: '/domains' as never, replace: true })
        }}
      >
        <p>
          Its keys are deleted, and mail from <strong>{domain.domain}</strong> is refused or waits. Added again, it gets
          a new key and a new record.
        </p>
      </ConfirmDialog>
    </>
  )
}
