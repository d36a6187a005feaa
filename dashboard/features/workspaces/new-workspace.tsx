import { useState } from 'react'
import { useAct } from '../../lib/use-site.ts'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { FormField } from '../../ui/form-field.tsx'

const SLUG_LENGTH_MAX = 40

/** Another workspace, of which one is the owner. */
export default function NewWorkspace({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string>()
  const faults = useFormFaults(['/name', '/slug'])
  const create = useAct('POST /site/workspaces')
  const body = { name: name.trim(), slug: slug ?? slugOf(name) }
  const submit = () =>
    create
      .mutateAsync({ body })
      .then(({ value }) => {
        location.assign(`/app/${value.slug}`)
        // What is pressed until that page is there would ask for the same name again.
        return new Promise(() => {})
      })
      .catch(faults.take)
  return (
    <FormDialog
      title="New workspace"
      action="Make workspace"
      busy={create.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField
        label="Name"
        pointer="/name"
        description="Readers see it."
        autoFocus
        faults={faults}
        value={name}
        onChange={setName}
      />
      <FormField
        label="Part of addresses"
        pointer="/slug"
        description="Small letters, digits and hyphens. It stays."
        faults={faults}
        value={body.slug}
        onChange={setSlug}
      />
    </FormDialog>
  )
}

/** `Analytical Engines` as `analytical-engines`. */
function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH_MAX)
    .replaceAll(/^-|-$/g, '')
}
