import { Secret } from '../telemetry/secret.ts'
import type { SmtpServer, SmtpTls } from './smtp-server.ts'

const PORTS = { implicit: 465, starttls: 587, none: 25 } as const satisfies Record<SmtpTls, number>
const FORM = 'must be smtp://user:password@host:587 or smtps://user:password@host:465'

/**
 * A mail server as one address: `smtps:` is TLS from the first byte, `smtp:` is STARTTLS or nothing, and `smtp:` with
 * `?tls=none` is clear text. Throws one sentence, without the address: it holds a password.
 */
export function parseSmtpUrl(value: string): SmtpServer {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || url.hostname === '' || !['', '/'].includes(url.pathname)) throw new Error(FORM)
  const tls = tlsOf(url)
  const [username, password] = [decoded(url.username), decoded(url.password)]
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS[tls] : Number(url.port),
    tls,
    login: username === '' ? null : { username, password: new Secret(password) },
  }
}

function tlsOf({ protocol, searchParams }: URL): SmtpTls {
  const given = searchParams.get('tls')
  const known = [...searchParams.keys()].every((key) => key === 'tls')
  if (protocol === 'smtps:' && searchParams.size === 0) return 'implicit'
  if (protocol === 'smtp:' && known && (given === null || given === 'none')) return given ?? 'starttls'
  throw new Error(`${FORM}; ?tls=none asks for clear text`)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('has a user or password with a % that encodes nothing')
  }
}
