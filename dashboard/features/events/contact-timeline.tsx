import { useInfiniteQuery } from '@tanstack/react-query'
import type { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { ContactTimeline as Timeline, TimelineEvent } from '../../lib/site-types.ts'
import { keyOf } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { ActivityIcon } from '../../ui/icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, Shown } from '../../ui/states.tsx'
import classes from './contact-timeline.module.css'
import { eventText } from './event-words.ts'

/** Everything the person did and that happened to them, newest first. */
export function ContactTimeline({ contactId }: { contactId: string }) {
  const params = { contactId }
  const timeline = useInfiniteQuery<
    Timeline,
    SiteProblem,
    { pages: Timeline[] },
    readonly unknown[],
    string | undefined
  >({
    queryKey: [...keyOf('GET /contacts/{contactId}/events', { params }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      site('GET /contacts/{contactId}/events', { params, query: { cursor: pageParam }, signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  return (
    <Shown read={timeline}>
      {({ pages }) => {
        const events = pages.flatMap(({ items }) => items)
        if (events.length === 0) {
          return (
            <EmptyState title="Nothing has happened yet" icon={ActivityIcon}>
              What your program records of this person, and their opens and clicks, appear here a moment later.
            </EmptyState>
          )
        }
        return (
          <>
            <ol className={classes.events}>
              {events.map((event) => (
                <Event key={event.id} event={event} />
              ))}
            </ol>
            {timeline.hasNextPage && (
              <Button busy={timeline.isFetchingNextPage} onClick={() => timeline.fetchNextPage()}>
                Show older
              </Button>
            )}
          </>
        )
      }}
    </Shown>
  )
}

function Event({ event }: { event: TimelineEvent }) {
  const entries = Object.entries(event.properties)
  const words = eventText(event)
  return (
    <li className={classes.event}>
      <div className={classes.head}>
        <span className={classes.action}>
          {words ?? event.action}
          {words !== undefined && <code className={classes.name}>{event.action}</code>}
        </span>
        <span className="soft">
          <RelativeTime at={event.occurredAt} />
        </span>
      </div>
      {entries.length > 0 && (
        <details>
          <summary>{entries.length === 1 ? '1 property' : `${entries.length} properties`}</summary>
          <dl>
            {entries.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  )
}
