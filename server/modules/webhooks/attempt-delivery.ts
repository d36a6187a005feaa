import type { KeyObject } from 'node:crypto'
import type { Exchange } from '../../platform/net/exchange.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { AttemptResult } from './record-attempts.ts'
import { parseRetryAfter, retryDelayMs } from './retry-schedule.ts'
import { eventHeader, signatureOf } from './sign-delivery.ts'

/** Where an endpoint's deliveries go and the keys that sign them, newest first. */
export type DeliveryTarget = { url: string; keys: readonly KeyObject[] }

export const USER_AGENT = 'Postroom-Webhooks/1.0'

/** Sends one attempt and says how it ended and when the next is due. Never rejects for what the receiver does. */
export async function attemptDelivery(
  client: GuardedClient,
  target: DeliveryTarget,
  claimed: ClaimedDelivery,
): Promise<AttemptResult> {
  const startedAt = new Date()
  const body = Buffer.from(claimed.body)
  const exchange = await client.send({
    url: target.url,
    headers: headersOf(target, claimed, { startedAt, body }),
    body,
  })
  return resultOf(claimed, startedAt, exchange)
}

/** `webhook-id`: one per delivery, the same on every attempt. No full stop in it, the signature uses that. */
export function webhookId(deliveryId: string): string {
  return `dlv_${deliveryId}`
}

function headersOf(
  target: DeliveryTarget,
  claimed: ClaimedDelivery,
  sent: { startedAt: Date; body: Buffer },
): Record<string, string> {
  const id = webhookId(claimed.deliveryId)
  const timestampSeconds = Math.floor(sent.startedAt.getTime() / 1000)
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatureOf({ webhookId: id, timestampSeconds, body: sent.body }, target.keys),
    'X-service-Event': eventHeader(claimed.eventType),
  }
}

function resultOf(claimed: ClaimedDelivery, startedAt: Date, exchange: Exchange): AttemptResult {
  const base = { claimed, startedAt, durationMs: exchange.durationMs }
  const answered = exchange.outcome === 'answered' ? exchange : undefined
  const delivered = answered !== undefined && answered.status >= 200 && answered.status <= 299
  const retryAfterMs = parseRetryAfter(answered?.retryAfter ?? undefined, new Date())
  return {
    ...base,
    outcome: delivered ? 'delivered' : exchange.outcome === 'refused' ? 'refused' : 'failed',
    status: answered?.status ?? null,
    error: delivered ? null : faultOf(exchange),
    response: answered ? answered.bodyExcerpt : null,
    nextInMs: delivered ? undefined : retryDelayMs({ attempt: claimed.attempt, retryAfterMs, random: Math.random() }),
  }
}

/** The fault as the log shows it: a stable word, never an address that a name resolved to. */
function faultOf(exchange: Exchange): string {
  switch (exchange.outcome) {
    case 'answered':
      return exchange.status >= 300 && exchange.status <= 399 ? 'redirect_not_followed' : 'status_not_2xx'
    case 'refused':
      return `refused: ${exchange.reason}`
    case 'failed':
      return `${exchange.reason}: ${exchange.detail}`
  }
}
