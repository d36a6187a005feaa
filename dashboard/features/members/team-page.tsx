import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import { UserPlusIcon } from '../../ui/icons.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { RoleTable } from './role-table.tsx'

const Invite = lazyPart(() => import('./invite.tsx'))

/** Those who work here, whom one has asked to, and what each role may do. */
export default function TeamPage() {
  const can = useCan()
  const [{ tab }, setUrl] = useUrlState({ tab: 'members' })
  const [isInviting, setInviting] = useState(false)
  return (
    <>
      <PageHeader
        title="Team"
        actions={
          can('members:write') && (
            <Button kind="primary" icon={UserPlusIcon} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      >
        Those who work in this workspace, each with a role.
      </PageHeader>
      <Tabs
        label="Team"
        tabs={[
          { label: 'Members', to: '/team', current: tab === 'members' },
          ...(can('members:write')
            ? [{ label: 'Invitations', to: '/team', search: { tab: 'invitations' }, current: tab === 'invitations' }]
            : []),
          { label: 'Roles', to: '/team', search: { tab: 'roles' }, current: tab === 'roles' },
        ]}
      />
      {tab === 'roles' ? (
        <RoleTable />
      ) : tab === 'invitations' && can('members:write') ? (
        <Invitations onInvite={() => setInviting(true)} />
      ) : (
        <Members />
      )}
      {isInviting && (
        <Invite
          onClose={(wasSent) => {
            setInviting(false)
            if (wasSent) setUrl({ tab: 'invitations' })
          }}
        />
      )}
    </>
  )
}
