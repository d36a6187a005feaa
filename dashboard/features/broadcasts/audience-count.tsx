import type { UseQueryResult } from '@tanstack/react-query'
import { countText, numberText } from '../../lib/format.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import type { BroadcastPreflight } from '../../lib/site-types.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import classes from './audience-count.module.css'
import { reasonText } from './broadcast-words.ts'

/** How many get it, and how many of its audience do not, for which reason. */
export function AudienceCount({
  preflight,
  topicId,
}: {
  preflight: UseQueryResult<BroadcastPreflight, SiteProblem>
  topicId: string | null
}) {
  const { data } = preflight
  if (data === undefined) {
    return (
      <p className={`soft ${classes.counting}`}>
        {preflight.isError ? 'The people could not be counted.' : 'The people are being counted.'}
      </p>
    )
  }
  const { recipientsCount, forecast } = data
  if (recipientsCount === null) {
    return (
      <p className="soft">Not counted: that takes longer than three seconds. It is sent to all of them all the same.</p>
    )
  }
  return (
    <div className={classes.count} aria-live="polite">
      <p className={classes.number}>
        {numberText(forecast?.sendCount ?? recipientsCount)}{' '}
        <span>{forecast ? 'would get it now' : 'are in its audience'}</span>
      </p>
      <p className="soft">
        {forecast && `${countText(recipientsCount, 'person', 'people')} in its audience, `}counted{' '}
        <RelativeTime at={new Date(preflight.dataUpdatedAt).toISOString()} />
      </p>
      {forecast && forecast.skips.length > 0 && (
        <ul className="less-list">
          {forecast.skips.map(({ reason, count }) => (
            <li key={reason}>{reasonText(reason, count, topicId)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
