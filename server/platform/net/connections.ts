import net from 'node:net'
import tls from 'node:tls'
import { Client } from 'undici'
import { pinnedLookup } from './pinned-lookup.ts'
import type { Target } from './url-guard.ts'

/** How long an idle connection is kept when the receiver names no time; many servers close theirs after 5 s. */
export const IDLE_TIMEOUT_MS = 4_000
/** Longest idle time a receiver's `Keep-Alive: timeout=` can ask for. */
export const IDLE_TIMEOUT_MAX_MS = 30_000
/** Given up this much earlier than the receiver says, so that its FIN and our request seldom cross. */
const IDLE_MARGIN_MS = 2_000
/** Bytes that undici gets to parse at a time. */
const READ_BYTES_MAX = 1_024
/** Answer headers beyond this end the exchange. */
export const ANSWER_HEADER_BYTES_MAX = 16 * 1024

/**
 * One connection to one origin, used by one attempt at a time. undici's Client speaks HTTP/1.1 on it; the dialling is
 * ours, so that it goes to vetted addresses only and can be torn down at any moment.
 */
export type Connection = {
  readonly target: Target
  readonly client: Client
  /** Addresses that the attempt holding the connection vetted; nothing else is dialled. */
  addresses: readonly string[]
  socket: net.Socket | undefined
  phase: 'connecting' | 'handshaking' | 'open'
  /** An exchange has already ended on this socket. */
  reused: boolean
  idle: boolean
  /** The socket is torn down when it has read more than this. */
  bytesReadMax: number
}

export type Connections = {
  /** An idle connection whose peer is one of `addresses`, else a new one. Nothing is dialled before the first request. */
  acquire(target: Target, addresses: readonly string[]): Connection
  /** Gives a connection back for other attempts. */
  release(connection: Connection): void
  /** Tears a connection down, whatever it is doing. */
  discard(connection: Connection): void
  /** Tears down every idle connection. */
  discardIdle(): void
  /** Connections held or idle. */
  readonly size: number
}

/**
 * Connections of outgoing requests. At most `connectionsMax` exist; beyond that the one idle longest goes, whoever it
 * belongs to. The caller holds at most that many at once. `trustedCa`: certificates (PEM) trusted besides the system's.
 */
export function createConnections(options: { connectionsMax: number; trustedCa?: string }): Connections {
  const idleByOrigin = new Map<string, Connection[]>()
  /** In the order they became idle. */
  const idle = new Set<Connection>()
  const ca = options.trustedCa === undefined ? undefined : [...tls.getCACertificates('default'), options.trustedCa]
  let size = 0

  function removeIdle(connection: Connection): void {
    connection.idle = false
    idle.delete(connection)
    const siblings = idleByOrigin.get(connection.target.origin)
    if (siblings === undefined) return
    siblings.splice(siblings.lastIndexOf(connection), 1)
    if (siblings.length === 0) idleByOrigin.delete(connection.target.origin)
  }

  function discard(connection: Connection): void {
    if (connection.client.destroyed) return
    if (connection.idle) removeIdle(connection)
    size -= 1
    connection.client.destroy(ignore)
    connection.socket?.destroy()
  }

  function open(target: Target, addresses: readonly string[]): Connection {
    const client = new Client(target.origin, {
      connect: (_options, callback) => dial(connection, ca, callback),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      // One deadline stands over the whole attempt; undici's own timers would only begin anew with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: IDLE_TIMEOUT_MAX_MS,
      keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    })
    const connection: Connection = {
      target,
      client,
      addresses,
      socket: undefined,
      phase: 'connecting',
      reused: false,
      idle: false,
      bytesReadMax: Number.POSITIVE_INFINITY,
    }
    client.on('disconnect', () => {
      if (connection.idle) discard(connection)
    })
    size += 1
    return connection
  }

  return {
    acquire(target, addresses) {
      const siblings = idleByOrigin.get(target.origin)
      for (let i = (siblings?.length ?? 0) - 1; i >= 0; i -= 1) {
        const connection = siblings?.[i]
        if (connection === undefined || !isUsable(connection, addresses)) continue
        removeIdle(connection)
        connection.addresses = addresses
        return connection
      }
      const [longestIdle] = idle
      if (size >= options.connectionsMax && longestIdle !== undefined) discard(longestIdle)
      return open(target, addresses)
    },
    release(connection) {
      if (connection.client.destroyed) return
      connection.reused = true
      connection.idle = true
      idle.add(connection)
      const siblings = idleByOrigin.get(connection.target.origin)
      if (siblings === undefined) idleByOrigin.set(connection.target.origin, [connection])
      else siblings.push(connection)
    },
    discard,
    discardIdle() {
      for (const connection of idle) discard(connection)
    },
    get size() {
      return size
    },
  }
}

