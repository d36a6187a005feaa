import { useState } from 'react'
import { useCan } from '../../lib/permissions.ts'
import { useSitePages } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import { FilterBar, SearchField } from '../../ui/filter-bar.tsx'
import { ActivityIcon, PlayerPauseIcon, PlayerPlayIcon } from '../../ui/icons.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { EmptyState, NoneFits, Shown } from '../../ui/states.tsx'
import { EventRow } from './event-row.tsx'
import classes from './events.module.css'

const POLL_MS = 2_000
const PAGE_SIZE = 50

/** Events as they come, newest first; held still while somebody reads. */
export function LiveEvents() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ action: '' })
  const [isLive, setLive] = useState(true)
  const query = { action: url.action || undefined, limit: PAGE_SIZE }
  const events = useSitePages('GET /events', { query }, { pollMs: isLive && POLL_MS })
  return (
    <>
      <FilterBar
        active={url.action === '' ? 0 : 1}
        onClear={() => setUrl({ action: '' })}
        end={
          <Button icon={isLive ? PlayerPauseIcon : PlayerPlayIcon} onClick={() => setLive(!isLive)}>
            {isLive ? 'Hold still' : 'Go on live'}
          </Button>
        }
      >
        <SearchField
          label="Event name"
          placeholder="Name, exactly: order.paid"
          value={url.action}
          onChange={(action) => setUrl({ action }, { replace: true })}
        />
      </FilterBar>
      <Shown read={events} rows={10}>
        {(items) =>
          items.length === 0 && events.more ? (
            <NoneFits noun="event" onClear={() => setUrl({ action: '' })} more={events.more} />
          ) : items.length === 0 ? (
            <EmptyState
              title={url.action === '' ? 'Nothing has happened yet' : 'No event of this name'}
              icon={ActivityIcon}
              actions={url.action === '' && can('tokens:write') && <ButtonLink to="/tokens/new">New token</ButtonLink>}
            >
              {url.action === ''
                ? 'With a token your program records what people do in your product: it appears here within a second.'
                : 'Names are exact. Those that were seen stand under Names.'}
            </EmptyState>
          ) : (
            <>
              <ol className={classes.events} aria-label="Events, newest first">
                {items.map((event) => (
                  <EventRow key={event.id} event={event} />
                ))}
              </ol>
              <ShowMore more={events.more} />
            </>
          )
        }
      </Shown>
    </>
  )
}
