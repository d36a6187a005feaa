import type { Secret } from '../telemetry/secret.ts'

/** `implicit`: TLS from the first byte. `starttls`: by STARTTLS, or not at all. `none`: clear text, asked for by name. */
export const SMTP_TLS_MODES = ['implicit', 'starttls', 'none'] as const
export type SmtpTls = (typeof SMTP_TLS_MODES)[number]

/** Where a session is opened, and as whom. */
export type SmtpServer = {
  host: string
  port: number
  tls: SmtpTls
  /** Null for a server that takes mail without a login. */
  login: { username: string; password: Secret } | null
}

/** RFC 8314 section 7.3: the port of submission over implicit TLS. */
const IMPLICIT_TLS_PORT = 465

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/** The TLS mode that a port stands for. Clear text has to be asked for, but from a server on this machine: nobody else is on that wire. */
export function usualTls({ host, port }: Pick<SmtpServer, 'host' | 'port'>): SmtpTls {
  if (port === IMPLICIT_TLS_PORT) return 'implicit'
  return LOOPBACK.test(host) ? 'none' : 'starttls'
}
