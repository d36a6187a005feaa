import { Suspense, useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Broadcast } from '../../lib/site-types.ts'
import { useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { Loading, Shown } from '../../ui/states.tsx'

const ComposePage = lazyPart(() => import('./compose-page.tsx'))
const LateReport = lazyPart(() => import('./report-page.tsx'))

// Most are reports: their script comes along, and is there before what they show.
let report: typeof import('./report-page.tsx') | undefined
import('./report-page.tsx').then(
  (part) => {
    report = part
  },
  () => undefined,
)

/** A broadcast where it stands: a draft is written, all else is followed. */
export default function BroadcastPage() {
  const id = usePathId('broadcastId')
  const can = useCan()
  const broadcast = useSiteTagged('GET /broadcasts/{id}', { params: { id } })
  return (
    <Shown read={broadcast}>
      {({ value, etag }) => (
        <Suspense fallback={<Loading />}>
          {value.status === 'draft' && can('broadcasts:write') ? (
            <ComposePage key={id} broadcast={value} etag={etag} />
          ) : (
            <Report key={id} broadcast={value} />
          )}
        </Suspense>
      )}
    </Shown>
  )
}

/** Not as a lazy part, unless its script is late: React shows a sign of waiting for one that is there, too, and that for 300 ms. */
function Report({ broadcast }: { broadcast: Broadcast }) {
  const [Page] = useState(() => report?.default ?? LateReport)
  return <Page broadcast={broadcast} />
}
