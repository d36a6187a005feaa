import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import type { TlsOptions } from 'node:tls'
import { type Behaviour, misbehave } from './receiver-behaviour.ts'

export type ReceivedRequest = {
  method: string
  path: string
  /** Names in lower case. */
  headers: http.IncomingHttpHeaders
  /** As they were spelled. */
  headerNames: string[]
  /** The body as sent, byte for byte. */
  body: Buffer
  receivedAtMs: number
}

/** One behaviour for every request, or a decision at each (`index` counts requests from 0). */
export type Behave = Behaviour | ((request: ReceivedRequest, index: number) => Behaviour)

export type Receiver = {
  /** `http://127.0.0.1:port`, or https with `tls`. */
  readonly url: string
  readonly port: number
  /** Requests read whole, oldest first. */
  readonly requests: readonly ReceivedRequest[]
  /** Connections accepted so far. */
  readonly connectionsAccepted: number
  /** Connections open now. */
  readonly connectionsOpen: number
  /** Bytes handed to the network on all connections so far. */
  bytesSent(): number
  /** Bytes received on all connections so far. */
  bytesRead(): number
  /** Changes what later requests get. */
  behave(behave: Behave): void
  /** Resolves when the predicate holds, asked at each request and closed connection; rejects after `deadlineMs`. */
  waitFor(predicate: (requests: readonly ReceivedRequest[]) => boolean, deadlineMs: number): Promise<void>
  /** Closes idle connections, as a server does whose keep-alive time is over. */
  closeIdle(): void
  /** Resets every connection, as a host does that has lost them. */
  resetAll(): void
  close(): Promise<void>
}

/**
 * Starts a receiver of webhooks on loopback that records what it gets and answers as told; without `behave`, 200.
 * `keepAliveMs` is how long it keeps idle connections (default 60 s).
 */
export async function startReceiver(
  options: { behave?: Behave; tls?: TlsOptions; keepAliveMs?: number; host?: string } = {},
): Promise<Receiver> {
  const host = options.host ?? '127.0.0.1'
  const requests: ReceivedRequest[] = []
  const sockets = new Set<net.Socket>()
  const waiters = new Set<() => void>()
  let behave: Behave = options.behave ?? { kind: 'answer' }
  let connectionsAccepted = 0
  let bytesSentBefore = 0
  let bytesReadBefore = 0

  async function handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const received: ReceivedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      headerNames: request.rawHeaders.filter((_, at) => at % 2 === 0),
      body: Buffer.concat(chunks),
      receivedAtMs: Date.now(),
    }
    requests.push(received)
    const behaviour = typeof behave === 'function' ? behave(received, requests.length - 1) : behave
    misbehave(behaviour, response)
    checkWaiters()
  }

  function checkWaiters(): void {
    for (const check of waiters) check()
  }

  const listener = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    // A request cut off half-way is the client's doing and nothing to record.
    handle(request, response).catch(() => response.destroy())
  }
  const server = options.tls === undefined ? http.createServer(listener) : https.createServer(options.tls, listener)
  server.keepAliveTimeout = options.keepAliveMs ?? 60_000
  server.on('connection', (socket: net.Socket) => {
    connectionsAccepted += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      bytesSentBefore += socket.bytesWritten
      bytesReadBefore += socket.bytesRead
      checkWaiters()
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo

  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${net.isIPv6(host) ? `[${host}]` : host}:${port}`,
    port,
    requests,
    get connectionsAccepted() {
      return connectionsAccepted
    },
    get connectionsOpen() {
      return sockets.size
    },
    bytesSent() {
      let total = bytesSentBefore
      for (const socket of sockets) total += socket.bytesWritten
      return total
    },
    bytesRead() {
      let total = bytesReadBefore
      for (const socket of sockets) total += socket.bytesRead
      return total
    },
    behave(next) {
      behave = next
    },
    waitFor(predicate, deadlineMs) {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          if (!predicate(requests)) return
          clearTimeout(timer)
          waiters.delete(check)
          resolve()
        }
        const timer = setTimeout(() => {
          waiters.delete(check)
          reject(new Error(`not within ${deadlineMs} ms; the receiver has ${requests.length} requests`))
        }, deadlineMs)
        waiters.add(check)
        check()
      })
    },
    closeIdle() {
      server.closeIdleConnections()
    },
    resetAll() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async close() {
      server.close()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
