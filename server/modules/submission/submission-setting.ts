import { isIP } from 'node:net'
import { type ListenAddress, parseListenAddress } from '../../platform/net/listen-address.ts'

/** `implicit`: TLS from the first byte. `starttls`: by STARTTLS, before which nobody logs in. */
export type SubmissionAddress = ListenAddress & { tls: 'implicit' | 'starttls' }

/** Files in PEM, read again when they change. */
export type TlsFiles = { cert: string; key: string }

/** Proxies that say whose a connection is (PROXY protocol): everybody, or those at these addresses. */
export type Proxies = true | string[]

export type SubmissionSetting = {
  addresses: readonly SubmissionAddress[]
  tls: TlsFiles | undefined
  proxies: Proxies | undefined
  /** Connections that one token may have at once. */
  connectionsPerToken: number
}

/** Of one listener. */
export const CONNECTIONS_MAX = 1_000
/** Of them, of one token: a few machines of one application with a pool each. */
export const CONNECTIONS_PER_TOKEN = 50
const ADDRESSES_MAX = 10
/** RFC 8314 section 7.3, and the port beside it where the low one is closed to clients. */
const IMPLICIT_TLS_PORTS: ReadonlySet<number> = new Set([465, 2465])
const NAMED = /^(smtps?):\/\/(.+)$/

/** Reads `:465,:587` or `smtps://:3465,smtp://127.0.0.1:3587`. Throws one line that says what is expected. */
export function parseSubmissionAddresses(text: string): SubmissionAddress[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > ADDRESSES_MAX) throw new Error(`must be at most ${ADDRESSES_MAX} addresses`)
  return parts.map((part) => {
    const [, scheme, rest = part] = NAMED.exec(part) ?? []
    const address = parseListenAddress(rest)
    const isImplicit = scheme === undefined ? IMPLICIT_TLS_PORTS.has(address.port) : scheme === 'smtps'
    return { ...address, tls: isImplicit ? 'implicit' : 'starttls' }
  })
}

/** Reads `true` or addresses separated by commas. */
export function parseProxies(text: string): Proxies | undefined {
  if (text === 'false') return undefined
  if (text === 'true') return true
  const addresses = text.split(',').map((part) => part.trim())
  if (addresses.every((address) => isIP(address) !== 0)) return addresses
  throw new Error(`must be true, false, or addresses separated by commas, not "${text}"`)
}

/** Whether nobody but this machine reaches it: a password may cross it in clear text. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || (host !== undefined && isIP(host) === 4 && host.startsWith('127.'))
}
