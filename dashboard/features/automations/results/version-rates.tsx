import { numberText, shareText } from '../../../lib/format.ts'
import type { AutomationResults } from '../../../lib/site-types.ts'
import classes from './results.module.css'

const SHOWN_MAX = 8
const WIDTH = 1_000

type Props = Pick<AutomationResults, 'versions'>

/** Of each version the part of its people who reached the goal, as bars from zero on one scale. */
export function VersionRates({ versions }: Props) {
  const shown = versions.filter(({ entered }) => entered > 0).slice(0, SHOWN_MAX)
  if (shown.length < 2) return null
  const rateOf = ({ goals, entered }: Props['versions'][number]) => goals / entered
  const most = Math.max(0.01, ...shown.map(rateOf))
  return (
    <figure className={classes.rates}>
      <figcaption>
        <h2>Reached the goal, by version</h2>
      </figcaption>
      <ul>
        {shown.map((one) => (
          <li key={one.version}>
            <span className={classes.name}>Version {one.version}</span>
            <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
              <rect data-part="all" width={WIDTH} height="10" />
              <rect data-part="rate" width={(rateOf(one) / most) * WIDTH} height="10" />
            </svg>
            <span className={classes.rate}>{shareText(one.goals, one.entered)}</span>
            <span className={classes.of}>
              {numberText(one.goals)} of {numberText(one.entered)}
            </span>
          </li>
        ))}
      </ul>
      {versions.length > shown.length && <p className="soft">The newest with people of this time.</p>}
    </figure>
  )
}
