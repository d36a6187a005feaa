import { countText } from '../../lib/format.ts'
import type { TrackerHealth as Health, Tracker } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { Notice } from '../../ui/notice.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { DROPPED } from './tracker-words.ts'
import classes from './trackers.module.css'

const POLL_MS = 10_000

export function TrackerBadge({ paused }: Pick<Tracker, 'paused'>) {
  return paused ? <StatusBadge tone="neutral">Paused</StatusBadge> : <StatusBadge tone="good">Records</StatusBadge>
}

/** What came of what pages sent. */
export function TrackerHealth({ id }: { id: string }) {
  const health = useSite('GET /trackers/{id}/health', { params: { id } }, { pollMs: POLL_MS })
  return (
    <Panel title="Health" note="Last 7 days">
      <Shown read={health}>{(one) => <HealthFacts health={one} />}</Shown>
    </Panel>
  )
}

function HealthFacts({ health }: { health: Health }) {
  const { lastEventAt, recorded, rejected, dropped, refusedOrigins, warnings } = health
  return (
    <div className={classes.health}>
      {warnings.includes('no-events') && (
        <Notice tone="warn">Nothing was recorded. Is the line of HTML in your pages?</Notice>
      )}
      {warnings.includes('origins-refused') && (
        <Notice tone="warn">Pages of other sites were refused. If one of them is yours, add it to the sites.</Notice>
      )}
      <Facts>
        <Fact name="Last event">{lastEventAt === null ? 'None' : <RelativeTime at={lastEventAt} />}</Fact>
        <Fact name="Recorded">{countText(recorded, 'event')}</Fact>
        <Fact name="Refused as not fitting">{countText(rejected, 'event')}</Fact>
        {DROPPED.map(({ reason, words }) => (
          <Fact key={reason} name={words}>
            {dropped[reason] === 0 ? 'None' : `${countText(dropped[reason], 'event')}, thrown away`}
          </Fact>
        ))}
        <Fact name="Refused sites">
          {refusedOrigins.length === 0 ? 'None' : <RefusedSites origins={refusedOrigins} />}
        </Fact>
      </Facts>
    </div>
  )
}

function RefusedSites({ origins }: { origins: Health['refusedOrigins'] }) {
  return (
    <ul className={classes.list}>
      {origins.map(({ origin, requests, lastAt }) => (
        <li key={origin}>
          {origin === 'none' ? 'No site named' : <code>{origin}</code>}{' '}
          <span className="soft">
            {countText(requests, 'time')}, last <RelativeTime at={lastAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
