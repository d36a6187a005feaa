import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ListenAddress } from '../net/listen-address.ts'
import type { Metrics } from './metrics.ts'

export type MetricsListener = { host: string; port: number; close(): Promise<void> }

const REQUEST_TIMEOUT_MS = 5_000
const CONNECTIONS_MAX = 32

/**
 * Serves `GET /metrics` on a listener of its own, without authentication: the network is the boundary. Rejects when the
 * address cannot be listened on.
 */
export async function startMetricsListener(
  metrics: Pick<Metrics, 'scrape'>,
  address: ListenAddress,
): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(metrics, request, response).catch((error: unknown) => response.destroy(error as Error))
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

async function answer(
  metrics: Pick<Metrics, 'scrape'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url?.split('?', 1)[0] !== '/metrics') {
    response.writeHead(404).end()
    return
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  const text = await metrics.scrape()
  response.writeHead(200, {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
