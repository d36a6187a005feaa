import { useState } from 'react'
import type { Topic } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Checkbox, Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { optionsOf, SUBSCRIPTIONS, type Subscription, VISIBILITIES, type Visibility } from './topic-words.ts'

/** A new topic, or other words and rules for one. */
export function EditTopic({ topic, onClose }: { topic?: Topic; onClose: () => void }) {
  const [values, setValues] = useState({
    name: topic?.name ?? '',
    description: topic?.description ?? '',
    visibility: topic?.visibility ?? 'public',
    subscription: topic?.subscription ?? 'everyone',
    doubleOptIn: topic?.doubleOptIn ?? false,
  })
  const faults = useFormFaults(['/name', '/description', '/visibility', '/subscription', '/doubleOptIn'])
  const create = useAct('POST /topics', { changes: ['/topics'] })
  const update = useAct('PATCH /topics/{id}', { changes: ['/topics', '/contacts', '/broadcasts'] })
  const submit = () => {
    const doubleOptIn = values.doubleOptIn && values.subscription === 'opt_in'
    const body = { ...values, doubleOptIn, description: values.description.trim() === '' ? null : values.description }
    const done = topic ? update.mutateAsync({ params: { id: topic.id }, body }) : create.mutateAsync({ body })
    done.then(onClose).catch(faults.take)
  }
  return (
    <FormDialog
      title={topic ? `Edit “${topic.name}”` : 'New topic'}
      action={topic ? 'Save' : 'Create topic'}
      busy={create.isPending || update.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="Name"
        pointer="/name"
        faults={faults}
        value={values.name}
        onChange={(name) => setValues({ ...values, name })}
        autoFocus
        description="Readers see it, such as “Product news”."
      />
      <FormField
        label="Description"
        pointer="/description"
        faults={faults}
        value={values.description}
        onChange={(description) => setValues({ ...values, description })}
        description="Readers see it below the name: what comes, and how often."
      />
      <Select
        label="Mail of it goes to"
        value={values.subscription}
        error={faults.at('/subscription')}
        options={optionsOf(SUBSCRIPTIONS)}
        onChange={({ currentTarget }) => setValues({ ...values, subscription: currentTarget.value as Subscription })}
      />
      {values.subscription === 'opt_in' && (
        <Checkbox
          label="People you subscribe are asked by mail first"
          checked={values.doubleOptIn}
          onChange={({ currentTarget }) => setValues({ ...values, doubleOptIn: currentTarget.checked })}
        />
      )}
      <Select
        label="Shown to"
        value={values.visibility}
        error={faults.at('/visibility')}
        options={optionsOf(VISIBILITIES)}
        onChange={({ currentTarget }) => setValues({ ...values, visibility: currentTarget.value as Visibility })}
      />
    </FormDialog>
  )
}
