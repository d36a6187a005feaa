import type net from 'node:net'
import { TLSSocket } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { dialSmtp, type SmtpDialDeps, tlsOptions } from './dial-smtp.ts'
import { type SmtpFailure, type SmtpFailureCode, smtpFailure, tlsFailureCode } from './smtp-failure.ts'
import type { SmtpServer } from './smtp-server.ts'

/** Covers an opening from the look-up to the answer to the login, whatever the server does. */
export const OPEN_DEADLINE_MS = 15_000
/** A reply of a mail server is a few lines; RFC 5321 section 4.5.3.1.5 asks for 512 bytes a line. */
const REPLY_BYTES_MAX = 64 * 1_024
/** How long a server may take to answer QUIT before the connection is torn down. */
const QUIT_TIMEOUT_MS = 2_000

export type SmtpDeps = SmtpDialDeps & {
  /** What we call ourselves in EHLO: a host name. The machine's own when absent. */
  clientName?: string
}

export type SmtpSession = {
  outcome: 'open'
  /** Ready for `send`. Errors of it after this are told to the call they end, and to nobody else. */
  connection: SMTPConnection
  /** `TLSv1.3`, or null for clear text. */
  tlsVersion: string | null
  /** Says QUIT and closes. */
  close(): void
}

/**
 * Opens an SMTP session: look-up, connection, TLS as `server.tls` says, greeting, EHLO, login. Every failure is a value
 * that names its phase; nothing is sent in clear text that the mode does not ask for. `idleTimeoutMs` is how long the
 * opened session waits for a reply of the server (RFC 5321 section 4.5.3.2 asks for up to 10 minutes).
 */
export async function openSmtp(
  deps: SmtpDeps,
  server: SmtpServer,
  options: { deadlineMs?: number; idleTimeoutMs?: number } = {},
): Promise<SmtpSession | SmtpFailure> {
  const deadlineAt = performance.now() + (options.deadlineMs ?? OPEN_DEADLINE_MS)
  const dialled = await dialSmtp(deps, server, deadlineAt)
  if (dialled.outcome === 'failed') return dialled
  const leftMs = Math.max(1, deadlineAt - performance.now())
  const connection = new SMTPConnection({
    host: server.host,
    connection: dialled.socket,
    secure: server.tls === 'implicit',
    secured: server.tls === 'implicit',
    requireTLS: server.tls === 'starttls',
    ignoreTLS: server.tls === 'none',
    tls: tlsOptions(deps, server),
    maxResponseSize: REPLY_BYTES_MAX,
    connectionTimeout: leftMs,
    greetingTimeout: leftMs,
    ...(options.idleTimeoutMs === undefined ? {} : { socketTimeout: options.idleTimeoutMs }),
    ...(deps.clientName === undefined ? {} : { name: deps.clientName }),
    customAuth: { XOAUTH2: presentToken },
  })
  const opened = await converse(connection, server, leftMs)
  if (opened !== 'open') {
    connection.close()
    dialled.socket.destroy()
    return opened
  }
  return {
    outcome: 'open',
    connection,
    tlsVersion: tlsVersionOf(connection),
    close() {
      connection.quit()
      setTimeout(() => connection.close(), QUIT_TIMEOUT_MS).unref()
    },
  }
}

/** Greeting, EHLO, STARTTLS and login on a fresh connection. */
function converse(connection: SMTPConnection, server: SmtpServer, timeoutMs: number) {
  return new Promise<'open' | SmtpFailure>((resolve) => {
    let atLogin = false
    // nodemailer's own timers begin anew with each byte or end with a phase; this one stands over all of them.
    const timer = setTimeout(() => end(smtpFailure(timeoutCode(connection, atLogin))), timeoutMs)
    function end(result: 'open' | SmtpFailure): void {
      clearTimeout(timer)
      resolve(result)
    }
    connection.on('error', (error: SmtpError) => end(failureOf(connection, error, atLogin)))
    connection.connect((error?: SmtpError) => {
      if (error) return end(failureOf(connection, error, atLogin))
      if (server.login === null) return end('open')
      if (!connection.allowsAuth) return end(smtpFailure('auth_not_offered'))
      atLogin = true
      connection.login(credentialsOf(server.login), (refused) =>
        end(refused ? failureOf(connection, refused, atLogin) : 'open'),
      )
    })
  })
}

