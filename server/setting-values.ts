import { isIP } from 'node:net'
import { passwordFault } from './modules/auth/password-rule.ts'
import { type CatcherSetting, parseCatcherAddress } from './modules/mailbox/catcher-address.ts'
import { hostsOf } from './platform/db/database-hosts.ts'
import { wireAddress } from './platform/mail/mail-address.ts'
import { PRIVATE_NETWORKS } from './platform/mail/mail-host.ts'
import { type Networks, NO_NETWORKS, parseNetworks } from './platform/net/address-guard.ts'
import { judgeDomain } from './platform/net/domain-name.ts'
import { Secret } from './platform/telemetry/secret.ts'

export type Parse<T> = (value: string) => T

export const text: Parse<string> = (value) => value

/** An address of this machine, or a name of it. */
export const hostName: Parse<string> = (value) => {
  if (isIP(value) !== 0 || /^[a-zA-Z0-9_.-]{1,253}$/.test(value)) return value
  throw new Error(`must be an address or a name of this machine, such as 127.0.0.1, not "${value}"; PORT has the port`)
}

export const email: Parse<string> = (value) => {
  if (wireAddress(value) !== undefined) return value
  throw new Error(`must be an email address, not "${value}"`)
}

/** Shown in the subject of mails, so without control characters. */
export const workspaceName: Parse<string> = (value) => {
  if (/^[^\p{Cc}]{1,200}$/u.test(value) && value.trim() !== '') return value.trim()
  throw new Error('must be a name of 1 to 200 characters, without line breaks')
}

/** `mail@example.com` or `Name <mail@example.com>`. */
export const mailFrom: Parse<string> = (value) => {
  const bare = /^(?:[^<>"\p{Cc}]{1,100} )?<([^<>]+)>$/u.exec(value)?.[1] ?? value
  if (wireAddress(bare) !== undefined) return value
  throw new Error('must be an email address, or Name <address>')
}

/** Return paths in it have room for a code before their @. */
const DOMAIN_CHARS_MAX = 200

export const domainName: Parse<string> = (value) => {
  const judged = judgeDomain(value)
  if ('name' in judged && judged.name.length <= DOMAIN_CHARS_MAX) return judged.name
  throw new Error(`must be a domain name, such as bounces.example.com, not "${value}"`)
}

export function integer(min: number, max: number): Parse<number> {
  return (value) => {
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= min && number <= max) return number
    throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`)
  }
}

export const perMinute = integer(0, 1_000_000_000)

export function oneOf<const W extends readonly string[]>(words: W): Parse<W[number]> {
  return (value) => {
    if (words.includes(value)) return value
    throw new Error(`must be one of ${words.join(', ')}, not "${value}"`)
  }
}

export const yesOrNo: Parse<boolean> = (value) => oneOf(['true', 'false'])(value) === 'true'

export const newPassword: Parse<Secret> = (value) => {
  const fault = passwordFault(value)
  if (fault === undefined) return new Secret(value)
  throw new Error(fault)
}

export function atLeast(charsMin: number): Parse<Secret> {
  return (value) => {
    if (value.length >= charsMin) return new Secret(value)
    throw new Error(`must have at least ${charsMin} characters`)
  }
}

export const mailNetworks: Parse<Networks> = (value) => {
  if (value === 'private') return PRIVATE_NETWORKS
  return value === 'none' ? NO_NETWORKS : parseNetworks(value)
}

/** Where it is not asked for by name, another program at its port is no reason not to start. */
export const MAILBOX_DEFAULT: CatcherSetting = { host: '127.0.0.1', port: 2_525, orAnyPort: true }

export const mailboxAddress: Parse<CatcherSetting | undefined> = (value) =>
  value === 'off' ? undefined : { ...parseCatcherAddress(value), orAnyPort: false }

export const httpUrl: Parse<URL> = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new Error(`must be an http or https address, not "${value}"`)
}

export const origins: Parse<string[]> = (value) =>
  value.split(',').map((part) => {
    const { origin, href } = httpUrl(part.trim())
    if (href === `${origin}/`) return origin
    throw new Error(`must be origins such as https://agents.example.com, separated by commas, not "${part.trim()}"`)
  })

/** Modes under which the driver checks the certificate all the same, with ten lines of warning on each start. */
const CHECKED_TLS = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/

export const databaseUrl: Parse<Secret> = (value) => {
  if (/^postgres(ql)?:\/\//.test(value) && (URL.canParse(value) || hasSeveralHosts(value)))
    return new Secret(value.replace(CHECKED_TLS, '$1verify-full'))
  const more = /^["']/.test(value)
    ? '; without quotes'
    : /^postgres(ql)?:/.test(value)
      ? '; a password’s / ? # @ : % are written %2F %3F %23 %40 %3A %25'
      : ''
  throw new Error(`must be a connection address: postgres://user:password@host:5432/database${more}`)
}

function hasSeveralHosts(address: string): boolean {
  try {
    return hostsOf(address) !== undefined
  } catch {
    return false
  }
}

const ENCRYPTION_KEY_BYTES = 32

export const encryptionKey: Parse<Secret> = (value) => {
  for (const key of value.split(',')) {
    const bytes = Buffer.from(key.trim(), 'base64').length
    if (bytes !== ENCRYPTION_KEY_BYTES)
      throw new Error(`must be base64 of ${ENCRYPTION_KEY_BYTES} bytes, not of ${bytes}`)
  }
  return new Secret(value)
}

/** Names of networks that the HTTP framework knows besides addresses. */
const PROXY_NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

export const trustProxy: Parse<boolean | number | string> = (value) => {
  if (value === 'true' || value === 'false') return value === 'true'
  if (/^\d{1,2}$/.test(value)) return Number(value)
  const others = value.split(',').filter((part) => !PROXY_NETWORKS.has(part.trim()))
  try {
    parseNetworks(others.join())
    return value
  } catch {
    throw new Error(`must be true, false, a number of proxies, or networks separated by commas, not "${value}"`)
  }
}
