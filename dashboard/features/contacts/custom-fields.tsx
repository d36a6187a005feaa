import { useCan } from '../../lib/permissions.ts'
import type { Contact } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { useChangeContact } from './change-contact.ts'
import { fieldValue, textOf, typeLike } from './field-value.ts'
import { InlineText } from './inline-text.tsx'

const FIELDS_MAX = 500
const KNOWN_FOR_MS = 60_000

/** The fields that the workspace added. A new value is of the field's type, declared or not, whatever stood there before. */
export function CustomFields({ contact, etag }: { contact: Contact; etag: string | undefined }) {
  const can = useCan()
  const change = useChangeContact(contact.id, etag)
  const entries = Object.entries(contact.customFields)
  const fields = useSite(
    'GET /custom-fields',
    { query: { pageSize: FIELDS_MAX } },
    { enabled: entries.length > 0 && can('custom_fields:read'), staleMs: KNOWN_FOR_MS },
  )
  const fieldOf = (key: string) => fields.data?.items.find((field) => field.key === key)
  if (entries.length === 0) return null
  return (
    <Panel title="Custom fields">
      <Facts>
        {entries.map(([key, value]) => {
          const { name = key, type = typeLike(value) } = fieldOf(key) ?? {}
          return (
            <Fact key={key} name={name}>
              <InlineText
                label={name}
                pointer={`/customFields/${key}`}
                value={textOf(value)}
                readOnly={!can('contacts:write') || (typeof value === 'object' && value !== null)}
                read={(text) => fieldValue(text, type)}
                onSave={(read) => change({ customFields: { [key]: read } })}
              />
            </Fact>
          )
        })}
      </Facts>
    </Panel>
  )
}
