import { countText } from '../../lib/format.ts'
import { lazyPart } from '../../lib/load-part.ts'
import { useCan } from '../../lib/permissions.ts'
import type { SiteWebhookEndpointRead as Endpoint, WebhookDelivery } from '../../lib/site-types.ts'
import { useAct, useSitePages } from '../../lib/use-site.ts'
import { useUrlState } from '../../lib/use-url-state.ts'
import { Button } from '../../ui/controls.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterBar, FilterSelect, SearchField } from '../../ui/filter-bar.tsx'
import { RefreshIcon, SendIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { EmptyState, NoneFits, Shown } from '../../ui/states.tsx'
import { sayProblem } from '../../ui/toasts.tsx'
import { answerText, DELIVERY_STATES, DeliveryState } from './delivery-state.tsx'
import classes from './webhooks.module.css'

const DeliveryDrawer = lazyPart(() => import('./delivery-drawer.tsx'))
const NO_FILTER = { state: '', eventType: '' }
const POLL_MS = 2_000

/** An endpoint's log, newest first; what moves in it moves here. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const [url, setUrl] = useUrlState({ ...NO_FILTER, delivery: '' })
  const query = {
    state: (url.state || undefined) as WebhookDelivery['state'] | undefined,
    eventType: url.eventType || undefined,
  }
  const params = { id: endpoint.id }
  const deliveries = useSitePages('GET /webhooks/{id}/deliveries', { params, query }, { pollMs: POLL_MS })
  const active = Object.values(query).filter((value) => value !== undefined).length
  return (
    <section aria-label="Deliveries">
      <FilterBar active={active} onClear={() => setUrl(NO_FILTER)}>
        <SearchField
          label="Event name"
          placeholder="Event name, exactly"
          value={url.eventType}
          onChange={(eventType) => setUrl({ eventType }, { replace: true })}
        />
        <FilterSelect
          label="State"
          value={url.state}
          onChange={(state) => setUrl({ state })}
          options={DELIVERY_STATES.map(({ state, name }) => ({ value: state, label: name.toLowerCase() }))}
        />
      </FilterBar>
      <Shown read={deliveries}>
        {(items) =>
          items.length === 0 ? (
            active > 0 ? (
              <NoneFits noun="delivery" onClear={() => setUrl(NO_FILTER)} more={deliveries.more} />
            ) : (
              <EmptyState title="Nothing was delivered yet" icon={SendIcon}>
                The next event goes here at once. Send a test event to see the first.
              </EmptyState>
            )
          ) : (
            <>
              <DataTable label="Deliveries" columns={columnsOf(endpoint.id, url)} rows={items} rowId={({ id }) => id} />
              <ShowMore more={deliveries.more} />
            </>
          )
        }
      </Shown>
      {url.delivery !== '' && (
        <DeliveryDrawer endpoint={endpoint} deliveryId={url.delivery} onClose={() => setUrl({ delivery: '' })} />
      )}
    </section>
  )
}

function columnsOf(endpointId: string, search: Record<string, string>): Column<WebhookDelivery>[] {
  const filter = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''))
  return [
    {
      id: 'event',
      head: 'Event',
      cell: ({ id, eventType, createdAt }) => (
        <span className={classes.endpoint}>
          <Link to={`/webhooks/${endpointId}`} search={{ ...filter, delivery: id }} className={classes.url}>
            {eventType}
          </Link>
          <span className={classes.names}>
            <RelativeTime at={createdAt} />
          </span>
        </span>
      ),
    },
    {
      id: 'state',
      head: 'State',
      width: '124px',
      narrow: true,
      cell: (delivery) => <DeliveryState state={delivery.state} />,
    },
    { id: 'answer', head: 'Last answer', narrow: 'below', cell: (delivery) => <LastAnswer delivery={delivery} /> },
    {
      id: 'again',
      head: '',
      width: '120px',
      cell: (delivery) =>
        delivery.state === 'discarded' && <Resend endpointId={endpointId} deliveryId={delivery.id} small />,
    },
  ]
}

function LastAnswer({ delivery }: { delivery: WebhookDelivery }) {
  return (
    <span className={classes.endpoint}>
      <span>{answerText(delivery)}</span>
      {delivery.attempts > 0 && <span className={classes.names}>{countText(delivery.attempts, 'attempt')}</span>}
    </span>
  )
}

/** Sends a delivery again, under its id, with all ten attempts before it. */
export function Resend({
  endpointId,
  deliveryId,
  small = false,
}: {
  endpointId: string
  deliveryId: string
  small?: boolean
}) {
  const can = useCan()
  const resend = useAct('POST /webhooks/{id}/deliveries/{deliveryId}/resend', { changes: ['/webhooks'] })
  if (!can('webhooks:write')) return null
  return (
    <Button
      small={small}
      icon={RefreshIcon}
      busy={resend.isPending}
      onClick={() => resend.mutateAsync({ params: { id: endpointId, deliveryId } }).catch(sayProblem)}
    >
      Resend
    </Button>
  )
}
