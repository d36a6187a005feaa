import { useState } from 'react'
import { useHere } from '../../lib/permissions.ts'
import type { Member, Role } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form } from '../../ui/form-field.tsx'
import { RoleField } from './role-field.tsx'

/** Gives somebody another role; it counts at their next request. */
export function ChangeRole({ member, onClose }: { member: Member; onClose: () => void }) {
  const { workspace } = useHere()
  const [role, setRole] = useState<Role>(member.role)
  const faults = useFormFaults(['/role'])
  const change = useAct('PATCH /members/{userId}', { changes: ['/members'] })
  return (
    <Dialog title={`Role of ${member.name || member.email}`} opened onClose={onClose}>
      <Form
        faults={faults}
        onSubmit={() =>
          change
            .mutateAsync({ params: { userId: member.id }, body: { role } })
            .then(onClose)
            .catch(faults.take)
        }
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" busy={change.isPending} disabled={role === member.role}>
              Change role
            </Button>
          </>
        }
      >
        <RoleField own={workspace.role} value={role} onChange={setRole} />
      </Form>
    </Dialog>
  )
}
