import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { newKey } from '../../lib/site.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'

/** A draft with a name; all else is written on its page. */
export default function NewBroadcast({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [key, setKey] = useState(newKey)
  const faults = useFormFaults(['/name'])
  const create = useAct('POST /broadcasts', { changes: ['/broadcasts'] })
  const submit = () =>
    create
      .mutateAsync({ body: { name }, idempotencyKey: key })
      .then(({ value }) => navigate({ to: `/broadcasts/${value.id}` as never }))
      .catch(faults.take)
  return (
    <Dialog title="New broadcast" opened onClose={onClose}>
      <Form
        faults={faults}
        onSubmit={submit}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" busy={create.isPending}>
              Start writing
            </Button>
          </>
        }
      >
        <FormField
          label="Name"
          description="For you and your colleagues; recipients do not see it."
          autoFocus
          faults={faults}
          pointer="/name"
          value={name}
          onChange={(next) => {
            setName(next)
            setKey(newKey())
          }}
        />
      </Form>
    </Dialog>
  )
}
