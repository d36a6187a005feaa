import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'

/** One address by hand. From then on it is mailed nothing, messages that already wait included. */
export default function SuppressAddress({ onClose }: { onClose: () => void }) {
  const [destination, setDestination] = useState('')
  const faults = useFormFaults(['/destination'])
  const suppress = useAct('POST /suppressions', { changes: ['/suppressions'] })
  const submit = () => {
    suppress.mutateAsync({ body: { destination } }).then(onClose).catch(faults.take)
  }
  return (
    <Dialog title="Suppress an address" opened onClose={onClose}>
      <Form
        faults={faults}
        onSubmit={submit}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" busy={suppress.isPending}>
              Suppress
            </Button>
          </>
        }
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
      </Form>
    </Dialog>
  )
}
