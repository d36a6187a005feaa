import { setTimeout as sleep } from 'node:timers/promises'
import { type LoggedDelivery, offerEvents, readDeliveryLog, readSecret, type Target } from './api-client.ts'
import { inBatches, type OfferedEvent } from './offered-events.ts'
import type { Offer } from './reckoning.ts'
import type { Arrival, VerifyingReceiver } from './verifying-receiver.ts'

export type Replay = {
  offers: Offer[]
  requests: number
  /** Events of the request that was sent a second time, as a client does that got no answer. */
  offeredAgain: number
  arrivals: readonly Arrival[]
  log: LoggedDelivery[]
  startedAtMs: number
  intakeMs: number
}

export type ReplayInput = {
  events: readonly OfferedEvent[]
  receiver: VerifyingReceiver
  /** The endpoint that leads to the receiver. */
  endpointId: string
  /** Ends the replay between two steps. */
  signal: AbortSignal
}

const EVENTS_PER_REQUEST = 25
/** The first retry comes after 5 to 6 s. */
const DELIVERIES_DEADLINE_MS = 120_000
const LOOK_EVERY_MS = 250

/** Offers the events to a service, which delivers them to the receiver, and waits until the delivery log has settled. */
export async function replay(target: Target, { events, receiver, endpointId, signal }: ReplayInput): Promise<Replay> {
  receiver.trust(await readSecret(target, endpointId))
  const batches = inBatches(events, EVENTS_PER_REQUEST)
  const startedAtMs = performance.now()
  const offers: Offer[] = []
  for (const batch of batches) {
    signal.throwIfAborted()
    offers.push(...(await offer(target, batch)))
  }
  const intakeMs = performance.now() - startedAtMs
  const again = await offer(target, batches[0] ?? [])
  const deliveries = offers.filter(({ result }) => result.status === 'accepted').length
  const log = await settledLog(target, { endpointId, deliveries, signal })
  return {
    offers,
    requests: batches.length + 1,
    offeredAgain: again.length,
    arrivals: receiver.arrivals,
    log,
    startedAtMs,
    intakeMs,
  }
}

async function offer(target: Target, batch: readonly OfferedEvent[]): Promise<Offer[]> {
  const offeredAtMs = performance.now()
  const results = await offerEvents(target, batch)
  return batch.map((event, index) => ({ event, result: results[index]!, offeredAtMs }))
}

/** The delivery log once it has ended as it should, or as it stands when that takes too long. */
async function settledLog(
  target: Target,
  expected: { endpointId: string; deliveries: number; signal: AbortSignal },
): Promise<LoggedDelivery[]> {
  const deadlineMs = performance.now() + DELIVERIES_DEADLINE_MS
  for (;;) {
    const log = await readDeliveryLog(target, expected.endpointId)
    const settled = log.length >= expected.deliveries && log.every(({ state }) => state === 'delivered')
    if (settled || performance.now() > deadlineMs) return log
    await sleep(LOOK_EVERY_MS, undefined, { signal: expected.signal })
  }
}
