import { useCan } from '../../lib/permissions.ts'
import type { SiteWebhookEndpointRead as Endpoint } from '../../lib/site-types.ts'
import { useSite, useSiteTagged } from '../../lib/use-site.ts'
import { usePathId } from '../../lib/use-url-state.ts'
import { AsCurl } from '../../ui/as-curl.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Fact, Facts, Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SecretText } from '../../ui/secret-text.tsx'
import { Shown } from '../../ui/states.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointActs } from './endpoint-acts.tsx'
import { FailingSince, HealthBadge, healthSentence } from './endpoint-health.tsx'
import classes from './webhooks.module.css'

const POLL_MS = 5_000
const HEALTH_READ = { page: 1, pageSize: 200 }

/** One endpoint: how it fares, its secret, and every delivery with the bytes that were sent. */
export default function EndpointPage() {
  const id = usePathId('endpointId')
  const endpoint = useSiteTagged('GET /webhooks/{id}', { params: { id } }, { pollMs: POLL_MS })
  const health = useSite('GET /webhooks/health', { query: HEALTH_READ }, { pollMs: POLL_MS })
  const failingSince = health.data?.items.find(({ endpointId }) => endpointId === id)?.failingSince ?? null
  return (
    <Shown read={endpoint}>
      {({ value, etag }) => (
        <>
          <PageHeader
            title={nameOf(value.url)}
            back={{ to: '/webhooks', label: 'Webhooks' }}
            badge={<HealthBadge {...value} failingSince={failingSince} />}
            actions={
              <>
                <AsCurl operation="GET /webhooks/{id}/deliveries" params={{ id }} query={{}} />
                <EndpointActs endpoint={value} etag={etag} />
              </>
            }
          />
          <Trouble endpoint={value} failingSince={failingSince} />
          <div className={classes.columns}>
            <Details endpoint={value} />
            <Deliveries endpoint={value} />
          </div>
        </>
      )}
    </Shown>
  )
}

function Trouble({ endpoint, failingSince }: { endpoint: Endpoint; failingSince: string | null }) {
  const sentence = healthSentence(endpoint)
  if (sentence === undefined && failingSince === null) return null
  return (
    <div className={classes.trouble}>
      <Notice tone={endpoint.disabledReason === null ? (endpoint.enabled ? 'warn' : 'info') : 'bad'}>
        {sentence ?? (failingSince !== null && <FailingSince at={failingSince} />)}
      </Notice>
    </div>
  )
}

function Details({ endpoint }: { endpoint: Endpoint }) {
  const can = useCan()
  const { url, eventTypes, secret, id, createdAt, updatedAt } = endpoint
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Address">
          <Copyable text={url} what="the address" />
        </Fact>
        <Fact name="Events">
          {eventTypes.length === 0 ? (
            'All events'
          ) : (
            <ul className={classes.nameList}>
              {eventTypes.map((name) => (
                <li key={name}>
                  <code>{name}</code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name="Secret">
          {secret === undefined ? (
            <span className="soft">
              {can('webhooks:write') ? 'It cannot be read now.' : 'Shown to those who may change endpoints.'}
            </span>
          ) : (
            <SecretText text={secret} what="the signing secret" />
          )}
        </Fact>
        <Fact name="Id">
          <Copyable text={id} what="the id" />
        </Fact>
        <Fact name="Created">
          <RelativeTime at={createdAt} absolute />
        </Fact>
        <Fact name="Changed">
          <RelativeTime at={updatedAt} />
        </Fact>
      </Facts>
    </Panel>
  )
}

/** `example.com/hooks/postroom`: without what all addresses have. */
function nameOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}
