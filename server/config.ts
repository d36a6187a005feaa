import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CatcherSetting } from './modules/mailbox/catcher-address.ts'
import {
  CONNECTIONS_MAX,
  CONNECTIONS_PER_TOKEN,
  isLoopback,
  parseProxies,
  parseSubmissionAddresses,
  type SubmissionSetting,
} from './modules/submission/submission-setting.ts'
import { PRIVATE_NETWORKS } from './platform/mail/mail-host.ts'
import type { SmtpServer } from './platform/mail/smtp-server.ts'
import { parseSmtpUrl } from './platform/mail/smtp-url.ts'
import { type Networks, parseNetworks } from './platform/net/address-guard.ts'
import { type ListenAddress, parseListenAddress } from './platform/net/listen-address.ts'
import { parseDnsServers } from './platform/net/resolver.ts'
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './platform/telemetry/logger.ts'
import type { Secret } from './platform/telemetry/secret.ts'
import {
  atLeast,
  databaseUrl,
  domainName,
  email,
  encryptionKey,
  hostName,
  httpUrl,
  integer,
  MAILBOX_DEFAULT,
  mailboxAddress,
  mailFrom,
  mailNetworks,
  newPassword,
  oneOf,
  origins,
  type Parse,
  perMinute,
  text,
  trustProxy,
  workspaceName,
  yesOrNo,
} from './setting-values.ts'

export const ROLES = ['all', 'web', 'worker'] as const
export type Role = (typeof ROLES)[number]
const EDITIONS = ['enterprise', 'community'] as const

/** Every setting of the service (decisions 10), read and checked once at the start. */
export type Config = {
  port: number
  host: string
  metricsAddress: ListenAddress | undefined
  /** Where people and mail clients reach the service; without it, the address it listens on. */
  appUrl: URL | undefined
  /** Origins of pages that may call agents' endpoint, besides that of `appUrl`. */
  mcpAllowedOrigins: readonly string[]
  /** Undefined = the embedded PostgreSQL in `dataDir`. */
  databaseUrl: Secret | undefined
  dataDir: string
  /** Where it is kept how far the installation has come; `isNeeded`: a start without it is refused. */
  journal: { directory: string; isNeeded: boolean }
  /** Where the service puts copies of its database. */
  backupDir: string
  /** A copy of an installation: mails nobody, and delivers nothing. */
  copy: boolean
  dbMaxOpenConns: number
  pgxMaxConns: number
  /** Base64 of 32 bytes; several, separated by commas, while keys rotate: the first one seals. */
  encryptionKey: Secret | undefined
  role: Role
  /** Of one start: with more than one, one answers requests and the others work. */
  processes: number
  edition: (typeof EDITIONS)[number]
  bootstrap: {
    email: string | undefined
    password: Secret | undefined
    token: Secret | undefined
    workspaceName: string | undefined
  }
  webhookAllowNetworks: Networks
  webhookEndpointsMax: number
  /** Where the system's own mail to people goes out; undefined = it is kept for the operator. */
  systemSmtp: SmtpServer | undefined
  systemMailFrom: string | undefined
  /** Where the built-in mail server listens; undefined = it does not run. */
  mailbox: CatcherSetting | undefined
  /** Networks besides public addresses that mail servers may be in. */
  smtpAllowNetworks: Networks
  /** The domain of return paths, whose mail comes to us; undefined = mail returns to its From address. */
  bounceDomain: string | undefined
  /** Where returned mail is taken in by SMTP; undefined = nowhere. */
  bounceAddress: ListenAddress | undefined
  /** Where programs hand over mail by SMTP; undefined = nowhere. */
  submission: SubmissionSetting | undefined
  dnsServers: string[] | undefined
  logLevel: LogLevel
  logFormat: LogFormat | undefined
  eventsRetentionDays: number
  /** Of events of browsers that belong to no contact. */
  anonymousRetentionDays: number
  messagesRetentionDays: number
  outboxRetentionDays: number
  trustProxy: boolean | number | string
  /** Requests a minute of a token, of a session, and of an address without valid credentials; 0 is without limit. */
  rateLimits: { api: number; site: number; failures: number }
  /** Requests a minute to `/collect`, of one tracker and of one client address, and of one that say who somebody is; 0 is without limit. */
  collectLimits: { tracker: number; address: number; identify: number }
  /** Only for crash tests: the point of `platform/crash-point.ts` at which the process dies. */
  crashPoint: string | undefined
  /** Only for tests, on a machine that does other things too: how many times longer than promised a request and its statements may take. */
  patience: number
  /** How long `/readyz` says 503 before the port closes. */
  drainSeconds: number
}

