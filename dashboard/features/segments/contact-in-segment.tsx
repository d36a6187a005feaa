import { useState } from 'react'
import { useSite } from '../../lib/use-site.ts'
import { Select } from '../../ui/controls.tsx'
import { CheckIcon, XIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { CONTACT_FIELDS, kindOf, operatorText } from './rule-catalogue.ts'
import classes from './segments.module.css'

const SEGMENTS_MAX = 500

/** Whether a contact is in a segment, and by which rules: asked for one segment at a time. */
export function ContactInSegment({ contactId }: { contactId: string }) {
  const [id, setId] = useState('')
  const segments = useSite('GET /segments', { query: { pageSize: SEGMENTS_MAX } })
  const items = segments.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Panel title="Segments">
      <Select
        id="contact-segment"
        label="Segment"
        hideLabel
        value={id}
        options={[
          { value: '', label: 'Is this person in…' },
          ...items.map((one) => ({ value: one.id, label: one.name })),
        ]}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      {id !== '' && <Membership key={id} contactId={contactId} segmentId={id} />}
    </Panel>
  )
}

function Membership({ contactId, segmentId }: { contactId: string; segmentId: string }) {
  const params = { id: segmentId, contactId }
  const membership = useSite('GET /segments/{id}/contacts/{contactId}/explain', { params })
  return (
    <div className={classes.membership}>
      <Shown read={membership} rows={2}>
        {({ isMember, rules }) => (
          <>
            <p>
              <StatusBadge tone={isMember ? 'good' : 'neutral'}>{isMember ? 'In it' : 'Not in it'}</StatusBadge>{' '}
              <Link to={`/segments/${segmentId}`}>See the rules</Link>
            </p>
            <ul>
              {rules.map(({ pointer, field, operator, holds }) => (
                <li key={pointer} data-holds={holds || undefined}>
                  {holds ? <CheckIcon size={14} /> : <XIcon size={14} />}
                  <span>
                    <span className="visually-hidden">{holds ? 'Holds: ' : 'Does not hold: '}</span>
                    {fieldText(field)} {operatorText(operator, kindOf(field, CONTACT_FIELDS))}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </div>
  )
}

function fieldText(field: string): string {
  const known = CONTACT_FIELDS.find((entry) => entry.field === field)?.label
  if (known !== undefined) return known
  const [kind = '', name] = field.split(/:(.*)/s)
  return name === undefined ? kind.charAt(0).toUpperCase() + kind.slice(1) : name
}
