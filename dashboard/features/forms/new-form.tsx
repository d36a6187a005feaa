import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { TextArea } from '../../ui/text-area.tsx'

const WORDING = 'I would like to get news by email. I can unsubscribe at any time.'

/** Makes a form that asks for the email address; its page is where one goes on. */
export function NewForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [consentWording, setWording] = useState(WORDING)
  const faults = useFormFaults(['/name', '/consentWording'])
  const create = useAct('POST /forms', { changes: ['/forms'] })
  const submit = async () => {
    const body = { name: name.trim(), consentWording }
    const { value } = await create.mutateAsync({ body })
    await navigate({ to: `/forms/${value.id}` as never })
  }
  return (
    <FormDialog
      title="New form"
      action="Create form"
      busy={create.isPending}
      faults={faults}
      onSubmit={() => submit().catch(faults.take)}
      onClose={onClose}
    >
      <FormField
        label="Name"
        pointer="/name"
        faults={faults}
        value={name}
        onChange={setName}
        autoFocus
        description="For yourself, such as “Footer of the shop”. Nobody who signs up sees it."
      />
      <TextArea
        label="What people agree to"
        description="Stands above the button. Write it in the language of your readers."
        value={consentWording}
        error={faults.at('/consentWording')}
        onChange={(event) => setWording(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