/** A setting that cannot be used; the message is one line that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Takes settings from a file of `NAME=value` lines, as service managers do; those of the environment go before them. */
export function takeSettingsFrom(file: string): void {
  try {
    process.loadEnvFile(file)
  } catch (error) {
    throw new ConfigError(`--settings ${file} cannot be read: ${(error as Error).message}`)
  }
}

const BOOTSTRAP_TOKEN_CHARS_MIN = 32
/** Beside the program, so that it is the same one from wherever a command is called. */
const DATA_DIR_DEFAULT = fileURLToPath(new URL('../.postroom', import.meta.url))

/** Reads the settings. Throws a `ConfigError` for the first one that is wrong. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  cores = availableParallelism(),
): Config {
  const get = reader(env)
  const config: Config = {
    port: get('PORT', integer(0, 65_535), 3_000),
    host: get('HOST', hostName, '0.0.0.0'),
    metricsAddress: get('METRICS_ADDR', parseListenAddress, undefined),
    appUrl: get('APP_URL', httpUrl, undefined),
    mcpAllowedOrigins: get('MCP_ALLOWED_ORIGINS', origins, []),
    databaseUrl: get('DATABASE_URL', databaseUrl, undefined),
    dataDir: get('DATA_DIR', (value) => resolve(value), DATA_DIR_DEFAULT),
    journal: journalOf(get),
    backupDir: get('BACKUP_DIR', (value) => resolve(value), belowDataDir(get, 'backups')),
    copy: get('POSTROOM_COPY', yesOrNo, false),
    dbMaxOpenConns: get('DB_MAX_OPEN_CONNS', integer(4, 1_000), 15),
    pgxMaxConns: get('PGX_MAX_CONNS', integer(4, 1_000), 25),
    encryptionKey: get('ENCRYPTION_KEY', encryptionKey, undefined),
    role: get('ROLE', oneOf(ROLES), 'all'),
    processes: get('PROCESSES', integer(1, PROCESSES_MAX), undefined) ?? processesFor(env, cores),
    edition: get('EDITION', oneOf(EDITIONS), 'enterprise'),
    bootstrap: {
      email: get('BOOTSTRAP_EMAIL', email, undefined),
      password: get('BOOTSTRAP_PASSWORD', newPassword, undefined),
      token: get('BOOTSTRAP_TOKEN', atLeast(BOOTSTRAP_TOKEN_CHARS_MIN), undefined),
      workspaceName: get('BOOTSTRAP_WORKSPACE', workspaceName, undefined),
    },
    webhookAllowNetworks: get('WEBHOOK_ALLOW_NETWORKS', parseNetworks, parseNetworks('')),
    webhookEndpointsMax: get('WEBHOOK_ENDPOINTS_MAX', integer(1, 10_000), 100),
    systemSmtp: get('SYSTEM_SMTP_URL', parseSmtpUrl, undefined),
    systemMailFrom: get('SYSTEM_MAIL_FROM', mailFrom, undefined),
    mailbox: get(
      'MAILBOX_ADDR',
      mailboxAddress,
      get('DATABASE_URL', () => undefined, MAILBOX_DEFAULT),
    ),
    smtpAllowNetworks: get('SMTP_ALLOW_NETWORKS', mailNetworks, PRIVATE_NETWORKS),
    bounceDomain: get('BOUNCE_DOMAIN', domainName, undefined),
    bounceAddress: get('BOUNCE_ADDR', parseListenAddress, undefined),
    submission: submissionOf(get),
    dnsServers: get('DNS_SERVERS', parseDnsServers, undefined),
    logLevel: get('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    logFormat: get('LOG_FORMAT', oneOf(LOG_FORMATS), undefined),
    eventsRetentionDays: get('EVENTS_RETENTION_DAYS', integer(1, 36_500), 400),
    anonymousRetentionDays: get('ANONYMOUS_RETENTION_DAYS', integer(1, 36_500), 90),
    messagesRetentionDays: get('MESSAGES_RETENTION_DAYS', integer(1, 36_500), 400),
    outboxRetentionDays: get('OUTBOX_RETENTION_DAYS', integer(1, 365), 7),
    drainSeconds: get('DRAIN_SECONDS', integer(0, 120), 0),
    trustProxy: get('TRUST_PROXY', trustProxy, false),
    rateLimits: {
      api: get('RATE_LIMIT_API', perMinute, 1_000_000),
      site: get('RATE_LIMIT_SITE', perMinute, 100_000),
      failures: get('RATE_LIMIT_FAILURES', perMinute, 100_000),
    },
    collectLimits: {
      tracker: get('RATE_LIMIT_COLLECT', perMinute, 6_000),
      address: get('RATE_LIMIT_COLLECT_IP', perMinute, 300),
      identify: get('RATE_LIMIT_IDENTIFY', perMinute, 30),
    },
    crashPoint: get('POSTROOM_CRASH_POINT', text, undefined),
    patience: get('POSTROOM_PATIENCE', integer(1, 100), 1),
  }
  if (config.databaseUrl && !config.encryptionKey) {
    throw new ConfigError(
      'ENCRYPTION_KEY is required with DATABASE_URL: base64 of 32 random bytes (openssl rand -base64 32)',
    )
  }
  if (config.systemSmtp && !config.systemMailFrom) {
    throw new ConfigError(
      'SYSTEM_MAIL_FROM is required with SYSTEM_SMTP_URL: the address that mail to people comes from',
    )
  }
  if (config.bounceAddress && !config.bounceDomain) {
    throw new ConfigError('BOUNCE_DOMAIN is required with BOUNCE_ADDR: the domain whose mail comes there')
  }
  if (config.role === 'web' && config.processes > 1) {
    throw new ConfigError('PROCESSES: with ROLE=web one process answers requests; start it more than once instead')
  }
  if (config.metricsAddress && config.metricsAddress.port === config.port && config.port !== 0) {
    throw new ConfigError(`METRICS_ADDR must not use the public port ${config.port}: metrics are never served there`)
  }
  return { ...config, mailbox: mailboxBeside(config) }
}

/** Where it is by default it gives way to what was asked for by name. */
function mailboxBeside({ mailbox, port, metricsAddress, bounceAddress, submission }: Config) {
  const named = [{ port }, metricsAddress, bounceAddress, ...(submission?.addresses ?? [])].map((one) => one?.port)
  return mailbox?.orAnyPort && named.includes(mailbox.port) ? { ...mailbox, port: 0 } : mailbox
}

