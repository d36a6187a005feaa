import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForgetRead } from '../../lib/forget-read.ts'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { siteUrl } from '../../lib/site.ts'
import type { Contact } from '../../lib/site-types.ts'
import { useAct } from '../../lib/use-site.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/controls.tsx'
import { DotsIcon, DownloadIcon, TrashIcon, UserPlusIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { MailOffIcon } from '../../ui/rare-icons.tsx'
import { say } from '../../ui/toasts.tsx'

const UnsubscribeDialog = lazyPart(() => import('../unsubscribes/unsubscribe-dialog.tsx'))
const MergeContact = lazyPart(() => import('./merge-contact.tsx'))

/** What the law and a clean address book ask of a contact: no more mail, everything known of them as a file, and its erasure. */
export function ContactActs({ contact }: { contact: Contact }) {
  const can = useCan()
  const navigate = useNavigate()
  const [isErasing, setErasing] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const [isMerging, setMerging] = useState(false)
  const forgetRead = useForgetRead()
  const erase = useAct('DELETE /contacts/{contactId}')
  const params = { contactId: contact.id }
  const { email, unsubscribedFrom } = contact
  const mayLeave = can('contacts:write') && email !== null && !unsubscribedFrom.includes('everything')
  const typed = email ?? contact.subjectId ?? contact.phone ?? contact.id
  return (
    <>
      <Menu
        target={<IconButton label="More" icon={DotsIcon} tooltip={false} />}
        entries={[
          {
            label: 'Everything known of them (JSON)',
            icon: DownloadIcon,
            href: siteUrl('GET /contacts/{contactId}/export', { params, query: {} }),
          },
          ...(mayLeave ? [{ label: 'Unsubscribe', icon: MailOffIcon, onSelect: () => setLeaving(true) }] : []),
          ...(can('contacts:write')
            ? [{ label: 'Merge another contact in', icon: UserPlusIcon, onSelect: () => setMerging(true) }]
            : []),
          ...(can('contacts:erase')
            ? [{ label: 'Erase this person', icon: TrashIcon, danger: true, onSelect: () => setErasing(true) }]
            : []),
        ]}
      />
      {isLeaving && email !== null && <UnsubscribeDialog email={email} onClose={() => setLeaving(false)} />}
      {isMerging && <MergeContact contact={contact} onClose={() => setMerging(false)} />}
      <ConfirmDialog
        title="Erase this person"
        opened={isErasing}
        onClose={() => setErasing(false)}
        action="Erase 1 person"
        danger
        typed={typed}
        onConfirm={async () => {
          await erase.mutateAsync({ params })
          forgetRead()
          await navigate({ to: '/contacts' as never })
          say('Erased. What else tells of them is removed within minutes.')
        }}
      >
        <p>
          The contact is gone at once; events, messages, files and recorded answers that tell of them follow within
          minutes. This cannot be undone.
        </p>
        <p className="soft">Their opt-outs and anonymous totals stay, so that nobody writes to them by mistake.</p>
      </ConfirmDialog>
    </>
  )
}
