import { useState } from 'react'
import { countText } from '../../lib/format.ts'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { Tracker } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PlusIcon, RadarIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { IdentityConflicts } from '../identity/identity-conflicts.tsx'
import { TrackerBadge } from './tracker-health.tsx'
import { CONSENT_MODES } from './tracker-words.ts'

const TrackerForm = lazyPart(() => import('./tracker-form.tsx'))

/** What the sites of a workspace may tell of their visitors. */
export default function TrackersPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [isNew, setNew] = useState(false)
  const query = { page: pageNumber(url.page) }
  const trackers = useSite('GET /trackers', { query }, { keep: true })
  const add = can('trackers:write') && (
    <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
      New tracker
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Trackers"
        actions={
          <>
            <AsCurl operation="GET /trackers" query={query} />
            {add}
          </>
        }
      >
        A tracker tells you what visitors do on your site: the pages they see and the buttons you name.
      </PageHeader>
      <PagedTable
        read={trackers}
        label="Trackers"
        columns={COLUMNS}
        noun="tracker"
        setUrl={setUrl}
        none={
          <EmptyState title="No trackers yet" icon={RadarIcon} actions={add}>
            Make one for each of your sites, and put its line of HTML into the pages. What visitors do there is then
            listed among the events.
          </EmptyState>
        }
      />
      {can('contacts:read') && <IdentityConflicts />}
      {isNew && <TrackerForm onClose={() => setNew(false)} />}
    </>
  )
}

const SITES_NAMED_MAX = 2

function sitesText(origins: readonly string[]): string {
  if (origins.length === 0) return 'Any site'
  return origins.length <= SITES_NAMED_MAX ? origins.join(', ') : countText(origins.length, 'site')
}

const COLUMNS: Column<Tracker>[] = [
  {
    id: 'name',
    head: 'Tracker',
    width: '30%',
    cell: ({ id, name }) => (
      <Link to={`/trackers/${id}`} className="row-name">
        {name}
      </Link>
    ),
  },
  { id: 'state', head: 'State', width: '120px', narrow: true, cell: (tracker) => <TrackerBadge {...tracker} /> },
  { id: 'sites', head: 'Sites', narrow: 'below', cell: ({ allowedOrigins }) => sitesText(allowedOrigins) },
  { id: 'consent', head: 'Consent', narrow: 'below', cell: ({ consentMode }) => CONSENT_MODES[consentMode].short },
  { id: 'created', head: 'Created', width: '120px', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
