import { useState } from 'react'
import { useCan, useHere } from '../../lib/permissions.ts'
import type { Member } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DotsIcon, LogoutIcon, ShieldIcon, UserIcon, UserXIcon } from '../../ui/icons.tsx'
import { Menu, type MenuEntry } from '../../ui/menu.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { say } from '../../ui/toasts.tsx'
import { ChangeRole } from './change-role.tsx'
import { ROLE_WORDS, rolesUpTo } from './role-words.ts'
import classes from './team.module.css'

type Act = { kind: 'role' | 'remove' | 'factor' | 'leave'; member: Member }

/** Those who belong to the workspace; what one may not do to somebody is not offered. */
export function Members() {
  const can = useCan()
  const { user, workspace } = useHere()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [act, setAct] = useState<Act>()
  const members = useSite('GET /members', { query: { page: pageNumber(url.page), pageSize: 50 } }, { keep: true })
  const within = rolesUpTo(workspace.role)
  const entriesFor = (member: Member): MenuEntry[] => {
    if (member.id === user.id)
      return [
        {
          label: 'Leave this workspace',
          icon: LogoutIcon,
          danger: true,
          onSelect: () => setAct({ kind: 'leave', member }),
        },
      ]
    if (!can('members:write') || !within.includes(member.role)) return []
    return [
      { label: 'Change role', icon: UserIcon, onSelect: () => setAct({ kind: 'role', member }) },
      ...(member.secondFactor
        ? [
            {
              label: 'Reset second factor',
              icon: ShieldIcon,
              onSelect: () => setAct({ kind: 'factor' as const, member }),
            },
          ]
        : []),
      {
        label: 'Remove from workspace',
        icon: UserXIcon,
        danger: true,
        onSelect: () => setAct({ kind: 'remove', member }),
      },
    ]
  }
  return (
    <>
      <PagedTable
        read={members}
        label="Members"
        columns={columnsOf(user.id, entriesFor)}
        noun="member"
        setUrl={setUrl}
      />
      {act?.kind === 'role' && <ChangeRole member={act.member} onClose={() => setAct(undefined)} />}
      {act !== undefined && act.kind !== 'role' && <MemberAct act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}

function MemberAct({ act: { kind, member }, onClose }: { act: Act; onClose: () => void }) {
  const { workspace } = useHere()
  const remove = useAct('DELETE /members/{userId}', { changes: ['/members', '/invitations'] })
  const reset = useAct('DELETE /members/{userId}/second-factor', { changes: ['/members'] })
  const leave = useAct('POST /leave')
  const name = member.name || member.email
  const params = { userId: member.id }
  if (kind === 'factor') {
    return (
      <ConfirmDialog
        title="Reset the second factor"
        opened
        onClose={onClose}
        action="Reset second factor"
        onConfirm={() =>
          reset.mutateAsync({ params }).then(() => say(`${name} logs in by password alone now, and was told.`))
        }
      >
        <p>
          For <strong>{name}</strong>, who has lost the app and the recovery codes. Their sessions end, and a mail tells
          them.
        </p>
      </ConfirmDialog>
    )
  }
  const isLeaving = kind === 'leave'
  return (
    <ConfirmDialog
      title={isLeaving ? 'Leave this workspace' : 'Remove from workspace'}
      opened
      onClose={onClose}
      action={isLeaving ? 'Leave workspace' : 'Remove 1 person'}
      danger
      onConfirm={async () => {
        if (!isLeaving) return remove.mutateAsync({ params })
        await leave.mutateAsync({})
        location.assign('/app')
      }}
    >
      <p>
        {isLeaving ? (
          <>
            You no longer see <strong>{workspace.name}</strong>. Somebody who runs it can invite you again.
          </>
        ) : (
          <>
            <strong>{name}</strong> no longer sees this workspace, at once. Invitations that they sent open nothing any
            more. Their account stays, and so do tokens they made.
          </>
        )}
      </p>
    </ConfirmDialog>
  )
}

function columnsOf(ownId: string, entriesFor: (member: Member) => MenuEntry[]): Column<Member>[] {
  return [
    {
      id: 'name',
      head: 'Member',
      cell: ({ id, name, email }) => (
        <span className={classes.lines}>
          <span className={classes.name}>
            {name || email}
            {id === ownId && <span className="soft"> (you)</span>}
          </span>
          {name !== '' && <span className={classes.soft}>{email}</span>}
        </span>
      ),
    },
    { id: 'role', head: 'Role', width: '110px', narrow: true, cell: ({ role }) => ROLE_WORDS[role].name },
    {
      id: 'factor',
      head: 'Second factor',
      narrow: 'below',
      width: '150px',
      cell: ({ secondFactor }) =>
        secondFactor ? <StatusBadge tone="good">On</StatusBadge> : <StatusBadge tone="neutral">Off</StatusBadge>,
    },
    {
      id: 'joined',
      head: 'Joined',
      width: '120px',
      narrow: 'below',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'acts',
      head: '',
      width: '56px',
      narrow: true,
      cell: (member) => {
        const entries = entriesFor(member)
        return (
          entries.length > 0 && (
            <Menu
              target={<IconButton label={`More for ${member.name || member.email}`} icon={DotsIcon} tooltip={false} />}
              entries={entries}
            />
          )
        )
      },
    },
  ]
}
