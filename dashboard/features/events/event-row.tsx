import { useCan } from '../../lib/permissions.ts'
import type { Event } from '../../lib/site-types.ts'
import { Link } from '../../ui/link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { pageText } from './event-words.ts'
import classes from './events.module.css'

/** An event of a list, which opens to show all that was told. */
export function EventRow({ event }: { event: Event }) {
  const can = useCan()
  const nobody = event.contactId === null ? 'Nobody in particular' : `Contact ${event.contactId}`
  const who = event.email ?? event.subjectId ?? event.phone ?? nobody
  return (
    <li>
      <details className={classes.event}>
        <summary>
          <span className={classes.what} title={event.action}>
            <span className={classes.action}>{event.action}</span>
            {event.action === 'page.view' && <span className={classes.page}>{pageText(event.properties)}</span>}
          </span>
          <span className={classes.who}>{who}</span>
          <span className={classes.when}>
            <RelativeTime at={event.occurredAt} />
          </span>
        </summary>
        <div className={classes.inside}>
          <pre>{JSON.stringify(event.properties, null, 2)}</pre>
          <p className="soft">
            Event {event.id}, recorded <RelativeTime at={event.recordedAt} />
            {event.contactId !== null && can('contacts:read') && (
              <>
                {', of '}
                <Link to={`/contacts/${event.contactId}`}>this contact</Link>
              </>
            )}
          </p>
        </div>
      </details>
    </li>
  )
}
