import { createHash } from 'node:crypto'
import type { ItemResult, LoggedDelivery } from './api-client.ts'
import type { OfferedEvent } from './offered-events.ts'
import type { Arrival } from './verifying-receiver.ts'

/** An event and what the service said to it. */
export type Offer = { event: OfferedEvent; result: ItemResult; offeredAtMs: number }

export type Evidence = {
  offers: readonly Offer[]
  arrivals: readonly Arrival[]
  log: readonly LoggedDelivery[]
}

/** Everything that arrived under one webhook-id, in order. */
export type SeenDelivery = { webhookId: string; type: string; tries: Arrival[] }

export type Reckoning = {
  accepted: Offer[]
  refused: Offer[]
  /** Accepted events with their deliveries. */
  arrived: { offer: Offer; delivery: SeenDelivery }[]
  /** Accepted events that no delivery was taken of. */
  missing: Offer[]
  /** Deliveries of an event that another webhook-id had brought already. */
  doubled: SeenDelivery[]
  /** Taken more than once under one webhook-id: allowed, but nothing happens here that would excuse it. */
  repeated: SeenDelivery[]
  /** Not of the events that were accepted here. */
  foreign: SeenDelivery[]
  retried: SeenDelivery[]
  /** Tries that the library did not vouch for. */
  unverified: number
  /** Deliveries of which the delivery log tells another story. */
  misreported: SeenDelivery[]
}

/** Compares what was offered, what arrived and what the delivery log says of it. */
export function reckon({ offers, arrivals, log }: Evidence): Reckoning {
  const seen = seenDeliveries(arrivals)
  const waiting = Map.groupBy(seen.filter(wasTaken), ({ tries }) => fingerprintOf(tries))
  const accepted = offers.filter(({ result }) => result.status === 'accepted')
  const arrived: Reckoning['arrived'] = []
  const missing: Offer[] = []
  for (const offer of accepted) {
    const delivery = waiting.get(fingerprint(offer.event))?.shift()
    if (delivery) arrived.push({ offer, delivery })
    else missing.push(offer)
  }
  const ours = new Set(accepted.map(({ event }) => fingerprint(event)))
  const left = [...waiting].flatMap(([key, deliveries]) => deliveries.map((delivery) => ({ key, delivery })))
  const logged = new Map(log.map((delivery) => [delivery.webhookId, delivery]))
  return {
    accepted,
    refused: offers.filter(({ result }) => result.status === 'failed'),
    arrived,
    missing,
    doubled: left.filter(({ key }) => ours.has(key)).map(({ delivery }) => delivery),
    repeated: seen.filter(({ tries }) => tries.filter(isTaken).length > 1),
    foreign: left.filter(({ key }) => !ours.has(key)).map(({ delivery }) => delivery),
    retried: seen.filter(({ tries }) => tries[0]?.turnedAway !== undefined),
    unverified: arrivals.filter(({ delivery }) => delivery === undefined).length,
    misreported: seen.filter((one) => {
      const entry = logged.get(one.webhookId)
      return entry?.attempts !== one.tries.length || (entry.state === 'delivered') !== wasTaken(one)
    }),
  }
}

function seenDeliveries(arrivals: readonly Arrival[]): SeenDelivery[] {
  return [...Map.groupBy(arrivals, ({ webhookId }) => webhookId)].map(([webhookId, tries]) => ({
    webhookId,
    type: tries[0]?.delivery?.type ?? 'unverified',
    tries,
  }))
}

const isTaken = ({ delivery, turnedAway }: Arrival) => delivery !== undefined && turnedAway === undefined
const wasTaken = ({ tries }: SeenDelivery) => tries.some(isTaken)

/**
 * The part of an event that must come out as it went in. Client ids are not delivered, so an event is known by its
 * content.
 */
function fingerprint({ action, subjectId, properties }: Omit<OfferedEvent, 'id'>): string {
  return createHash('sha256')
    .update(JSON.stringify([action, subjectId, properties]))
    .digest('hex')
}

function fingerprintOf(tries: readonly Arrival[]): string {
  const { type = '', subject, data } = tries.find(isTaken)?.delivery ?? {}
  return fingerprint({
    action: type,
    ...(subject === undefined ? {} : { subjectId: subject }),
    properties: data?.properties,
  })
}

/** Failures of the main promise: with any of them the demo fails. */
export function faultsOf(reckoning: Reckoning): number {
  const { missing, doubled, repeated, misreported, unverified } = reckoning
  return missing.length + doubled.length + repeated.length + misreported.length + unverified
}
