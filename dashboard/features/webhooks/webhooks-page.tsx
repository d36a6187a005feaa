import { useState } from 'react'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { SiteWebhookEndpointHealth as Health, WebhookEndpoint } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { pageNumber, useUrlState } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Button } from '../../ui/controls.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PlusIcon, WebhookIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { HealthBadge, RecentDeliveries, waitingText } from './endpoint-health.tsx'
import { eventNamesText } from './event-names.tsx'
import classes from './webhooks.module.css'

const EndpointForm = lazyPart(() => import('./endpoint-form.tsx'))
const POLL_MS = 5_000

/** Programs that are told of what happens, and how they fare. */
export default function WebhooksPage() {
  const can = useCan()
  const [url, setUrl] = useUrlState({ page: '1' })
  const [isNew, setNew] = useState(false)
  const query = { page: pageNumber(url.page), pageSize: 25 }
  const endpoints = useSite('GET /webhooks', { query }, { keep: true, pollMs: POLL_MS })
  const health = useSite('GET /webhooks/health', { query }, { keep: true, pollMs: POLL_MS })
  const add = can('webhooks:write') && (
    <Button kind="primary" icon={PlusIcon} onClick={() => setNew(true)}>
      New endpoint
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Webhooks"
        actions={
          <>
            <AsCurl operation="GET /webhooks" query={query} />
            {add}
          </>
        }
      >
        Programs of yours that are told of every event, signed, and again until they have it.
      </PageHeader>
      <PagedTable
        read={endpoints}
        label="Webhook endpoints"
        columns={columnsOf(new Map(health.data?.items.map((one) => [one.endpointId, one])))}
        noun="endpoint"
        setUrl={setUrl}
        none={
          <EmptyState title="Nobody is told yet" icon={WebhookIcon} actions={add}>
            An endpoint is an address of yours. Each event goes there as a signed POST request, up to ten times in three
            days, and every attempt is kept for you to see.
          </EmptyState>
        }
      />
      {isNew && <EndpointForm onClose={() => setNew(false)} />}
    </>
  )
}

function columnsOf(health: ReadonlyMap<string, Health>): Column<WebhookEndpoint>[] {
  return [
    {
      id: 'url',
      head: 'Endpoint',
      cell: ({ id, url, eventTypes }) => (
        <span className={classes.endpoint}>
          <Link to={`/webhooks/${id}`} className={classes.url}>
            {url}
          </Link>
          <span className={classes.names}>{eventNamesText(eventTypes)}</span>
        </span>
      ),
    },
    {
      id: 'health',
      head: 'Health',
      width: '130px',
      narrow: true,
      cell: ({ id }) => {
        const one = health.get(id)
        return one && <HealthBadge {...one} />
      },
    },
    {
      id: 'recent',
      head: 'Newest 50 delivered',
      narrow: 'below',
      width: '190px',
      cell: ({ id }) => {
        const one = health.get(id)
        return one && <RecentDeliveries health={one} />
      },
    },
    {
      id: 'waiting',
      head: 'Waiting',
      width: '100px',
      numeric: true,
      narrow: 'below',
      cell: ({ id }) => {
        const one = health.get(id)
        return one && waitingText(one)
      },
    },
    {
      id: 'created',
      head: 'Created',
      width: '120px',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ]
}
