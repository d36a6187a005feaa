import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'

/** Adds a domain; its page has the records to publish. */
export default function NewDomain({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [domain, setDomain] = useState('')
  const faults = useFormFaults(['/domain'])
  const create = useAct('POST /sending-domains', { changes: ['/sending-domains', '/integrations'] })
  const submit = () => {
    const body = { domain: domain.trim() }
    return create
      .mutateAsync({ body })
      .then(({ value }) => navigate({ to: `/domains/${value.id}` as never }))
      .catch(faults.take)
  }
  return (
    <FormDialog
      title="Add a domain"
      action="Add domain"
      busy={create.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="Domain"
        pointer="/domain"
        placeholder="example.com"
        description="Exactly what stands behind the @ of your sender: those below it need their own."
        autoFocus
        faults={faults}
        value={domain}
        onChange={setDomain}
      />
    </FormDialog>
  )
}
