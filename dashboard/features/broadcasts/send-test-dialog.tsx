import { useState } from 'react'
import { useHere } from '../../lib/permissions.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { say } from '../../ui/toasts.tsx'

/** A draft as it is now, to one address. */
export default function SendTestDialog({
  id,
  contactId,
  onBefore,
  onClose,
}: {
  id: string
  /** As whom it is made; empty for a sample person. */
  contactId: string
  onBefore: () => Promise<boolean>
  onClose: () => void
}) {
  const { user } = useHere()
  const [email, setEmail] = useState(user.email)
  const faults = useFormFaults(['/email'])
  const test = useAct('POST /broadcasts/{id}/test-send')
  const submit = async () => {
    if (!(await onBefore())) return
    const body = { email, ...(contactId === '' ? {} : { contactId }) }
    await test
      .mutateAsync({ params: { id }, body })
      .then(() => {
        say(`A test is on its way to ${email}.`)
        onClose()
      })
      .catch(faults.take)
  }
  return (
    <FormDialog
      title="Send a test"
      action="Send the test"
      busy={test.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="To"
        type="email"
        description={contactId === '' ? 'Made for a sample person.' : 'Made for the contact that the preview shows.'}
        autoFocus
        faults={faults}
        pointer="/email"
        value={email}
        onChange={setEmail}
      />
    </FormDialog>
  )
}
