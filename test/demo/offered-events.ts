import { createRequire } from 'node:module'

/** An event as it is offered to the service, before anybody has looked whether it is one. */
export type OfferedEvent = {
  /** Ours, so that offering it again records nothing. */
  id: string
  action: string
  subjectId?: string
  properties: unknown
}

type Payload = { action?: string; sender?: { login: string } }

/** The package is a JSON file, whatever its types say. */
const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  name: string
  examples: readonly Payload[]
}[]

/** Webhooks that GitHub's documentation shows, each payload as an event: who did it (the sender), and what. */
export function realEvents(runId: string): OfferedEvent[] {
  return EXAMPLES.flatMap(({ name, examples }) =>
    examples.map((payload, index) => ({
      id: `${runId}-${name}-${index}`,
      action: payload.action ? `${name}.${payload.action}` : name,
      ...(payload.sender ? { subjectId: payload.sender.login } : {}),
      properties: payload,
    })),
  )
}

/** The same, spoiled: no payload is larger than an event may be, and none has a name that the service refuses. */
export function spoiledEvents(runId: string): OfferedEvent[] {
  const payloads = EXAMPLES.find(({ name }) => name === 'pull_request')?.examples ?? []
  return [
    { id: `${runId}-large`, action: 'pull_request.all', subjectId: 'octocat', properties: { payloads } },
    { id: `${runId}-reserved`, action: 'contact.created', subjectId: 'octocat', properties: payloads[0] },
  ]
}

/** Below the service's limit of 1 MiB a request. */
const BATCH_BYTES_MAX = 900_000

/** In their order, at most `itemsMax` in a batch and no batch larger than a request may be. */
export function inBatches(events: readonly OfferedEvent[], itemsMax: number): OfferedEvent[][] {
  const batches: OfferedEvent[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const event of events) {
    const size = eventBytes(event)
    const batch = batches.at(-1)
    if (batch === undefined || batch.length === itemsMax || bytes + size > BATCH_BYTES_MAX) {
      batches.push([event])
      bytes = size
    } else {
      batch.push(event)
      bytes += size
    }
  }
  return batches
}

export function eventBytes(event: OfferedEvent): number {
  return Buffer.byteLength(JSON.stringify(event))
}
