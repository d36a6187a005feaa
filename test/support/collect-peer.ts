import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request for the intake, as it arrived. */
export type Collected = {
  kind: string
  body: CollectedBody
  headers: IncomingHttpHeaders
}
export type CollectedEvent = {
  id: string
  action: string
  visitorId?: string
  occurredAt: string
  properties?: Record<string, unknown>
  context?: Record<string, unknown>
}
type CollectedBody = Record<string, unknown> & { sentAt?: string; events?: CollectedEvent[] }

/** An answer: a status with what belongs to it, no answer at all, or one that the test gives later. */
export type CollectAnswer = { status: number; retryAfter?: number; json?: object } | 'drop'

/** A shop and the intake that its pages report to: two origins on one port, `shopUrl` and `collectUrl`. */
export type CollectPeer = {
  shopUrl: string
  collectUrl: string
  /** All requests for the intake, preflights too, which are of the kind `OPTIONS`. */
  requests: Collected[]
  /** Ids of the events that were taken, in their order, doubled ones twice. */
  taken: string[]
  /** How it answers from now on. */
  answer: (request: Collected) => CollectAnswer | Promise<CollectAnswer>
  /** What stands in the head of the shop's pages, and their policy. */
  head: string
  policy: string | undefined
  close(): Promise<void>
}

/** Begins with the answer 204 and an empty head; `scripts` are served by both origins under their paths. */
export async function startCollectPeer(scripts: Readonly<Record<string, Buffer>>): Promise<CollectPeer> {
  const server = createServer(async (request, response) => {
    const path = request.url!.split('?', 1)[0]!
    const script = scripts[path]
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    if (script) return response.setHeader('content-type', 'text/javascript').end(script)
    if (!path.startsWith('/collect/')) {
      if (peer.policy) response.setHeader('content-security-policy', peer.policy)
      const page = `<!doctype html><html lang="en"><head><title>${path}</title>${peer.head}</head><body></body></html>`
      return response.setHeader('content-type', 'text/html').end(page)
    }
    const collected = await read(request, path)
    peer.requests.push(collected)
    const answer = request.method === 'OPTIONS' ? { status: 204 } : await peer.answer(collected)
    if (answer === 'drop') return response.destroy()
    if (answer.status < 300) peer.taken.push(...(collected.body.events ?? []).map(({ id }) => id))
    response.statusCode = answer.status
    response.setHeader('access-control-expose-headers', 'Retry-After')
    if (answer.retryAfter !== undefined) response.setHeader('retry-after', answer.retryAfter)
    return response.end(answer.json && JSON.stringify(answer.json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const peer: CollectPeer = {
    shopUrl: `http://localhost:${port}`,
    collectUrl: `http://127.0.0.1:${port}`,
    requests: [],
    taken: [],
    answer: () => ({ status: 204 }),
    head: '',
    policy: undefined,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return peer
}

async function read(request: IncomingMessage, path: string): Promise<Collected> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const kind = request.method === 'POST' ? path.slice('/collect/'.length) : request.method!
  return { kind, body: text ? JSON.parse(text) : {}, headers: request.headers }
}
