import { useState } from 'react'
import { useHere } from '../../lib/permissions.ts'
import type { Invitation } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Button, IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DotsIcon, MailIcon, RefreshIcon, TrashIcon, UserPlusIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say, sayProblem } from '../../ui/toasts.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { ROLE_WORDS, rolesUpTo } from './role-words.ts'
import classes from './team.module.css'

/** Those who were asked and have not come yet. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const { workspace } = useHere()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [revoked, setRevoked] = useState<Invitation>()
  const [handed, setHanded] = useState<{ email: string; link: string }>()
  const query = { page: pageNumber(url.page), pageSize: 50 }
  const invitations = useSite('GET /invitations', { query }, { keep: true })
  const resend = useAct('POST /invitations/{id}/resend', { changes: ['/invitations'] })
  const revoke = useAct('DELETE /invitations/{id}', { changes: ['/invitations'] })
  const again = ({ id, email }: Invitation) =>
    resend.mutateAsync({ params: { id } }).then(({ value }) => {
      if (value.link !== null) setHanded({ email, link: value.link })
      else say(`A new link is on its way to ${email}. The one before is over.`)
    }, sayProblem)
  return (
    <>
      <PagedTable
        read={invitations}
        label="Invitations"
        columns={columnsOf({ within: rolesUpTo(workspace.role), again, revoke: setRevoked })}
        noun="invitation"
        setUrl={setUrl}
        none={
          <EmptyState
            title="Nobody is invited"
            icon={MailIcon}
            actions={
              <Button kind="primary" icon={UserPlusIcon} onClick={onInvite}>
                Invite
              </Button>
            }
          >
            Those you invite stand here until they have come.
          </EmptyState>
        }
      />
      {handed && <InvitationLink {...handed} onClose={() => setHanded(undefined)} />}
      <ConfirmDialog
        title="Take the invitation back"
        opened={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        action="Take it back"
        danger
        onConfirm={async () => {
          if (revoked) await revoke.mutateAsync({ params: { id: revoked.id } })
        }}
      >
        <p>
          The link that <strong>{revoked?.email}</strong> has opens nothing any more.
        </p>
      </ConfirmDialog>
    </>
  )
}

type Acts = {
  within: readonly Invitation['role'][]
  again: (invitation: Invitation) => unknown
  revoke: (invitation: Invitation) => void
}

function columnsOf({ within, again, revoke }: Acts): Column<Invitation>[] {
  return [
    {
      id: 'email',
      head: 'Invited',
      cell: ({ email, inviterName }) => (
        <span className={classes.lines}>
          <span className={classes.name}>{email}</span>
          {inviterName !== null && <span className={classes.soft}>by {inviterName}</span>}
        </span>
      ),
    },
    { id: 'role', head: 'Role', width: '110px', narrow: 'below', cell: ({ role }) => ROLE_WORDS[role].name },
    {
      id: 'state',
      head: 'Link',
      width: '170px',
      narrow: 'below',
      cell: ({ expired, overBecause, expiresAt }) =>
        expired ? (
          <span className={classes.lines}>
            <StatusBadge tone="warn">Over</StatusBadge>
            {overBecause === 'inviter' && <span className={classes.soft}>who sent it may not invite any more</span>}
          </span>
        ) : (
          <span className="soft">
            good until <RelativeTime at={expiresAt} />
          </span>
        ),
    },
    { id: 'sent', head: 'Sent', width: '120px', narrow: 'below', cell: ({ sentAt }) => <RelativeTime at={sentAt} /> },
    {
      id: 'acts',
      head: '',
      width: '56px',
      narrow: true,
      cell: (invitation) =>
        within.includes(invitation.role) && (
          <Menu
            target={<IconButton label={`More for ${invitation.email}`} icon={DotsIcon} tooltip={false} />}
            entries={[
              { label: 'Send a new link', icon: RefreshIcon, onSelect: () => again(invitation) },
              { label: 'Take it back', icon: TrashIcon, danger: true, onSelect: () => revoke(invitation) },
            ]}
          />
        ),
    },
  ]
}
