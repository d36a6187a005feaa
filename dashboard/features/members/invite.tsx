import { useState } from 'react'
import { useHere } from '../../lib/permissions.ts'
import type { Role } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { say } from '../../ui/toasts.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { RoleField } from './role-field.tsx'

/** Invites somebody by mail, or by a link to hand over where no mail leaves. */
export default function Invite({ onClose }: { onClose: (wasSent: boolean) => void }) {
  const { workspace } = useHere()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [link, setLink] = useState<string>()
  const faults = useFormFaults(['/email', '/role'])
  const invite = useAct('POST /invitations', { changes: ['/invitations'] })
  if (link !== undefined) return <InvitationLink email={email} link={link} onClose={() => onClose(true)} />
  const submit = () => {
    const body = { email: email.trim(), role }
    invite
      .mutateAsync({ body })
      .then(({ value }) => {
        if (value.link !== null) return setLink(value.link)
        say(`An invitation is on its way to ${value.email}.`)
        onClose(true)
      })
      .catch(faults.take)
  }
  return (
    <FormDialog
      title="Invite somebody"
      action="Invite"
      busy={invite.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={() => onClose(false)}
    >
      <FormField
        label="Email"
        type="email"
        pointer="/email"
        description="The link is good for seven days and works once."
        autoFocus
        faults={faults}
        value={email}
        onChange={setEmail}
      />
      <RoleField own={workspace.role} value={role} onChange={setRole} />
    </FormDialog>
  )
}
