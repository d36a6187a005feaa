import net from 'node:net'
import os from 'node:os'
import { assertNever } from '../assert-never.ts'
import { beginTls, dialSmtp, type SmtpDialDeps } from './dial-smtp.ts'
import { replyLine, type WireReply } from './read-replies.ts'
import { type SmtpFailure, type SmtpFailureCode, smtpFailure } from './smtp-failure.ts'
import { logIn } from './smtp-login.ts'
import type { SmtpServer } from './smtp-server.ts'
import { SmtpWire, type WireBreak } from './smtp-wire.ts'

/** Covers an opening from the look-up to the answer to the login, whatever the server does. */
export const OPEN_DEADLINE_MS = 15_000

export type SmtpDeps = SmtpDialDeps & {
  /** Our name in EHLO: a host name. The machine's own when absent. */
  clientName?: string
}

export type SmtpSession = { outcome: 'open'; wire: SmtpWire }

/**
 * Opens an SMTP session: look-up, connection, TLS as `server.tls` says, greeting, EHLO, login. Every failure is a value
 * that names its phase; nothing is sent in clear text that the mode does not ask for. A server that speaks without being
 * asked is not believed: what was said in clear text behind its answer to STARTTLS could be anybody's (RFC 3207 section 6).
 */
export async function openSmtp(
  deps: SmtpDeps,
  server: SmtpServer,
  { deadlineMs = OPEN_DEADLINE_MS }: { deadlineMs?: number } = {},
): Promise<SmtpSession | SmtpFailure> {
  const deadlineAt = performance.now() + deadlineMs
  const dialled = await dialSmtp(deps, server, deadlineAt)
  if (dialled.outcome === 'failed') return dialled
  const wire = new SmtpWire(dialled.socket)
  const hello = helloName(deps)
  const opening: Opening = { wire, server, hello, leftMs: () => Math.max(1, deadlineAt - performance.now()) }
  const greeting = await greet(opening)
  if (greeting !== null) return abandoned(wire, greeting)
  if (server.tls !== 'starttls') return logInTo(opening)
  const refused = await askForTls(opening)
  if (refused !== null) return abandoned(wire, refused)
  const socket = wire.yieldSocket()
  if (socket === null) return abandoned(wire, smtpFailure('tls_failed'))
  const secured = await beginTls(deps, server, { socket, deadlineAt })
  if (secured.outcome === 'failed') return secured
  // Extensions offered in clear text count for nothing any more.
  const safe = { ...opening, wire: new SmtpWire(secured.socket) }
  const failure = await sayHello(safe)
  return failure === null ? logInTo(safe) : abandoned(safe.wire, failure)
}

type Opening = { wire: SmtpWire; server: SmtpServer; hello: string; leftMs: () => number }

async function greet(opening: Opening): Promise<SmtpFailure | null> {
  const reply = await opening.wire.reply(opening.leftMs())
  if (typeof reply === 'string') return broken(reply, 'greeting_timeout')
  if (reply.code !== 220) return smtpFailure(reply.code >= 400 ? 'greeting_refused' : 'not_smtp', replyLine(reply))
  return sayHello(opening)
}

/** EHLO, and HELO to a server that does not know it: that one offers neither TLS nor a login. */
async function sayHello({ wire, server, hello, leftMs }: Opening): Promise<SmtpFailure | null> {
  const ehlo = await ask(wire, `EHLO ${hello}`, leftMs)
  if (typeof ehlo === 'string') return broken(ehlo, 'ehlo_timeout')
  if (ehlo.code === 250) {
    wire.learnExtensions()
    return null
  }
  if (server.tls === 'starttls' || ehlo.code < 500) return smtpFailure('ehlo_refused', replyLine(ehlo))
  const helo = await ask(wire, `HELO ${hello}`, leftMs)
  if (typeof helo === 'string') return broken(helo, 'ehlo_timeout')
  return helo.code === 250 ? null : smtpFailure('ehlo_refused', replyLine(helo))
}

/** Asks also where it is not offered: somebody on the way may have taken the offer out. */
async function askForTls({ wire, leftMs }: Opening): Promise<SmtpFailure | null> {
  const reply = await ask(wire, 'STARTTLS', leftMs)
  if (typeof reply === 'string') return broken(reply, 'tls_timeout')
  return reply.code === 220 ? null : smtpFailure('starttls_not_offered', replyLine(reply))
}

async function logInTo({ wire, server, leftMs }: Opening): Promise<SmtpSession | SmtpFailure> {
  if (server.login === null) return { outcome: 'open', wire }
  const methods = wire.extensions.get('AUTH') ?? []
  const { login } = server
  const failure = await logIn({ methods, login, command: (line) => ask(wire, line, leftMs) })
  return failure === null ? { outcome: 'open', wire } : abandoned(wire, failure)
}

/** One command and its answer. A server that has spoken already is not asked. */
async function ask(wire: SmtpWire, line: string, leftMs: () => number): Promise<WireReply | WireBreak> {
  if (wire.unread > 0) return 'malformed_reply'
  void wire.write([`${line}\r\n`], leftMs())
  return wire.reply(leftMs())
}

function broken(how: WireBreak, timeout: SmtpFailureCode): SmtpFailure {
  switch (how) {
    case 'timeout':
      return smtpFailure(timeout)
    case 'malformed_reply':
      return smtpFailure('not_smtp')
    case 'connection_lost':
      return smtpFailure('connection_closed')
    default:
      return assertNever(how)
  }
}

function abandoned(wire: SmtpWire, failure: SmtpFailure): SmtpFailure {
  wire.destroy()
  return failure
}

/** A name for EHLO (RFC 5321 section 4.1.4): a host name with a dot, or an address in brackets. */
function helloName({ clientName = os.hostname() }: Pick<SmtpDeps, 'clientName'>): string {
  if (net.isIPv4(clientName)) return `[${clientName}]`
  return clientName.includes('.') ? clientName : '[127.0.0.1]'
}
