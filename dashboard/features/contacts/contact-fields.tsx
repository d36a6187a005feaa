import { useCan } from '../../lib/permissions.ts'
import type { Contact } from '../../lib/site-types.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useChangeContact } from './change-contact.ts'
import { InlineText } from './inline-text.tsx'

const FIELDS = [
  { name: 'email', label: 'Email' },
  { name: 'firstName', label: 'First name' },
  { name: 'lastName', label: 'Last name' },
  { name: 'phone', label: 'Phone' },
  { name: 'subjectId', label: 'Your id' },
  { name: 'timeZone', label: 'Time zone' },
] as const

/** The fields that every contact has, each changed where it stands. */
export function ContactFields({ contact, etag }: { contact: Contact; etag: string | undefined }) {
  const can = useCan()
  const change = useChangeContact(contact.id, etag)
  return (
    <Panel title="Details">
      <Facts>
        {FIELDS.map(({ name, label }) => (
          <Fact key={name} name={label}>
            <InlineText
              label={label}
              pointer={`/${name}`}
              value={contact[name] ?? ''}
              readOnly={!can('contacts:write')}
              read={(text) => ({ value: text === '' ? null : text })}
              onSave={(read) => change({ [name]: read })}
            />
          </Fact>
        ))}
        <Fact name="Id">
          <Copyable text={contact.id} what="the id" />
        </Fact>
        <Fact name="Created">
          <RelativeTime at={contact.createdAt} absolute />
        </Fact>
        <Fact name="Changed">
          <RelativeTime at={contact.updatedAt} />
        </Fact>
      </Facts>
    </Panel>
  )
}
