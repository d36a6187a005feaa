import { numberText, shareText } from '../../../lib/format.ts'
import type { AutomationLift } from '../../../lib/site-types.ts'
import { Stat, Stats } from '../../../ui/stat.tsx'
import classes from './results.module.css'

/** What the automation has changed: those who came in beside those who were held out, and how sure that is. */
export function GoalLift({ lift }: { lift: AutomationLift }) {
  const { entered, heldOut, difference } = lift
  if (!entered || !heldOut || heldOut.people === 0) return null
  return (
    <section aria-label="Against those held out" className={classes.lift}>
      <Stats>
        <Stat label="Came in, and did it" value={shareText(entered.reached, entered.people)}>
          {ofText(entered)}
        </Stat>
        <Stat label="Held out, and did it" value={shareText(heldOut.reached, heldOut.people)}>
          {ofText(heldOut)}
        </Stat>
        {difference && (
          <Stat label="Difference" value={`${pointsText(difference.value)} points`}>
            {`${pointsText(difference.low)} to ${pointsText(difference.high)}, 19 times of 20`}
          </Stat>
        )}
      </Stats>
      <p role="note">{findingOf(lift)}</p>
    </section>
  )
}

const ofText = ({ reached, people }: NonNullable<AutomationLift['entered']>) =>
  `${numberText(reached)} of ${numberText(people)} people`

/** A difference of shares in points of a hundred, to the tenth, with its sign. */
export function pointsText(share: number): string {
  const points = Math.round(share * 1_000) / 10
  return `${points > 0 ? '+' : points < 0 ? '−' : ''}${numberText(Math.abs(points))}`
}

/** What may be said of the difference. */
export function findingOf({
  difference,
  lift,
  isPartial,
}: Pick<AutomationLift, 'difference' | 'lift' | 'isPartial'>): string {
  if (difference === null) return 'Nobody came in then to compare with.'
  const newest = isPartial ? ' Counted are the newest 100,000 entries.' : ''
  if (difference.low <= 0 && difference.high >= 0)
    return `Chance alone may have made this difference: more people, or more time, will tell.${newest}`
  const by =
    lift === null
      ? ''
      : `, ${numberText(Math.round(Math.abs(lift) * 100))} % ${lift > 0 ? 'more' : 'less'} often than without it`
  return difference.value > 0
    ? `People reach the goal by it${by}: chance alone hardly makes such a difference.${newest}`
    : `It keeps people from the goal${by}: chance alone hardly makes such a difference.${newest}`
}
