import { useState } from 'react'
import { useSite } from '../../lib/use-site.ts'
import { Button } from '../../ui/controls.tsx'
import { PlayerPauseIcon, PlayerPlayIcon } from '../../ui/icons.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/states.tsx'
import { EventRow } from '../events/event-row.tsx'
import events from '../events/events.module.css'

const POLL_MS = 2_000
const SHOWN = 15

/** What browsers send, as it comes in: whoever puts the line into a page sees here that it works. */
export function TrackerEvents({ isOnly }: { isOnly: boolean }) {
  const [isLive, setLive] = useState(true)
  const query = { source: 'collect', limit: SHOWN } as const
  const latest = useSite('GET /events', { query }, { pollMs: isLive && POLL_MS })
  return (
    <Panel
      title="Live"
      note={isOnly ? 'What pages send' : 'What pages send, under all trackers'}
      flush
      actions={
        <Button icon={isLive ? PlayerPauseIcon : PlayerPlayIcon} onClick={() => setLive(!isLive)}>
          {isLive ? 'Hold still' : 'Go on live'}
        </Button>
      }
    >
      <Shown read={latest} rows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft panel-words">
              Nothing yet. Open a page that has the line: its visit stands here in a second or two.
            </p>
          ) : (
            <ol className={events.events} aria-label="Events of browsers, newest first">
              {items.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ol>
          )
        }
      </Shown>
    </Panel>
  )
}
