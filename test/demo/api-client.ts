import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OfferedEvent } from './offered-events.ts'

/** A running service and how to get into it. */
export type Target = { baseUrl: string; token: string; email: string; password: string; workspace: string }

export type ItemResult = { index: number; status: 'accepted' | 'failed'; error?: string }
export type LoggedDelivery = { webhookId: string; state: 'pending' | 'delivered' | 'discarded'; attempts: number }

const REQUEST_TIMEOUT_MS = 10_000
const PAGE = 100
/** Of a request that a busy machine answers too late. */
const TRIES_MAX = 8

/** Offers events, each accepted or refused by itself. */
export async function offerEvents(target: Target, events: readonly OfferedEvent[]): Promise<ItemResult[]> {
  const answer = await api(target, 'POST', '/api/events/batch', { events })
  return ((await answer.json()) as { results: ItemResult[] }).results
}

/** Makes an endpoint that receives everything; answers its id. */
export async function createEndpoint(target: Target, url: string): Promise<string> {
  const answer = await api(target, 'POST', '/api/webhooks', { url })
  return ((await answer.json()) as { id: string }).id
}

export async function deleteEndpoint(target: Target, id: string): Promise<void> {
  await api(target, 'DELETE', `/api/webhooks/${id}`)
}

/** Logs in as a person does, and reads the signing secret: only the dashboard shows it. */
export async function readSecret(target: Target, endpointId: string): Promise<string> {
  const { email, password, workspace } = target
  const login = await call(target, 'POST', '/site/auth/login', { body: { email, password } })
  const cookie = login.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const path = `/site/workspaces/${workspace}/webhooks/${endpointId}`
  const answer = await call(target, 'GET', path, { headers: { cookie: cookie.join('; ') } })
  return ((await answer.json()) as { secret: string }).secret
}

/** The whole delivery log of an endpoint. */
export async function readDeliveryLog(target: Target, endpointId: string): Promise<LoggedDelivery[]> {
  const deliveries: LoggedDelivery[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...(cursor ? { cursor } : {}) })
    const answer = await api(target, 'GET', `/api/webhooks/${endpointId}/deliveries?${query}`)
    const page = (await answer.json()) as { items: LoggedDelivery[]; nextCursor?: string }
    deliveries.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return deliveries
}

function api(target: Target, method: string, path: string, body?: object): Promise<Response> {
  return call(target, method, path, { headers: { authorization: `Bearer ${target.token}` }, ...(body ? { body } : {}) })
}

/** Asks again while the service says that it is busy: under one key, so that a creation whose outcome is unknown is not doubled. */
async function call(
  target: Target,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object },
): Promise<Response> {
  const key = method === 'POST' && path.startsWith('/api/') ? { 'idempotency-key': randomUUID() } : {}
  const type = body ? { 'content-type': 'application/json' } : {}
  for (let tried = 1; ; tried++) {
    const answer = await fetch(target.baseUrl + path, {
      method,
      headers: { ...headers, ...key, ...type },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    if (answer.ok) return answer
    const { title, detail } = (await answer.json()) as { title: string; detail?: string }
    if (answer.status !== 503 || tried === TRIES_MAX)
      throw new Error(`${method} ${path} answered ${answer.status}: ${detail ?? title}`)
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1_000)
  }
}