/** How a password that is an access token begins, as in HTTP (RFC 6750). */
const TOKEN = /^Bearer /i

/** PLAIN, LOGIN or CRAM-MD5, as the server offers them in this order; an access token goes by XOAUTH2 and by nothing else. */
function credentialsOf({ username, password }: NonNullable<SmtpServer['login']>): SMTPConnection.AuthenticationType {
  const secret = password.reveal()
  if (!TOKEN.test(secret)) return { user: username, pass: secret }
  // `oauth2` keeps the method that is asked for; the token itself is presented below.
  const token = { method: 'XOAUTH2', user: username, pass: secret.replace(TOKEN, '').trim(), oauth2: {} }
  return token as unknown as SMTPConnection.AuthenticationType
}

/** XOAUTH2 as Google and Microsoft have it: a refusal is a challenge first, and the reply only after an empty line. */
async function presentToken({ auth, sendCommand }: SMTPConnection.CustomAuthenticationContext): Promise<void> {
  const { user, pass } = auth.credentials
  const token = Buffer.from(`user=${user}\u0001auth=Bearer ${pass}\u0001\u0001`).toString('base64')
  const answer = await sendCommand(`AUTH XOAUTH2 ${token}`)
  const last = answer.status === 334 ? await sendCommand('') : answer
  if (last.status !== 235) throw new Error('refused')
}

/** What nodemailer's errors carry besides their message, which is not looked at. */
type SmtpError = Error & {
  code?: string | undefined
  /** The system's or OpenSSL's code, where `code` is nodemailer's. */
  originalCode?: string | undefined
  command?: string | undefined
  response?: string | false | undefined
  responseCode?: number | undefined
}

function failureOf(connection: SMTPConnection, error: SmtpError, atLogin: boolean): SmtpFailure {
  if (atLogin) return smtpFailure(loginFailureCode(error), error.response)
  if (error.code === 'ETIMEDOUT') return smtpFailure(timeoutCode(connection, atLogin))
  if (error.command === 'STARTTLS') {
    return smtpFailure(error.response ? 'starttls_not_offered' : 'tls_failed', error.response)
  }
  if (connection.upgrading) return smtpFailure(tlsFailureCode(error.originalCode ?? ''))
  if (error.command === 'EHLO' || error.command === 'HELO') return smtpFailure('ehlo_refused', error.response)
  if (error.code === 'EPROTOCOL') {
    return smtpFailure(/^[45]\d\d/.test(error.response || '') ? 'greeting_refused' : 'not_smtp', error.response)
  }
  return smtpFailure('connection_closed', error.response)
}

function loginFailureCode({ code, responseCode = 0 }: SmtpError): SmtpFailureCode {
  if (code === 'ETIMEDOUT') return 'auth_timeout'
  if (code !== 'EAUTH') return 'auth_failed'
  // RFC 4954 section 6: 454 is temporary, 535 is wrong credentials, 530 and 538 ask for more than was offered.
  if (responseCode >= 400 && responseCode < 500) return 'auth_unavailable'
  return responseCode >= 500 ? 'credentials_refused' : 'auth_failed'
}

/** Where the session stood when its time was over. */
function timeoutCode(connection: SMTPConnection, atLogin: boolean): SmtpFailureCode {
  if (atLogin) return 'auth_timeout'
  if (connection.upgrading) return 'tls_timeout'
  return connection.lastServerResponse === false ? 'greeting_timeout' : 'ehlo_timeout'
}

function tlsVersionOf(connection: SMTPConnection): string | null {
  const socket = (connection as unknown as { _socket: net.Socket })._socket
  return socket instanceof TLSSocket ? socket.getProtocol() : null
}