/** A process a core would have nothing left for the database and what it is that waits for us. */
const CORES_A_PROCESS = 2
const PROCESSES_MAX = 64
/** Cores that one process and the embedded database have enough to do on. */
const CORES_FOR_ONE = 2

function processesFor(env: Readonly<Record<string, string | undefined>>, cores: number): number {
  const isEmbedded = (env.DATABASE_URL ?? '').trim() === ''
  if (env.ROLE?.trim() === 'web' || (isEmbedded && cores <= CORES_FOR_ONE)) return 1
  return Math.max(1, Math.floor(cores / CORES_A_PROCESS))
}

function journalOf(get: ReturnType<typeof reader>): Config['journal'] {
  const asked = get('JOURNAL_DIR', (value) => resolve(value), undefined)
  const directory = asked ?? belowDataDir(get, 'journal')
  return { directory, isNeeded: asked !== undefined || get('DATABASE_URL', text, undefined) === undefined }
}

function belowDataDir(get: ReturnType<typeof reader>, name: string): string {
  return get('DATA_DIR', (value) => resolve(value, name), resolve(DATA_DIR_DEFAULT, name))
}

function submissionOf(get: ReturnType<typeof reader>): SubmissionSetting | undefined {
  const addresses = get('SUBMISSION_ADDR', parseSubmissionAddresses, undefined)
  const cert = get('SUBMISSION_TLS_CERT', (value) => resolve(value), undefined)
  const key = get('SUBMISSION_TLS_KEY', (value) => resolve(value), undefined)
  const proxies = get('SUBMISSION_PROXY_PROTOCOL', parseProxies, undefined)
  const connectionsPerToken = get(
    'SUBMISSION_CONNECTIONS_PER_TOKEN',
    integer(1, CONNECTIONS_MAX),
    CONNECTIONS_PER_TOKEN,
  )
  if (addresses === undefined) return undefined
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError('SUBMISSION_TLS_CERT and SUBMISSION_TLS_KEY are given both or neither')
  }
  const tls = cert === undefined || key === undefined ? undefined : { cert, key }
  if (tls === undefined && addresses.some((address) => address.tls === 'implicit' || !isLoopback(address))) {
    throw new ConfigError(
      'SUBMISSION_ADDR needs SUBMISSION_TLS_CERT and SUBMISSION_TLS_KEY, unless it is on 127.0.0.1: no password is taken in clear text',
    )
  }
  return { addresses, tls, proxies, connectionsPerToken }
}

function reader(env: Readonly<Record<string, string | undefined>>) {
  return <T, D>(name: string, parse: Parse<T>, fallback: D): T | D => {
    const value = env[name]?.trim()
    if (value === undefined || value === '') return fallback
    try {
      return parse(value)
    } catch (error) {
      throw new ConfigError(`${name}: ${(error as Error).message}`)
    }
  }
}
