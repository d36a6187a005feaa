import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { countText, timeText } from '../../lib/format.ts'
import type { SiteProblem } from '../../lib/problem.ts'
import { site } from '../../lib/site.ts'
import type { SegmentPreview } from '../../lib/site-types.ts'
import { Button } from '../../ui/controls.tsx'
import { RefreshIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { contactName } from '../contacts/contact-name.ts'
import classes from './segments.module.css'

const TYPED_MS = 400
const AGE_MS = 5_000

/** Counts a definition as it is typed: the older question is given up, and what is shown says how old it is. */
export function useAudience(definition: string, isFinished: boolean) {
  const [asked, setAsked] = useState(definition)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(definition), TYPED_MS)
    return () => clearTimeout(timer)
  }, [definition])
  const query = useQuery<SegmentPreview, SiteProblem>({
    queryKey: ['/segments/preview', asked],
    queryFn: ({ signal }) => site('POST /segments/preview', { body: { definition: asked }, signal }),
    enabled: isFinished && asked === definition,
    placeholderData: (before) => before,
    staleTime: 0,
  })
  return { ...query, isFinished, isOld: asked !== definition || query.isFetching }
}

/** How many fit, exactly, with the age of the number, and the first ten of them. */
export function AudienceCount({ audience }: { audience: ReturnType<typeof useAudience> }) {
  const { data, error, isFinished, isOld, dataUpdatedAt, refetch } = audience
  const nowMs = useNow()
  if (!isFinished) {
    return (
      <div className={classes.count}>
        <p className={classes.uncounted}>Not counted yet</p>
        <p className="soft">A rule has no value.</p>
      </div>
    )
  }
  if (error !== null && !isOld) {
    return (
      <div className={classes.count}>
        <p className={classes.uncounted}>Not counted</p>
        <p className="soft">
          {error.status === 422 ? 'A rule is not finished or not right; it says so.' : (error.detail ?? error.title)}
        </p>
        {error.status !== 422 && <Button onClick={() => refetch()}>Count again</Button>}
      </div>
    )
  }
  return (
    <div className={classes.count} aria-live="polite" aria-busy={isOld}>
      <p className={classes.number0} data-old={isOld || undefined}>
        {data === undefined ? '…' : countText(data.count, 'contact')}
      </p>
      <p className={`soft ${classes.age}`}>
        {data === undefined || isOld
          ? 'Counting'
          : `Exact, ${timeText(new Date(dataUpdatedAt).toISOString(), Math.max(nowMs, dataUpdatedAt))}`}
        <button type="button" className={classes.again} aria-label="Count again" onClick={() => refetch()}>
          <RefreshIcon size={13} />
        </button>
      </p>
      {data !== undefined && data.sample.length > 0 && (
        <ul className={classes.sample} data-old={isOld || undefined}>
          {data.sample.map((contact) => (
            <li key={contact.id}>
              <Link to={`/contacts/${contact.id}`}>{contactName(contact)}</Link>
              {contact.email !== null && contact.email !== contactName(contact) && <span>{contact.email}</span>}
            </li>
          ))}
        </ul>
      )}
      {data?.count === 0 && !isOld && <p className="soft">Nobody fits.</p>}
    </div>
  )
}

function useNow(): number {
  const [nowMs, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), AGE_MS)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
