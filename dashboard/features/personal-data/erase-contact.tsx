import { useNavigate } from '@tanstack/react-router'
import { useForgetRead } from '../../lib/forget-read.ts'
import type { Contact } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { say } from '../../ui/toasts.tsx'

/** Erases one person, once their address is typed. */
export default function EraseContact({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const navigate = useNavigate()
  const forgetRead = useForgetRead()
  const erase = useAct('DELETE /contacts/{contactId}')
  const { id, email, subjectId, phone } = contact
  return (
    <ConfirmDialog
      title="Erase this person"
      opened
      onClose={onClose}
      action="Erase 1 person"
      danger
      typed={email ?? subjectId ?? phone ?? id}
      onConfirm={async () => {
        await erase.mutateAsync({ params: { contactId: id } })
        forgetRead()
        await navigate({ to: '/contacts' as never, replace: true })
        say('Erased. What else tells of them is removed within minutes.')
      }}
    >
      <p>
        The contact is gone at once; events, messages, files and recorded answers that tell of them follow within
        minutes. This cannot be undone.
      </p>
      <p className="soft">Their opt-outs and anonymous totals stay, so that nobody writes to them by mistake.</p>
    </ConfirmDialog>
  )
}
