import { dateText, numberText, shareText } from '../../lib/format.ts'
import type { MailCounts, Overview } from '../../lib/site-types.ts'
import { SeriesChart } from '../../ui/series-chart.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import classes from './overview.module.css'

/** Sums of the time with the time before, and the days one by one. */
export function MailNumbers({ overview: { totals, before, series }, days }: { overview: Overview; days: number }) {
  return (
    <>
      <Stats>
        <Count label="Accepted" now={totals.accepted} before={before.accepted} />
        <Count
          label="Opened by people"
          now={totals.openedByPeople}
          before={before.openedByPeople}
          of={totals.accepted}
        />
        <Count
          label="Clicked by people"
          now={totals.clickedByPeople}
          before={before.clickedByPeople}
          of={totals.accepted}
        />
        <Count label="Bounced" now={totals.bounced} before={before.bounced} />
        <Count label="Complained" now={totals.complained} before={before.complained} of={totals.accepted} />
        <Count label="Unsubscribed" now={totals.unsubscribed} before={before.unsubscribed} of={totals.accepted} />
      </Stats>
      {totals.accepted + before.accepted > 0 && (
        <SeriesChart
          title={finding(totals, before, days)}
          points={series.map(({ at }) => dateText(at))}
          series={[
            { name: 'Accepted', kind: 'bars', tone: 'accent', values: series.map(({ accepted }) => accepted) },
            {
              name: 'Opened by people',
              kind: 'line',
              tone: 'good',
              values: series.map(({ openedByPeople }) => openedByPeople),
            },
          ]}
        />
      )}
      <p className="soft">
        Machines, counted apart: {numberText(totals.openedByMachines)} opened, {numberText(totals.clickedByMachines)}{' '}
        clicked. Failed for good: {numberText(totals.failed)}.
      </p>
    </>
  )
}

/** Its share of the mail of this time. What became of older mail counts when it happens: more than all says nothing as a share. */
function Count({ label, now, before, of }: { label: string; now: number; before: number; of?: number }) {
  return (
    <Stat label={label} value={numberText(now)}>
      {of !== undefined && now > 0 && now <= of && (
        <span className={classes.share}>{shareText(now, of)} of accepted</span>
      )}
      <span className={classes.share}>Before: {numberText(before)}</span>
    </Stat>
  )
}

function finding(totals: MailCounts, before: MailCounts, days: number): string {
  if (totals.accepted === 0) return `Nothing was sent in ${days} days`
  const start = `${numberText(totals.accepted)} accepted in ${days} days`
  if (before.accepted === 0) return start
  const change = totals.accepted - before.accepted
  if (change === 0) return `${start}, as many as before`
  return `${start}, ${shareText(Math.abs(change), before.accepted)} ${change > 0 ? 'more' : 'fewer'} than before`
}
