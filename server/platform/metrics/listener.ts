import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ListenAddress } from '../net/listen-address.ts'
import type { Metrics } from './metrics.ts'

export type MetricsListener = { host: string; port: number; close(): Promise<void> }

const REQUEST_TIMEOUT_MS = 5_000
const CONNECTIONS_MAX = 32
/** As the public port's probe: then it is not ready. */
const READY_WITHIN_MS = 1_500

export type Listened = Pick<Metrics, 'scrape'> & {
  /** Resolves to what a process that can work has to say beside that; rejects when it cannot, or not now. */
  ready?(): Promise<object>
}

/**
 * Serves `GET /metrics` on a listener of its own, without authentication: the network is the boundary. And the probes
 * `/healthz` and `/readyz`, which a process without a public port has nowhere else. Rejects when the address cannot be
 * listened on.
 */
export async function startMetricsListener(listened: Listened, address: ListenAddress): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(listened, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.maxConnections = CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address() as AddressInfo
  return {
    host: bound.address,
    port: bound.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(listened: Listened, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answered = ANSWERS[request.url?.split('?', 1)[0] ?? '']
  if (answered === undefined) {
    response.writeHead(404).end()
    return
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const { status = 200, type, text } = await answered(listened)
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

type Answered = { status?: number; type: string; text: string }

const ANSWERS: Readonly<Record<string, (listened: Listened) => Promise<Answered>>> = {
  '/metrics': async ({ scrape }) => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: await scrape() }),
  '/healthz': async () => said({ status: 'ok' }),
  '/readyz': ({ ready = async () => ({}) }) =>
    inTime(ready()).then(
      (more) => said({ status: 'ok', ...more }),
      () => ({ ...said({ status: 'not_ready' }), status: 503 }),
    ),
}

function said(body: object): Answered {
  return { type: 'application/json; charset=utf-8', text: JSON.stringify(body) }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), READY_WITHIN_MS)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
