import { useCan } from '../../lib/permissions.ts'
import type { Contact } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { useChangeContact } from './change-contact.ts'
import { InlineText } from './inline-text.tsx'

const FIELDS_MAX = 500
const KNOWN_FOR_MS = 60_000

/** The fields that the workspace added. A value keeps its kind: a number stays one, a text that looks like one stays a text. */
export function CustomFields({ contact, etag }: { contact: Contact; etag: string | undefined }) {
  const can = useCan()
  const change = useChangeContact(contact.id, etag)
  const entries = Object.entries(contact.customFields)
  const fields = useSite(
    'GET /custom-fields',
    { query: { pageSize: FIELDS_MAX } },
    { enabled: entries.length > 0 && can('custom_fields:read'), staleMs: KNOWN_FOR_MS },
  )
  const nameOf = (key: string) => fields.data?.items.find((field) => field.key === key)?.name ?? key
  if (entries.length === 0) return null
  return (
    <Panel title="Custom fields">
      <Facts>
        {entries.map(([key, value]) => (
          <Fact key={key} name={nameOf(key)}>
            <InlineText
              label={nameOf(key)}
              pointer={`/customFields/${key}`}
              value={textOf(value)}
              readOnly={!can('contacts:write') || (typeof value === 'object' && value !== null)}
              onSave={(text) => change({ customFields: { [key]: valueLike(text, value) } })}
            />
          </Fact>
        ))}
      </Facts>
    </Panel>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
}

/** Of the kind that was there; one that does not fit goes as text, which the server takes or refuses with the reason. */
export function valueLike(text: string, before: unknown): unknown {
  if (text === '') return null
  if (typeof before === 'number' && Number.isFinite(Number(text))) return Number(text)
  if (typeof before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
