import { useState } from 'react'
import type { CountedTag } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { Form, FormField } from '../../ui/form-field.tsx'

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
    <Dialog title={tag ? `Rename “${tag.name}”` : 'New tag'} opened onClose={onClose}>
      <Form
        faults={faults}
        onSubmit={submit}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" busy={create.isPending || rename.isPending}>
              {tag ? 'Rename' : 'Create tag'}
            </Button>
          </>
        }
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
      </Form>
    </Dialog>
  )
}
