import { useId } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { useSite } from '../../lib/use-site.ts'
import { TextField } from '../../ui/text-field.tsx'
import { CONTACT_FIELDS, eventField, eventNameOf, type FieldEntry, kindOf, SETS, TRIGGER } from './rule-catalogue.ts'
import classes from './segments.module.css'

const EVENT = 'event'
const NAMES_MAX = 200
/** Events that mail makes, by words for them. */
const MAIL = Object.entries({
  sent: 'Mail sent',
  opened: 'Mail opened',
  clicked: 'Mail clicked',
  bounced: 'Mail bounced',
})
const OF_RUN: readonly string[] = ['property', 'variable', 'clicked']

/** The field that a rule is about; of an event also its name. */
export function FieldPicker({
  place,
  field,
  fields,
  onChange,
}: {
  place: string
  field: string
  fields: readonly FieldEntry[]
  onChange: (field: string) => void
}) {
  const kind = kindOf(field, fields)
  const custom = fields.filter((entry) => entry.field.startsWith('custom:'))
  const ofRun = fields.filter((entry) => OF_RUN.includes(entry.kind))
  const listId = useId()
  const isMail = MAIL.some(([name]) => field === eventField(`email.${name}`))
  const chosen = isMail ? field : kind === 'event' ? EVENT : kind === 'property' ? TRIGGER : field
  const isKnown = kind === 'event' || kind in SETS || fields.some((entry) => entry.field === chosen)
  return (
    <>
      <select
        className={`select ${classes.field}`}
        aria-label={`Field of rule ${place}`}
        value={chosen}
        onChange={(event) => onChange(event.currentTarget.value === EVENT ? eventField('') : event.currentTarget.value)}
      >
        <optgroup label="Contact">
          {CONTACT_FIELDS.map((entry) => (
            <option key={entry.field} value={entry.field}>
              {entry.label}
            </option>
          ))}
        </optgroup>
        {custom.length > 0 && (
          <optgroup label="Custom fields">
            {custom.map((entry) => (
              <option key={entry.field} value={entry.field}>
                {entry.label}
              </option>
            ))}
          </optgroup>
        )}
        {ofRun.length > 0 && (
          <optgroup label="This automation">
            {ofRun.map((entry) => (
              <option key={entry.field} value={entry.field}>
                {entry.label}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="Mail">
          {MAIL.map(([name, label]) => (
            <option key={name} value={eventField(`email.${name}`)}>
              {label}
            </option>
          ))}
        </optgroup>
        <optgroup label="More">
          {Object.entries(SETS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          <option value={EVENT}>Event</option>
        </optgroup>
        {!isKnown && <option value={field}>{field}</option>}
      </select>
      {kind === 'property' && (
        <TextField
          className={classes.field}
          aria-label={`Property of rule ${place}`}
          placeholder="total"
          value={field.slice(TRIGGER.length)}
          onChange={(event) => onChange(`${TRIGGER}${event.currentTarget.value}`)}
        />
      )}
      {kind === 'event' && !isMail && (
        <>
          <TextField
            className={classes.field}
            aria-label={`Event of rule ${place}`}
            placeholder="order.paid"
            value={eventNameOf(field)}
            list={listId}
            onChange={(event) => onChange(eventField(event.currentTarget.value))}
          />
          <EventNames id={listId} />
        </>
      )}
    </>
  )
}

/** Names of events that were seen, for the field of one. */
export function EventNames({ id }: { id: string }) {
  const can = useCan()
  const actions = useSite('GET /events/actions', { query: { pageSize: NAMES_MAX } }, { enabled: can('events:read') })
  return (
    <datalist id={id}>
      {actions.data?.items.map(({ action }) => (
        <option key={action} value={action} />
      ))}
    </datalist>
  )
}
