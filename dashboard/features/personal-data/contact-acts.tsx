import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { siteUrl } from '../../lib/site.ts'
import type { Contact } from '../../lib/site-types.ts'
import { IconButton } from '../../ui/controls.tsx'
import { DotsIcon, DownloadIcon, TrashIcon, UserPlusIcon } from '../../ui/icons.tsx'
import { Menu } from '../../ui/menu.tsx'
import { MailOffIcon } from '../../ui/rare-icons.tsx'

const EraseContact = lazyPart(() => import('./erase-contact.tsx'))
const UnsubscribeDialog = lazyPart(() => import('../unsubscribes/unsubscribe-dialog.tsx'))
const MergeContact = lazyPart(() => import('./merge-contact.tsx'))

/** What the law and a clean address book ask of a contact: no more mail, everything known of them as a file, and its erasure. */
export function ContactActs({ contact }: { contact: Contact }) {
  const can = useCan()
  const [isErasing, setErasing] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const [isMerging, setMerging] = useState(false)
  const params = { contactId: contact.id }
  const { email, unsubscribedFrom } = contact
  const mayLeave = can('contacts:write') && email !== null && !unsubscribedFrom.includes('everything')
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
      {isErasing && <EraseContact contact={contact} onClose={() => setErasing(false)} />}
    </>
  )
}
