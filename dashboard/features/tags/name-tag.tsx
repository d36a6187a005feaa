import { useState } from 'react'
import type { CountedTag } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'

/** A new tag, or another name for one. */
export function NameTag({ tag, onClose }: { tag: CountedTag | undefined; onClose: () => void }) {
  const [name, setName] = useState(tag?.name ?? '')
  const faults = useFormFaults(['/name'])
  const create = useAct('POST /tags', { changes: ['/tags'] })
  const rename = useAct('PATCH /tags/{id}', { changes: ['/tags', '/contacts'] })
  const submit = () => {
    const done = tag
      ? rename.mutateAsync({ params: { id: tag.id }, body: { name } })
      : create.mutateAsync({ body: { name } })
    done.then(onClose).catch(faults.take)
  }
  return (
    <FormDialog
      title={tag ? `Rename “${tag.name}”` : 'New tag'}
      action={tag ? 'Rename' : 'Create tag'}
      busy={create.isPending || rename.isPending}
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
        description={
          tag
            ? 'Contacts keep it, and segments and forms that name it follow. Programs that send the old name make a new tag.'
            : 'Whatever the case of its letters, it is one tag.'
        }
      />
    </FormDialog>
  )
}
