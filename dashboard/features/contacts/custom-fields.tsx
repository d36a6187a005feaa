import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import type { Contact } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { useChangeContact } from './change-contact.ts'
import { fieldValue, textOf, toldText, typeLike } from './field-value.ts'
import { InlineText } from './inline-text.tsx'

const FIELDS_MAX = 500
const KNOWN_FOR_MS = 60_000

/**
 * The fields that the workspace added: those that the contact has a value of, and the others when asked for. A new value is of the
 * field's type, declared or not, whatever stood there before.
 */
export function CustomFields({ contact, etag }: { contact: Contact; etag: string | undefined }) {
  const can = useCan()
  const change = useChangeContact(contact.id, etag)
  const [showsAll, setShowsAll] = useState(false)
  const canChange = can('contacts:write')
  const canAdd = canChange && can('custom_fields:read')
  const entries = Object.entries(contact.customFields)
  const fields = useSite(
    'GET /custom-fields',
    { query: { pageSize: FIELDS_MAX } },
    { enabled: (entries.length > 0 || showsAll) && can('custom_fields:read'), staleMs: KNOWN_FOR_MS },
  )
  const fieldOf = (key: string) => fields.data?.items.find((field) => field.key === key)
  if (entries.length === 0 && !canAdd) return null
  const others = showsAll
    ? (fields.data?.items ?? []).filter(({ key }) => !Object.hasOwn(contact.customFields, key))
    : []
  const shown = [...entries, ...others.map(({ key }): [string, unknown] => [key, null])]
  return (
    <Panel
      title="Custom fields"
      actions={
        canAdd ? (
          <Button small aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Hide empty ones' : 'Show empty ones'}
          </Button>
        ) : undefined
      }
    >
      {showsAll && fields.data && shown.length === 0 && (
        <p className="soft">The workspace has none yet. Files, programs and the page “Custom fields” add them.</p>
      )}
      {entries.length === 0 && !showsAll && <p className="soft">None has a value.</p>}
      <Facts>
        {shown.map(([key, value]) => {
          const { name = key, type = typeLike(value) } = fieldOf(key) ?? {}
          return (
            <Fact key={key} name={name}>
              <InlineText
                label={name}
                pointer={`/customFields/${key}`}
                value={textOf(value)}
                shown={toldText(value)}
                readOnly={!canChange || (typeof value === 'object' && value !== null)}
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
