import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import { useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { Loading, Shown } from '../../ui/states.tsx'

const ComposePage = lazyPart(() => import('./compose-page.tsx'), <Loading />)
const ReportPage = lazyPart(() => import('./report-page.tsx'), <Loading />)

/** A broadcast where it stands: a draft is written, all else is followed. */
export default function BroadcastPage() {
  const id = usePathId('broadcastId')
  const can = useCan()
  const broadcast = useSiteTagged('GET /broadcasts/{id}', { params: { id } })
  return (
    <Shown read={broadcast}>
      {({ value, etag }) =>
        value.status === 'draft' && can('broadcasts:write') ? (
          <ComposePage key={id} broadcast={value} etag={etag} />
        ) : (
          <ReportPage key={id} broadcast={value} />
        )
      }
    </Shown>
  )
}
