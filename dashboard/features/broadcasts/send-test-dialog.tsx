import { useState } from 'react'
import { keepChoice, keptChoice } from '../../lib/kept-choice.ts'
import { useHere } from '../../lib/permissions.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { say } from '../../ui/toasts.tsx'
import { addressesFault, addressesIn } from './test-addresses.ts'

const POINTERS = ['/email', '/alsoTo']

/** A draft as it is now, to some addresses: those of the last test, or one's own. */
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
  const choice = `test-addresses ${user.id}`
  const [to, setTo] = useState(() => keptChoice(choice) ?? user.email)
  const [fault, setFault] = useState<string>()
  const [isUnsaved, setUnsaved] = useState(false)
  const faults = useFormFaults(POINTERS)
  const test = useAct('POST /broadcasts/{id}/test-send')
  const submit = async () => {
    const addresses = addressesIn(to)
    const wrong = addressesFault(addresses)
    setFault(wrong)
    setUnsaved(false)
    if (wrong !== undefined) return
    if (!(await onBefore())) return setUnsaved(true)
    const [email = '', ...alsoTo] = addresses
    const body = { email, ...(alsoTo.length > 0 ? { alsoTo } : {}), ...(contactId === '' ? {} : { contactId }) }
    await test
      .mutateAsync({ params: { id }, body })
      .then(() => {
        keepChoice(choice, addresses.join(', '))
        say(`A test is on its way to ${addresses.length === 1 ? email : `${addresses.length} addresses`}.`)
        onClose()
      })
      .catch(faults.take)
  }
  const madeFor = contactId === '' ? 'Made for a sample person.' : 'Made for the contact that the preview shows.'
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
        description={`${madeFor} Several addresses have commas between them.`}
        autoFocus
        faults={{ ...faults, at: () => fault ?? POINTERS.map(faults.at).find((at) => at !== undefined) }}
        pointer="/email"
        value={to}
        onChange={setTo}
      />
      {isUnsaved && (
        <Notice tone="bad">Not sent: what you wrote last could not be saved. It is kept in this browser.</Notice>
      )}
    </FormDialog>
  )
}
