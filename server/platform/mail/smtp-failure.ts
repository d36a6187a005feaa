/** How far the opening of an SMTP session came. */
export const SMTP_PHASES = ['dns', 'connect', 'tls', 'greeting', 'ehlo', 'auth'] as const
export type SmtpPhase = (typeof SMTP_PHASES)[number]

/** Every way an SMTP session can fail to open: the phase it fails in, and what a person is told. Codes are stable. */
export const SMTP_FAILURES = {
  host_not_found: ['dns', 'The host name does not exist or has no address.'],
  host_lookup_failed: ['dns', 'The name servers of the host answered with a failure.'],
  host_lookup_timeout: ['dns', 'The name servers of the host did not answer in time.'],
  address_refused: ['dns', 'The host is at an address that mail may not be handed to.'],
  connection_refused: ['connect', 'Nothing listens at this host and port.'],
  connection_timeout: ['connect', 'The host did not answer on this port. A firewall may be dropping the connection.'],
  connection_failed: ['connect', 'The host could not be reached.'],
  certificate_wrong_name: ['tls', "The server's certificate is for another host name."],
  certificate_expired: ['tls', "The server's certificate has expired or is not valid yet."],
  certificate_untrusted: ['tls', "The server's certificate is not issued by an authority that is trusted here."],
  starttls_not_offered: ['tls', 'The server offers no STARTTLS. Nothing was sent in clear text.'],
  tls_timeout: ['tls', 'The server did not complete the TLS handshake in time.'],
  tls_failed: ['tls', 'TLS could not be agreed on. The port may expect another TLS mode.'],
  greeting_refused: ['greeting', 'The server refused the connection in its greeting.'],
  greeting_timeout: [
    'greeting',
    'The server accepted the connection and said nothing. The port may expect TLS at once.',
  ],
  not_smtp: ['greeting', 'What answers at this host and port does not speak SMTP.'],
  connection_closed: ['greeting', 'The server closed the connection.'],
  ehlo_refused: ['ehlo', 'The server refused to begin a session.'],
  ehlo_timeout: ['ehlo', 'The server did not begin the session in time.'],
  auth_not_offered: ['auth', 'The server offers no login that can be used. The password was not sent.'],
  credentials_refused: ['auth', 'The server refused the username or the password.'],
  auth_unavailable: ['auth', 'The server cannot check logins right now.'],
  auth_failed: ['auth', 'The login did not go as SMTP describes it.'],
  auth_timeout: ['auth', 'The server did not answer the login in time.'],
} as const satisfies Record<string, readonly [SmtpPhase, string]>

export type SmtpFailureCode = keyof typeof SMTP_FAILURES

export type SmtpFailure = {
  outcome: 'failed'
  phase: SmtpPhase
  code: SmtpFailureCode
  /** For a person; names no address. */
  message: string
  /** The server's refusing reply, at most `REPLY_CHARS_MAX` characters of it; null where there was none. */
  reply: string | null
}

export const REPLY_CHARS_MAX = 500
/** RFC 5321 section 4.2: anything else is not a reply of a mail server and is shown to nobody. */
const REPLY = /^[2-5]\d\d[ -]/

export function smtpFailure(code: SmtpFailureCode, reply?: string | false): SmtpFailure {
  const [phase, message] = SMTP_FAILURES[code]
  const shown = typeof reply === 'string' && REPLY.test(reply) ? reply.slice(0, REPLY_CHARS_MAX) : null
  return { outcome: 'failed', phase, code, message, reply: shown }
}

/** A failure of the TLS handshake or of the certificate, by the code of OpenSSL or Node.js. */
export function tlsFailureCode(systemCode: string): SmtpFailureCode {
  if (systemCode === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'certificate_wrong_name'
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(systemCode)) return 'certificate_expired'
  if (/CERT|SIGNATURE|ISSUER/.test(systemCode)) return 'certificate_untrusted'
  return 'tls_failed'
}

/** A failure to connect, by the system's code. */
export function connectFailureCode(systemCode: string): SmtpFailureCode {
  if (systemCode === 'ECONNREFUSED') return 'connection_refused'
  return systemCode === 'ETIMEDOUT' ? 'connection_timeout' : 'connection_failed'
}
