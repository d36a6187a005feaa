import { useState } from 'react'
import { useAct } from '../../../lib/use-site.ts'
import { useFormFaults } from '../../../ui/form.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { FormField } from '../../../ui/form-field.tsx'
import { say } from '../../../ui/toasts.tsx'

type Props = { body: string; suggested: string; onClose: () => void }

/** A block under a name, for other mails. */
export default function SaveBlock({ body, suggested, onClose }: Props) {
  const [name, setName] = useState(suggested)
  const faults = useFormFaults(['/name'])
  const save = useAct('POST /saved-blocks', { changes: ['/saved-blocks'] })
  const submit = () => {
    save
      .mutateAsync({ body: { name, body } })
      .then(() => {
        say(`“${name.trim()}” is among the saved blocks.`)
        onClose()
      })
      .catch(faults.take)
  }
  return (
    <FormDialog
      title="Save this block"
      action="Save block"
      busy={save.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="Name"
        pointer="/name"
        faults={faults}
        value={name}
        onChange={setName}
        autoFocus
        description="Everybody in this workspace can put it into their mails. A mail that has it does not change with it."
      />
    </FormDialog>
  )
}
