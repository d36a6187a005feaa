import { useState } from 'react'
import type { SiteCustomField } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'
import { type FieldType, TYPE_OPTIONS } from './field-types.ts'

/** A new field, or another name and key for one. */
export function EditField({ field, onClose }: { field?: SiteCustomField; onClose: () => void }) {
  const [values, setValues] = useState({
    key: field?.key ?? '',
    name: field?.name ?? '',
    type: field?.type ?? 'string',
  })
  const faults = useFormFaults(['/key', '/name', '/type'])
  const changes = ['/custom-fields', '/contacts']
  const create = useAct('POST /custom-fields', { changes })
  const update = useAct('PATCH /custom-fields/{id}', { changes })
  const submit = () => {
    const { key, name, type } = values
    const named = name.trim() === '' ? {} : { name }
    const done = field
      ? update.mutateAsync({ params: { id: field.id }, body: { key, ...named } })
      : create.mutateAsync({ body: { key, ...named, type } })
    done.then(onClose).catch(faults.take)
  }
  const busy = create.isPending || update.isPending
  return (
    <FormDialog
      title={field ? `Rename “${field.name}”` : 'New field'}
      action={field ? 'Save' : 'Create field'}
      busy={busy}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="Key"
        pointer="/key"
        faults={faults}
        value={values.key}
        onChange={(key) => setValues({ ...values, key })}
        autoFocus
        description={
          field
            ? 'Values, segments and forms follow a new key within moments. Templates and programs may go on naming this one.'
            : 'As your program and your templates write it, such as plan.'
        }
      />
      <FormField
        label="Name"
        pointer="/name"
        faults={faults}
        value={values.name}
        onChange={(name) => setValues({ ...values, name })}
        description="As people read it; the key where there is none."
      />
      {!field && (
        <Select
          label="Type"
          value={values.type}
          error={faults.at('/type')}
          options={TYPE_OPTIONS}
          onChange={(event) => setValues({ ...values, type: event.currentTarget.value as FieldType })}
        />
      )}
    </FormDialog>
  )
}
