import { useState } from 'react'
import { useHere } from '../../lib/permissions.ts'
import type { Member, Role } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { RoleField } from './role-field.tsx'
import { invitationsEnd } from './role-words.ts'

/** Gives somebody another role; it counts at their next request. */
export function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const { workspace } = useHere()
  const [role, setRole] = useState<Role>(member.role)
  const faults = useFormFaults(['/role'])
  const change = useAct('PATCH /members/{userId}', { changes: ['/members', '/invitations'] })
  const end = invitationsEnd(member.role, role)
  return (
    <FormDialog
      title={`Role of ${member.name || member.email}`}
      action="Change role"
      busy={change.isPending}
      disabled={role === member.role}
      faults={faults}
      onSubmit={() =>
        change
          .mutateAsync({ params: { userId: member.id }, body: { role } })
          .then(onClose)
          .catch(faults.take)
      }
      onClose={onClose}
    >
      <RoleField own={workspace.role} value={role} onChange={setRole} />
      {end !== undefined && <p className="soft">{end}</p>}
    </FormDialog>
  )
}