function ignore(): void {}

function isUsable({ socket }: Connection, addresses: readonly string[]): boolean {
  return socket !== undefined && !socket.destroyed && addresses.includes(socket.remoteAddress ?? '')
}

/** The peer of a fresh connection is not an address the attempt vetted: pinning is broken, nothing may be written. */
export class UnpinnedPeerError extends Error {
  readonly code = 'UNPINNED_PEER'
  constructor() {
    super('connected to an address that was not vetted')
  }
}

/** More came back than any answer within the limits takes. */
export class AnswerTooLargeError extends Error {
  readonly code = 'ANSWER_TOO_LARGE'
  constructor() {
    super('the answer is too large')
  }
}

type Dialled = (...result: [error: null, socket: net.Socket] | [error: Error, socket: null]) => void

/**
 * Opens the socket of a connection: TCP to its vetted addresses (both families raced as RFC 8305 has it), then TLS 1.2
 * or newer with the name verified. No proxy of the environment is looked at. The peer's address is compared once more
 * before undici may write.
 */
function dial(connection: Connection, ca: string[] | undefined, callback: Dialled): void {
  const { target, addresses } = connection
  const tcp: net.TcpNetConnectOpts = {
    host: target.hostname,
    port: target.port,
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  }
  const socket = target.secure
    ? tls.connect({
        ...tcp,
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
        ...(target.literal ? {} : { servername: target.hostname }),
        ...(ca === undefined ? {} : { ca }),
      })
    : net.connect(tcp)
  readInPieces(socket)
  connection.socket = socket
  connection.phase = 'connecting'
  connection.reused = false
  let answered = false
  function answer(error: Error | null): void {
    if (answered) return
    answered = true
    if (error === null) {
      callback(null, socket)
    } else {
      socket.destroy()
      callback(error, null)
    }
  }
  socket.once('connect', () => {
    if (!addresses.includes(socket.remoteAddress ?? '')) answer(new UnpinnedPeerError())
    else connection.phase = 'handshaking'
  })
  socket.once(target.secure ? 'secureConnect' : 'connect', () => {
    if (socket.destroyed) return
    connection.phase = 'open'
    answer(null)
  })
  socket.on('error', answer)
  // undici reads in a listener of its own, added after this one, and knows no limit for what is neither header nor body.
  socket.on('readable', () => {
    if (socket.bytesRead > connection.bytesReadMax) socket.destroy(new AnswerTooLargeError())
  })
}

/**
 * undici parses a chunk to its end, even when the answer in it turns out too large at its beginning, and then makes two
 * errors for every further header: 64 KiB of the shortest headers took the event loop for 0.2 s. So it gets small chunks,
 * and none of a socket that it has given up.
 */
function readInPieces(socket: net.Socket): void {
  const { read } = socket
  socket.read = (size?: number) => {
    if (socket.destroyed) return null
    const bytes = Math.min(socket.readableLength, READ_BYTES_MAX)
    return read.call(socket, size ?? (bytes === 0 ? undefined : bytes))
  }
}
