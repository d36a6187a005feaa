import { dateText, numberText, shareText } from '../../../lib/format.ts'
import { LAST_DAYS, useLastDays } from '../../../lib/last-days.ts'
import type { AutomationResults } from '../../../lib/site-types.ts'
import { Select } from '../../../ui/controls.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { type Series, SeriesChart } from '../../../ui/series-chart.tsx'
import { Stat, Stats } from '../../../ui/stat.tsx'
import { Shown } from '../../../ui/states.tsx'
import type { PeopleShown } from '../people-shown.ts'
import { VersionSelect } from '../people-shown-bar.tsx'
import { GoalLift } from './goal-lift.tsx'
import classes from './results.module.css'
import type { useResults } from './use-results.ts'
import { VersionRates } from './version-rates.tsx'

type Props = { id: string; read: ReturnType<typeof useResults> } & Pick<PeopleShown, 'version' | 'show'>

/** What came of those who came in: the goal, what it was worth, and who was held out, day by day and by version. */
export default function AutomationResultsPanel({ id, read: { results, goal, lift }, version, show }: Props) {
  const { days, setDays } = useLastDays()
  return (
    <Panel
      title="Results"
      note="By the day on which people came in"
      actions={
        <>
          <VersionSelect id={id} {...{ version, show }} />
          <Select
            label="Time"
            hideLabel
            value={String(days)}
            options={LAST_DAYS}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
        </>
      }
    >
      <Shown read={results} rows={6}>
        {(found) => (
          <>
            <Told results={found} goal={goal} days={days} />
            {lift && <GoalLift lift={lift} />}
          </>
        )}
      </Shown>
    </Panel>
  )
}

type Told = { results: AutomationResults; goal: string; days: number }

function Told({ results, goal, days }: Told) {
  const { entered, goals, heldOut, value } = results.totals
  if (entered + heldOut === 0) return <p className="soft">In these {days} days nobody came in.</p>
  const hasGoal = goal !== '' || goals > 0
  return (
    <div className={classes.parts}>
      <Stats>
        <Stat label="Came in" value={numberText(entered)} />
        {hasGoal && (
          <Stat label="Reached the goal" value={shareText(goals, entered)}>
            {numberText(goals)} of {numberText(entered)}
          </Stat>
        )}
        {value !== 0 && (
          <Stat label="What the goal brought" value={amountText(value)}>
            {amountText(value / entered)} for each who came in
          </Stat>
        )}
        {heldOut > 0 && (
          <Stat label="Held out" value={numberText(heldOut)}>
            {shareText(heldOut, entered + heldOut)} of all who would have come in
          </Stat>
        )}
      </Stats>
      <Days {...{ results, goal, days, hasGoal }} />
      {hasGoal ? (
        <VersionRates versions={results.versions} />
      ) : (
        <p className="soft">It has no goal: the builder’s settings say what counts as success.</p>
      )}
    </div>
  )
}

function Days({ results: { series, totals }, goal, days, hasGoal }: Told & { hasGoal: boolean }) {
  const points = series.map(({ at }) => dateText(at))
  const people: Series[] = [
    { name: 'Came in', kind: 'bars', tone: 'accent', values: series.map(({ entered }) => entered) },
  ]
  if (hasGoal) {
    const values = series.map(({ goals }) => goals)
    people.push({ name: 'Reached the goal', kind: 'line', tone: 'good', values })
  }
  if (totals.heldOut > 0) {
    people.push({ name: 'Held out', kind: 'line', tone: 'machine', values: series.map(({ heldOut }) => heldOut) })
  }
  return (
    <>
      <SeriesChart title={findingOf({ totals, goal, days, hasGoal })} points={points} series={people} />
      {totals.value !== 0 && (
        <SeriesChart
          title={`${amountText(totals.value)} from those who came in then, ${amountText(totals.value / totals.goals)} each who reached the goal`}
          points={points}
          series={[{ name: 'Brought', kind: 'bars', tone: 'accent', values: series.map(({ value }) => value) }]}
        />
      )}
    </>
  )
}

type Finding = Pick<AutomationResults, 'totals'> & { goal: string; days: number; hasGoal: boolean }

function findingOf({ totals: { entered, goals }, goal, days, hasGoal }: Finding): string {
  const came = `In ${days} days ${numberText(entered)} came in`
  if (!hasGoal) return came
  const by = goal === '' ? '' : ` (${goal})`
  return goals === 0
    ? `${came}, and nobody has reached the goal${by} yet`
    : `${came}, and ${shareText(goals, entered)} of them reached the goal${by}`
}

/** To the cent; what unit it is in, the event alone knows. */
const amountText = (value: number) => numberText(Math.round(value * 100) / 100)
