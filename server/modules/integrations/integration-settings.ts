import { invalid } from '../../catalogue/problems.ts'
import { PROVIDER } from '../../catalogue/providers.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { type SmtpTls, usualTls } from '../../platform/mail/smtp-server.ts'
import { normaliseHost } from '../../platform/net/domain-name.ts'
import type { FieldError } from '../../platform/problem.ts'
import { identifierFault, normaliseText } from '../contacts/aliases.ts'
import type { ConfigChange } from './schemas.ts'

export type SmtpSettings = {
  kind: 'smtp'
  host: string
  port: number
  tls: SmtpTls
  username: string | null
  from: string
  fromName: string | null
}

export type SesSettings = {
  kind: 'ses'
  region: string
  /** Origin of a service compatible with Amazon SES; null for Amazon itself. */
  endpoint: string | null
  from: string
  fromName: string | null
}

/** How an integration sends, without its secrets. */
export type Settings = SmtpSettings | SesSettings

const SENDER_FIELDS = ['from', 'fromName']

const FROM_NAME_CHARS_MAX = 200
const USERNAME_CHARS_MAX = 320
/** `eu-central-1`, `us-gov-west-1` */
const REGION = /^[a-z]{2,3}(?:-[a-z]+){1,3}-\d{1,2}$/

/**
 * The settings a body states, normalised, upon those there are: absent keeps, null clears, defaults where there were
 * none. `kind` decides; with another one nothing is kept. Throws a 400 naming every field that is missing, of the other
 * kind, or not what it should be.
 */
export function readSettings(config: ConfigChange, before?: Settings): Settings {
  const kind = config.kind ?? before?.kind
  const errors: FieldError[] = []
  const fail = (field: string, detail: string) => void errors.push({ pointer: `/config/${field}`, detail })
  if (kind === undefined) throw invalid([{ pointer: '/config/kind', detail: 'is required' }])
  const known: readonly string[] = [...PROVIDER[kind].settings, ...PROVIDER[kind].secrets, ...SENDER_FIELDS]
  for (const [field, value] of Object.entries(config)) {
    if (field !== 'kind' && value !== null && !known.includes(field)) fail(field, `is no setting of ${kind}`)
  }
  const kept = before?.kind === kind ? before : undefined
  const common = { from: readFrom(config, kept, fail), fromName: readFromName(config, kept, fail) }
  const settings =
    kind === 'smtp'
      ? { kind, ...readSmtp(config, kept as SmtpSettings | undefined, fail), ...common }
      : { kind, ...readSes(config, kept as SesSettings | undefined, fail), ...common }
  if (errors.length > 0) throw invalid(errors)
  return settings
}

/** Whether a stored secret would go to another server, or to the same one less protected, after the change. */
export function leadsElsewhere(before: Settings, after: Settings): boolean {
  if (before.kind !== after.kind) return true
  const [was, is]: Record<string, unknown>[] = [before, after]
  return PROVIDER[after.kind].settings.some((field) => was?.[field] !== is?.[field])
}

type Fail = (field: string, detail: string) => void

function readFrom(config: ConfigChange, kept: Settings | undefined, fail: Fail): string {
  if (config.from === undefined) {
    if (!kept) fail('from', 'is required')
    return kept?.from ?? ''
  }
  const from = normaliseEmail(config.from)
  if (from === undefined) fail('from', 'must be an email address')
  return from ?? ''
}

function readFromName(config: ConfigChange, kept: Settings | undefined, fail: Fail): string | null {
  return readText(config.fromName, kept?.fromName, (name) => {
    const fault = identifierFault(name, FROM_NAME_CHARS_MAX)
    if (fault) fail('fromName', fault)
  })
}

function readSmtp(config: ConfigChange, kept: SmtpSettings | undefined, fail: Fail) {
  const host = config.host === undefined ? kept?.host : normaliseHost(config.host)
  if (host === undefined) {
    fail('host', config.host === undefined ? 'is required' : 'must be a host name or an address')
  }
  const port = config.port ?? kept?.port
  if (port === undefined) fail('port', 'is required')
  const username = readText(config.username, kept?.username, (name) => {
    const fault = identifierFault(name, USERNAME_CHARS_MAX)
    if (fault) fail('username', fault)
  })
  if (config.password && username === null) fail('username', 'is required with a password')
  const server = { host: host ?? '', port: port ?? 0 }
  return { ...server, tls: config.tls ?? tlsOf(server, kept), username }
}

/** A mode that was only the usual one of the old server gives way to the usual one of the new one. */
function tlsOf(server: Pick<SmtpSettings, 'host' | 'port'>, kept: SmtpSettings | undefined): SmtpTls {
  if (kept === undefined) return usualTls(server)
  return kept.tls === usualTls(kept) ? usualTls(server) : kept.tls
}

function readSes(config: ConfigChange, kept: SesSettings | undefined, fail: Fail) {
  const region = config.region?.trim() ?? kept?.region
  if (region === undefined) fail('region', 'is required')
  else if (!REGION.test(region)) fail('region', 'must be a region, such as eu-central-1')
  const given = readText(config.endpoint, kept?.endpoint, () => undefined)
  const endpoint = given === null ? null : originOf(given)
  if (endpoint === undefined) fail('endpoint', 'must be an https address without path, query or credentials')
  return { region: region ?? '', endpoint: endpoint ?? null }
}

function readText(value: string | null | undefined, kept: string | null | undefined, check: (text: string) => void) {
  if (value === undefined) return kept ?? null
  const text = normaliseText(value)
  if (text !== null) check(text)
  return text
}

/** `https://email.example.com:8443`; plain http passes here, and is for the address guard to judge. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  const more = url.username + url.password + url.search + url.hash + (url.pathname === '/' ? '' : url.pathname)
  return more === '' ? url.origin : undefined
}
