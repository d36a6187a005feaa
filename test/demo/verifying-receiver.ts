import { Webhook } from 'standardwebhooks'
import { type ReceivedRequest, startReceiver } from '../support/receiver.ts'
import type { Behaviour } from '../support/receiver-behaviour.ts'

/** One request that reached the receiver. */
export type Arrival = {
  webhookId: string
  arrivedAtMs: number
  /** The body, if the official library vouches for it. */
  delivery: { type: string; subject: string; data: { properties?: unknown } } | undefined
  /** How it was turned away on purpose; undefined when it was taken. */
  turnedAway: string | undefined
}

export type VerifyingReceiver = {
  url: string
  arrivals: readonly Arrival[]
  /** The signing secret, known only once the endpoint exists. */
  trust(secret: string): void
  close(): Promise<void>
}

/** Of each ten deliveries the first try of one is turned away, in these ways by turns. */
const TURN_AWAY_EVERY = 10
const WAYS: readonly { name: string; behaviour: Behaviour }[] = [
  { name: 'answered 503', behaviour: { kind: 'answer', status: 503 } },
  { name: 'reset the connection', behaviour: { kind: 'reset' } },
  { name: 'redirected elsewhere', behaviour: { kind: 'redirect', location: 'http://169.254.169.254/' } },
]

/** Verifies every delivery with the official library of Standard Webhooks, and turns some first tries away. */
export async function startVerifyingReceiver(): Promise<VerifyingReceiver> {
  const arrivals: Arrival[] = []
  const known = new Set<string>()
  let webhook: Webhook | undefined

  function receive(request: ReceivedRequest): Behaviour {
    const webhookId = String(request.headers['webhook-id'])
    const delivery = verified(webhook, request)
    const isFirst = !known.has(webhookId)
    known.add(webhookId)
    const nth = known.size / TURN_AWAY_EVERY
    const way = isFirst && Number.isInteger(nth) ? WAYS[nth % WAYS.length] : undefined
    arrivals.push({ webhookId, arrivedAtMs: performance.now(), delivery, turnedAway: way?.name })
    return way?.behaviour ?? { kind: 'answer', status: delivery ? 204 : 400 }
  }

  const receiver = await startReceiver({ behave: receive })
  return {
    url: `${receiver.url}/github`,
    arrivals,
    trust(secret) {
      webhook = new Webhook(secret)
    },
    close: () => receiver.close(),
  }
}

function verified(webhook: Webhook | undefined, { body, headers }: ReceivedRequest): Arrival['delivery'] {
  try {
    return webhook?.verify(body, headers as Record<string, string>) as Arrival['delivery']
  } catch {
    return undefined
  }
}
