import type { ReceivedRequest } from '../support/receiver.ts'
import type { CrowdWorld } from './world.ts'

type Delivery = { id: string; endpoint: string; event: string; state: string; made: number }

/** Faults of deliveries: each event to the witness under one id, with the same bytes however often; nothing left over anywhere. */
export async function judgeDeliveries({ instance, witness, witnessId, receiver }: CrowdWorld): Promise<string[]> {
  const faults: string[] = []
  const came = arrivals([...witness.requests, ...receiver.requests], faults)
  const deliveries = await instance.sql<Delivery>(
    `select 'dlv_' || id as id, endpoint_id as endpoint, event_id as event, state from deliveries where workspace_id = 1`,
  )
  for (const { id, endpoint, event, state } of deliveries) {
    if (state === 'delivered' && !came.has(id))
      faults.push(`delivered, and did not come: ${id} of event ${event} to ${endpoint}`)
    if (state !== 'delivered' && endpoint === witnessId) faults.push(`${state}: ${id} of event ${event} to the witness`)
  }
  const [events, seen] = [new Set<string>(), new Set<string>()]
  for (const { body, headers } of witness.requests) {
    const { id } = JSON.parse(body.toString())
    if (events.has(id) && !seen.has(String(headers['webhook-id'])))
      faults.push(`event ${id} came to the witness under a second id`)
    events.add(id)
    seen.add(String(headers['webhook-id']))
  }
  const missing = await instance.sql<{ id: string; type: string }>(
    `select id, type from events where workspace_id = 1 and not id = any ($1) and (contact_id is not null or subject = 'nobody')
       and recorded_at > (select created_at from webhook_endpoints where id = $2)`,
    [[...events], witnessId],
  )
  for (const { id, type } of missing) faults.push(`event ${id}, ${type}, never came to the witness`)
  return faults
}

/** Whether a body is what an erasure has left of one: what is there is as it was, or gone; whose it is may have become part of somebody else. */
function hasLost(before: unknown, after: unknown): boolean {
  if (after === null || before === after) return true
  if (typeof before !== 'object' || before === null || typeof after !== 'object') return false
  const kept = before as Record<string, unknown>
  return Object.entries(after).every(
    ([name, value]) => name === 'contactId' || value === '' || hasLost(kept[name], value),
  )
}

/** Bodies by the ids they came under. */
function arrivals(requests: readonly ReceivedRequest[], faults: string[]): Map<string, string> {
  const bodies = new Map<string, string>()
  for (const { headers, body } of requests) {
    const id = String(headers['webhook-id'])
    const text = body.toString()
    const before = bodies.get(id) ?? text
    if (before !== text && !hasLost(JSON.parse(before), JSON.parse(text)))
      faults.push(`came with other bytes the second time: ${id}: ${before} and ${text}`)
    bodies.set(id, text)
  }
  return bodies
}
