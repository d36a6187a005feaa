import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'

const EMPTY = { email: '', firstName: '', lastName: '', subjectId: '', phone: '' }

/** One person by hand. Once made, their page is where one goes on. */
export default function NewContact({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [values, setValues] = useState(EMPTY)
  const faults = useFormFaults(Object.keys(EMPTY).map((name) => `/${name}`))
  const create = useAct('POST /contacts', { changes: ['/contacts'] })
  const change = (name: keyof typeof EMPTY) => (value: string) => setValues({ ...values, [name]: value })
  const submit = () => {
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))
    return create
      .mutateAsync({ body })
      .then(({ value }) => navigate({ to: `/contacts/${value.id}` as never }))
      .catch(faults.take)
  }
  const field = (name: keyof typeof EMPTY) => ({
    faults,
    pointer: `/${name}`,
    value: values[name],
    onChange: change(name),
  })
  return (
    <FormDialog
      title="New contact"
      action="Create contact"
      busy={create.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField label="Email" type="email" autoFocus {...field('email')} />
      <FormField label="First name" {...field('firstName')} />
      <FormField label="Last name" {...field('lastName')} />
      <FormField label="Phone" type="tel" {...field('phone')} />
      <FormField label="Your id" description="Of this person in your own system." {...field('subjectId')} />
    </FormDialog>
  )
}
