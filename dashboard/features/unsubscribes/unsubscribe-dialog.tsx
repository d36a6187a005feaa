import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { type Choice, ChoiceField } from '../../ui/choice.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'

type Source = 'everything' | 'broadcasts'
const SOURCES: readonly Choice<Source>[] = [
  { value: 'everything', label: 'All marketing mail', description: 'Broadcasts, and what automations send.' },
  { value: 'broadcasts', label: 'Broadcasts alone', description: 'Automations still write to them.' },
]

type Props = {
  /** Of whom it is asked; without one it is typed. */
  email?: string
  onClose: () => void
}

/** Somebody who has asked for it otherwise than by a link: in an answer, on the telephone. */
export default function UnsubscribeDialog({ email, onClose }: Props) {
  const [destination, setDestination] = useState(email ?? '')
  const [sendingSource, setSource] = useState<Source>('everything')
  const faults = useFormFaults(['/destination'])
  const unsubscribe = useAct('POST /unsubscribes', { changes: ['/unsubscribes', '/contacts'] })
  const submit = () => {
    unsubscribe.mutateAsync({ body: { destination, sendingSource } }).then(onClose).catch(faults.take)
  }
  return (
    <FormDialog
      title={email === undefined ? 'Unsubscribe an address' : `Unsubscribe ${email}`}
      action="Unsubscribe"
      busy={unsubscribe.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      {email === undefined && (
        <FormField
          label="Address"
          type="email"
          pointer="/destination"
          faults={faults}
          value={destination}
          onChange={setDestination}
          autoFocus
        />
      )}
      <ChoiceField label="What they want no more" value={sendingSource} choices={SOURCES} onChange={setSource} />
      <p className="soft">
        Nothing of it goes to them from now on, not even what already waits. Receipts and the like still reach them.
      </p>
    </FormDialog>
  )
}
