import { countText, dateText, numberText } from '../../../lib/format.ts'
import type { Automation, AutomationSimulation } from '../../../lib/site-types.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { SeriesChart } from '../../../ui/series-chart.tsx'
import { Stat, Stats } from '../../../ui/stat.tsx'
import { refusalText } from '../automation-words.ts'
import { stepName } from '../builder/step-name.ts'
import { useReferenceNames } from '../reference-names.ts'
import { ComparedPeople } from './compared-people.tsx'
import {
  assumedText,
  endText,
  findingOf,
  gapsOf,
  heldLines,
  mostOf,
  type Outcome,
  type Report,
  tookText,
  windowText,
} from './replay-words.ts'
import { OtherMail, ReplaySteps, ReplayTraces } from './report-tables.tsx'
import classes from './time-machine.module.css'

type Props = { automation: Automation; one: AutomationSimulation; report: Report }

/** A replay told: the finding first, then people, mails, steps, and what it rests on. */
export function ReplayReport({ automation, one, report }: Props) {
  const { draft, live, others, perWeek, traces } = report
  const gaps = gapsOf(report, one.people)
  return (
    <>
      <div className={classes.finding}>
        <p>{findingOf(report)}</p>
        {one.endedAt !== null && (
          <div className="soft">
            Finished <RelativeTime at={one.endedAt} />, {tookText(one.createdAt, one.endedAt)}
          </div>
        )}
        {gaps.length > 0 && (
          <Notice tone="warn">
            {gaps.map((gap) => (
              <p key={gap}>{gap}</p>
            ))}
          </Notice>
        )}
      </div>
      <Panel title="The draft" note={windowText(one)} flush>
        <Sums outcome={draft} beside={live} version={one.liveVersion} />
      </Panel>
      {draft.mails.days.length + (live?.mails.days.length ?? 0) > 0 && (
        <MailsADay draft={draft} live={live} version={one.liveVersion} />
      )}
      {report.compared !== null && <ComparedPeople compared={report.compared} version={one.liveVersion} />}
      <ReplaySteps automation={automation} draft={draft} live={live} />
      {draft.mails.total > 0 && <OtherMail others={others} perWeek={perWeek} />}
      {traces.length > 0 && <ReplayTraces automation={automation} traces={traces} entered={draft.entered} />}
      <Assumed automation={automation} draft={draft} />
    </>
  )
}

function Sums({ outcome, beside, version }: { outcome: Outcome; beside: Outcome | null; version: number | null }) {
  const { people, entered, refused, ended, inside, mails, goals, goalValue } = outcome
  const { p50, p95, max } = mails.perPerson
  const before = (of: (one: Outcome) => number) =>
    beside === null ? [] : [`Version ${version}: ${numberText(of(beside))}`]
  const sum = (counts: readonly { count: number }[]) => counts.reduce((all, { count }) => all + count, 0)
  return (
    <Stats>
      <Stat label="Came in" value={numberText(people)}>
        <Lines
          lines={[
            ...before((one) => one.people),
            ...(entered > people ? [countText(entered, 'entry', 'entries')] : []),
          ]}
        />
      </Stat>
      <Stat label="Mails" value={numberText(mails.total)}>
        <Lines lines={before((one) => one.mails.total)} />
      </Stat>
      {mails.total > 0 && (
        <Stat label="Most for one person" value={numberText(max)}>
          <Lines lines={[`Half get at most ${numberText(p50)}`, `95 % get at most ${numberText(p95)}`]} />
        </Stat>
      )}
      {mails.held.length > 0 && (
        <Stat label="Mails held back" value={numberText(sum(mails.held))}>
          <Lines lines={heldLines(mails)} />
        </Stat>
      )}
      <Stat label="Reached the goal" value={numberText(goals)}>
        {goalValue > 0 && `Worth ${numberText(Math.round(goalValue))}`}
      </Stat>
      <Stat label="Left or finished" value={numberText(sum(ended))}>
        <Lines lines={mostOf(ended).map(({ end, count }) => `${numberText(count)} ${endText(end)}`)} />
      </Stat>
      <Stat label="Still inside" value={numberText(inside)} />
      <Stat label="Did not come in" value={numberText(sum(refused))}>
        <Lines lines={mostOf(refused).map(({ reason, count }) => `${numberText(count)}: ${refusalText(reason)}`)} />
      </Stat>
    </Stats>
  )
}

/** One thing a line. */
function Lines({ lines }: { lines: readonly string[] }) {
  return lines.map((line) => <div key={line}>{line}</div>)
}

type Beside = { draft: Outcome; live: Outcome | null; version: number | null }

function MailsADay({ draft, live, version }: Beside) {
  const days = [...new Set([...draft.mails.days, ...(live?.mails.days ?? [])].map(({ day }) => day))].sort()
  const valuesOf = ({ mails }: Outcome) => days.map((day) => mails.days.find((one) => one.day === day)?.count ?? 0)
  const most = Math.max(...valuesOf(draft))
  return (
    <SeriesChart
      title={`At most ${countText(most, 'mail')} a day`}
      // Days are told without an hour: that of noon is the same day wherever the reader is.
      points={days.map((day) => dateText(`${day}T12:00:00Z`))}
      series={[
        { name: 'The draft', kind: 'bars', tone: 'accent', values: valuesOf(draft) },
        ...(live === null
          ? []
          : [{ name: `Version ${version}`, kind: 'line' as const, tone: 'machine' as const, values: valuesOf(live) }]),
      ]}
    />
  )
}

/** The honest part: decisions that rest on values of now, for those of then are not known. */
function Assumed({ automation, draft: { assumed } }: { automation: Automation; draft: Outcome }) {
  const referenceName = useReferenceNames(automation.definition)
  if (assumed.decisions === 0) {
    return (
      <Notice tone="good">
        Nothing here is assumed: every decision rests on what is known of that time, which is events, tags,
        subscriptions, and fields that have not changed since.
      </Notice>
    )
  }
  return (
    <Notice tone="warn">
      <p>
        Part of this is assumed. What some values were at that time is not known, so today’s stand in for them in{' '}
        {countText(assumed.decisions, 'decision')} about {countText(assumed.people, 'person', 'people')}:{' '}
        {assumed.on
          .map(
            ({ what, count }) =>
              `${assumedText(what, (node) => stepName(automation.definition, node, referenceName))} (${numberText(count)})`,
          )
          .join(', ')}
        .
      </p>
    </Notice>
  )
}
