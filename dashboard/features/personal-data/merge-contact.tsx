import { useState } from 'react'
import type { Contact } from '../../lib/site-types.ts'
import { useAct, useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { useFormFaults } from '../../ui/form.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { say } from '../../ui/toasts.tsx'
import { contactName } from '../contacts/contact-name.ts'

const FOUND_MAX = 20
const SEARCH_CHARS_MIN = 2

/** Another contact of the same person becomes part of this one. */
export default function MergeContact({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const [search, setSearch] = useState('')
  const [other, setOther] = useState('')
  const faults = useFormFaults(['/contactId'])
  const found = useSite(
    'GET /contacts',
    { query: { search: search.trim(), pageSize: FOUND_MAX } },
    { enabled: search.trim().length >= SEARCH_CHARS_MIN, keep: true },
  )
  const merge = useAct('POST /contacts/{contactId}/merge', { changes: ['/contacts', '/messages'] })
  const others = (found.data?.items ?? []).filter(({ id }) => id !== contact.id)
  const submit = () => {
    merge
      .mutateAsync({ params: { contactId: contact.id }, body: { contactId: other } })
      .then(() => {
        onClose()
        say('Two contacts are one now.')
      })
      .catch(faults.take)
  }
  return (
    <FormDialog
      title={`Merge another contact into ${contactName(contact)}`}
      action="Merge 2 contacts"
      kind="danger"
      disabled={other === ''}
      busy={merge.isPending}
      faults={faults}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="soft">
        Its events, messages, tags and consents become those of this contact; fields that are blank here are taken from
        it. The other contact is no more afterwards.
      </p>
      <TextField
        label="Find the other one"
        placeholder="Name, address, phone or your id"
        value={search}
        data-autofocus
        onChange={(event) => {
          setSearch(event.currentTarget.value)
          setOther('')
        }}
      />
      <Select
        label="The other contact"
        value={other}
        error={faults.at('/contactId')}
        options={[
          { value: '', label: others.length === 0 ? 'Nobody found yet' : 'Choose one' },
          ...others.map((one) => ({
            value: one.id,
            label: `${contactName(one)} (${one.email ?? one.phone ?? one.subjectId ?? one.id})`,
          })),
        ]}
        onChange={(event) => setOther(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
