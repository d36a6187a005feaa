import net from 'node:net'
import tls from 'node:tls'
import { pinnedLookup } from '../net/pinned-lookup.ts'
import { lookUpMailHost, type MailHostDeps } from './mail-host.ts'
import { connectFailureCode, type SmtpFailure, smtpFailure, tlsFailureCode } from './smtp-failure.ts'
import type { SmtpServer } from './smtp-server.ts'

/** Of the whole opening, what the look-up may take. */
export const LOOKUP_TIMEOUT_MS = 5_000
/** Of the whole opening, what each connection may take; the handshake that follows has the rest. */
export const CONNECT_TIMEOUT_MS = 8_000

export type SmtpDialDeps = MailHostDeps & {
  /** Certificates (PEM) trusted besides the system's. */
  trustedCa?: string
  /** The one server that may be dialled, whatever else is allowed; null: none. Absent, there is no such limit. */
  only?: Pick<SmtpServer, 'host' | 'port'> | null
}

export type Dialled = { outcome: 'connected'; socket: net.Socket } | SmtpFailure

/**
 * Opens the socket of an SMTP session: one look-up, every address judged, TCP to exactly those addresses (both families
 * raced as RFC 8305 has it), and with `tls: 'implicit'` the handshake. Ends by `deadlineAt` (`performance.now()`).
 */
export async function dialSmtp(deps: SmtpDialDeps, server: SmtpServer, deadlineAt: number): Promise<Dialled> {
  if (deps.only !== undefined && !isSame(deps.only, server)) return smtpFailure('address_refused')
  const leftMs = () => Math.max(1, deadlineAt - performance.now())
  const found = await lookUpMailHost(deps, server.host, Math.min(LOOKUP_TIMEOUT_MS, leftMs()))
  if (found.outcome === 'refused') return smtpFailure('address_refused')
  if (found.outcome === 'unresolvable') {
    return smtpFailure(found.reason === 'not_found' ? 'host_not_found' : `host_lookup_${found.reason}`)
  }
  const { addresses } = found
  const socket = net.connect({
    host: server.host,
    port: server.port,
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
  })
  const connected = await ready(socket, 'connect', Math.min(CONNECT_TIMEOUT_MS, leftMs()))
  if (connected === 'timeout') return smtpFailure('connection_timeout')
  if (connected !== 'ready') return smtpFailure(connectFailureCode(connected.code))
  if (!addresses.includes(socket.remoteAddress ?? '')) {
    socket.destroy()
    return smtpFailure('address_refused')
  }
  return server.tls === 'implicit' ? beginTls(deps, server, { socket, deadlineAt }) : { outcome: 'connected', socket }
}

function isSame(only: SmtpDialDeps['only'], { host, port }: SmtpServer): boolean {
  return only?.host === host && only.port === port
}

/** The handshake on a connected socket, which nobody reads from; when it fails the connection is over. */
export async function beginTls(
  deps: Pick<SmtpDialDeps, 'trustedCa'>,
  server: SmtpServer,
  { socket, deadlineAt }: { socket: net.Socket; deadlineAt: number },
): Promise<Dialled> {
  const secured = tls.connect({ socket, host: server.host, ...tlsOptions(deps, server) })
  const handshake = await ready(secured, 'secureConnect', Math.max(1, deadlineAt - performance.now()))
  if (handshake === 'ready') return { outcome: 'connected', socket: secured }
  socket.destroy()
  return smtpFailure(handshake === 'timeout' ? 'tls_timeout' : tlsFailureCode(handshake.code))
}

/** Demands of every TLS session with a mail server: TLS 1.2 or newer, and a certificate for the host's name. */
function tlsOptions(deps: Pick<SmtpDialDeps, 'trustedCa'>, { host }: SmtpServer): tls.ConnectionOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    ...(deps.trustedCa === undefined ? {} : { ca: [...tls.getCACertificates('default'), deps.trustedCa] }),
  }
}

/** Waits for a socket's event, and leaves it without listeners of ours; on anything else the socket is destroyed. */
function ready(socket: net.Socket, event: 'connect' | 'secureConnect', timeoutMs: number) {
  return new Promise<'ready' | 'timeout' | { code: string }>((resolve) => {
    const timer = setTimeout(end, timeoutMs, 'timeout')
    const onReady = () => end('ready')
    const onError = (error: NodeJS.ErrnoException) => end({ code: error.code ?? '' })
    const onClose = () => end({ code: 'ECONNRESET' })
    socket.once(event, onReady).once('error', onError).once('close', onClose)
    function end(result: 'ready' | 'timeout' | { code: string }): void {
      clearTimeout(timer)
      socket.off(event, onReady).off('error', onError).off('close', onClose)
      if (result !== 'ready') socket.on('error', () => undefined).destroy()
      resolve(result)
    }
  })
}
