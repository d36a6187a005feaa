import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'

/** One address by hand. From then on it is mailed nothing, messages that already wait included. */
export default function SuppressAddress({ onClose }: { onClose: () => void }) {
  const [destination, setDestination] = useState('')
  const faults = useFormFaults(['/destination'])
  const suppress = useAct('POST /suppressions', { changes: ['/suppressions'] })
  const submit = () => {
    suppress.mutateAsync({ body: { destination } }).then(onClose).catch(faults.take)
  }
  return (
    <FormDialog
      title="Suppress an address"
      action="Suppress"
      busy={suppress.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="Address"
        type="email"
        pointer="/destination"
        faults={faults}
        value={destination}
        onChange={setDestination}
        autoFocus
        description="It is mailed nothing any more, not even receipts, and nothing that already waits."
      />
    </FormDialog>
  )
}
