import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Template } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { DotsIcon, SpeakerphoneIcon, TrashIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { TemplateUse } from './template-use.tsx'

/** What else can be done with a template, as it stands on the page: saved or not yet. */
export function TemplateMenu({ template }: { template: Template }) {
  const can = useCan()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const create = useAct('POST /broadcasts', { changes: ['/broadcasts'] })
  const remove = useAct('DELETE /templates/{id}', { changes: ['/templates'] })
  const { id, name, subject, body, text } = template
  const use = async () => {
    const { value } = await create.mutateAsync({ body: { name, subject, body, text } })
    await navigate({ to: `/broadcasts/${value.id}` as never })
  }
  const entries = [
    ...(can('broadcasts:write')
      ? [{ label: 'Send as a broadcast', icon: SpeakerphoneIcon, onSelect: () => void use().catch(sayProblem) }]
      : []),
    ...(can('templates:write')
      ? [{ label: 'Delete', icon: TrashIcon, danger: true, onSelect: () => setDeleting(true) }]
      : []),
  ]
  if (entries.length === 0) return null
  return (
    <>
      <Menu target={<IconButton label="More" icon={DotsIcon} tooltip={false} />} entries={entries} />
      <ConfirmDialog
        title="Delete this template"
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        action="Delete"
        danger
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id } })
          await navigate({ to: '/templates' as never, replace: true })
        }}
      >
        <p>
          “{name}” can no longer be sent. Messages that were accepted with it still go out, and broadcasts keep their
          text. A program that goes on naming it is refused.
        </p>
        <TemplateUse id={id} />
      </ConfirmDialog>
    </>
  )
}
