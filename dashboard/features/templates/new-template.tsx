import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { newKey } from '../../lib/site.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Button, Select } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'

/** A template with a name, from a sample or from nothing. */
export default function NewTemplate({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [sampleKey, setSampleKey] = useState('')
  const [key, setKey] = useState(newKey)
  const faults = useFormFaults(['/name'])
  const samples = useSite('GET /templates/samples', {})
  const create = useAct('POST /templates', { changes: ['/templates'] })
  const sample = samples.data?.items.find((one) => one.key === sampleKey)
  const submit = () => {
    const content = sample ? { subject: sample.subject, body: sample.body, text: sample.text } : {}
    return create
      .mutateAsync({
        body: { name: name || sample?.name || '', ...content },
        idempotencyKey: key,
      })
      .then(({ value }) => navigate({ to: `/templates/${value.id}` as never }))
      .catch(faults.take)
  }
  return (
    <Dialog title="New template" opened onClose={onClose}>
      <Form
        faults={faults}
        onSubmit={submit}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" busy={create.isPending}>
              Create template
            </Button>
          </>
        }
      >
        <FormField
          label="Name"
          autoFocus
          faults={faults}
          pointer="/name"
          value={name}
          placeholder={sample?.name ?? ''}
          onChange={(next) => {
            setName(next)
            setKey(newKey())
          }}
        />
        <Select
          label="Begin with"
          value={sampleKey}
          description={sample?.description}
          onChange={(event) => {
            setSampleKey(event.currentTarget.value)
            setKey(newKey())
          }}
          options={[
            { value: '', label: 'An empty mail' },
            ...(samples.data?.items ?? []).map((one) => ({ value: one.key, label: one.name })),
          ]}
        />
      </Form>
    </Dialog>
  )
}
