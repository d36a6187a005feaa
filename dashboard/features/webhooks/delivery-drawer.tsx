import { countText } from '../../lib/format.ts'
import type { WebhookDeliveryDetail as Delivery, SiteWebhookEndpointRead as Endpoint } from '../../lib/site-types.ts'
import { useSite } from '../../lib/use-site.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { CheckIcon, ClockIcon, XIcon } from '../../ui/icons.tsx'
import { Fact, Facts } from '../../ui/panel.tsx'
import { HelpIcon } from '../../ui/rare-icons.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Shown } from '../../ui/states.tsx'
import { Resend } from './deliveries.tsx'
import { DeliveryState, errorText } from './delivery-state.tsx'
import classes from './webhooks.module.css'

const POLL_MS = 2_000

/** One delivery: what is sent, byte for byte, and what came of each attempt. */
export default function DeliveryDrawer({
  endpoint,
  deliveryId,
  onClose,
}: {
  endpoint: Endpoint
  deliveryId: string
  onClose: () => void
}) {
  const params = { id: endpoint.id, deliveryId }
  const delivery = useSite('GET /webhooks/{id}/deliveries/{deliveryId}', { params }, { pollMs: POLL_MS })
  return (
    <Drawer wide title={delivery.data?.eventType ?? 'Delivery'} opened onClose={onClose}>
      <Shown read={delivery}>
        {(shown) => (
          <div className={classes.drawer}>
            <div className={classes.drawerHead}>
              <DeliveryState state={shown.state} />
              <Resend endpointId={endpoint.id} deliveryId={deliveryId} />
            </div>
            <Facts>
              <Fact name="Webhook id">
                <Copyable text={shown.webhookId} what="the webhook id" />
              </Fact>
              <Fact name="Event id">
                <Copyable text={shown.eventId} what="the event id" />
              </Fact>
              <Fact name="Made">
                <RelativeTime at={shown.createdAt} absolute />
              </Fact>
              {shown.nextAttemptAt !== null && (
                <Fact name="Next attempt">
                  {endpoint.enabled ? <RelativeTime at={shown.nextAttemptAt} /> : 'When the endpoint is switched on'}
                </Fact>
              )}
            </Facts>
            <Attempts delivery={shown} />
            <CodeBlock title="Headers" note="signed anew at each attempt" text={headersOf(endpoint.url, shown)} />
            <CodeBlock title="Body" note={bytesText(shown.body)} text={shown.body} />
          </div>
        )}
      </Shown>
    </Drawer>
  )
}

const MARKS = { delivered: CheckIcon, failed: XIcon, refused: XIcon, lost: HelpIcon } as const
const WORDS = {
  delivered: 'Acknowledged',
  failed: 'Failed',
  refused: 'Not sent',
  lost: 'Lost',
} as const

function Attempts({ delivery: { attemptLog } }: { delivery: Delivery }) {
  return (
    <section aria-label="Attempts">
      <h3 className={classes.attemptsTitle}>{countText(attemptLog.length, 'attempt')}</h3>
      {attemptLog.length === 0 && (
        <p className="soft">
          <ClockIcon size={14} /> The first is about to be made.
        </p>
      )}
      <ol className={classes.attempts}>
        {attemptLog.toReversed().map((one) => {
          const Mark = MARKS[one.outcome]
          return (
            <li key={one.startedAt} data-outcome={one.outcome}>
              <Mark size={15} />
              <div>
                <p>
                  <strong>{one.status ?? WORDS[one.outcome]}</strong>{' '}
                  {one.status !== null && <span className="soft">{WORDS[one.outcome]}</span>}
                  {one.status === null && <span className="soft">{reasonOf(one)}</span>}
                </p>
                <p className={classes.attemptFoot}>
                  Attempt {one.attempt}, <RelativeTime at={one.startedAt} />
                  {one.durationMs !== null && `, answered in ${one.durationMs} ms`}
                </p>
                {one.response !== null && one.response !== '' && (
                  <details>
                    <summary>Answer</summary>
                    <pre className={classes.response}>{one.response}</pre>
                  </details>
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function reasonOf({ outcome, error }: Delivery['attemptLog'][number]): string {
  if (outcome === 'lost')
    return 'Our process ended before the answer was recorded. The receiver may have it, so it is sent again under the same id.'
  return error === null ? '' : errorText(error)
}

function bytesText(body: string): string {
  return countText(new TextEncoder().encode(body).length, 'byte')
}

/** As they are sent; what an attempt signs for itself is named in brackets. */
function headersOf(url: string, { webhookId, eventType }: Delivery): string {
  const { host, pathname, search } = new URL(url)
  return [
    `POST ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json; charset=utf-8',
    'user-agent: Postroom-Webhooks/1.0',
    `webhook-id: ${webhookId}`,
    'webhook-timestamp: <seconds of the attempt>',
    'webhook-signature: v1,<base64>',
    `X-service-Event: ${eventHeader(eventType)}`,
  ].join('\n')
}

/** Visible ASCII stands as it is, all else percent-encoded. */
function eventHeader(eventType: string): string {
  return eventType.replaceAll(/[^\x21-\x24\x26-\x7e]+/g, (text) => encodeURIComponent(text))
}
