// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type EffectiveLimit = {
  /** The lower one of what is configured and what the provider allows; null without either. */
  limit: number | null
  /** Where the limit comes from; `manual` when both are the same. */
  source: Open<'manual' | 'provider' | 'none'>
}

export type Integration = {
  id: string
  name: string
  channel: Open<'email'>
  /** The kind of its config. */
  provider: Open<'smtp' | 'ses'>
  enabled: boolean
  /** At most one of a channel is. */
  isDefault: boolean
  /** Configured limit. */
  maxPerSecond: number | null
  /** Configured limit, over any 24 hours. */
  maxPerDay: number | null
  sendLimit: {
    perSecond: EffectiveLimit
    perDay: EffectiveLimit
    /** Sent through it in the last 24 hours, in whole minutes. */
    sentLast24h: number
    warnings: Array<Open<'unlimited' | 'providerQuotaUnavailable' | 'dailyLimitNear' | 'dailyLimitReached'>>
  }
  /** Fields that the kind does not have are null. Passwords and keys are never in an answer. */
  config: {
    kind: Open<'smtp' | 'ses'>
    /** Name or address of the mail server. */
    host: string | null
    port: number | null
    username: string | null
    /** Address that mail is sent from. */
    from: string
    fromName: string | null
    /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`. */
    tls: Open<'implicit' | 'starttls' | 'none'> | null
    /** Region of Amazon SES. */
    region: string | null
    /** Origin of a service that is compatible with Amazon SES. */
    endpoint: string | null
    /** To tell keys apart. */
    accessKeyIdLast4: string | null
    /** Whether the domain of `from` is a verified sending domain. While it is not, what has no sender of its own is refused or waits. For the mailbox a domain that is not verified will do. */
    fromVerified: boolean
  }
  createdAt: string
  updatedAt: string
}

export type IntegrationBody = {
  name: string
  /** false: nothing is sent through it. */
  enabled?: boolean
  /** true makes it the default of its channel, and the one before it none. */
  isDefault?: boolean
  maxPerSecond?: number | null
  maxPerDay?: number | null
  /** Email when absent. */
  channel?: 'email'
  /** The kind of `config`, when it is given. */
  provider?: 'smtp' | 'ses'
  config: IntegrationConfigBody
}

export type IntegrationChange = {
  name?: string
  /** false: nothing is sent through it. */
  enabled?: boolean
  /** true makes it the default of its channel, and the one before it none. */
  isDefault?: boolean
  maxPerSecond?: number | null
  maxPerDay?: number | null
  config?: IntegrationConfigChange
}

export type IntegrationConfigBody = {
  kind: 'smtp' | 'ses'
  /** Name or address of the mail server. */
  host?: string
  port?: number
  /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`. */
  tls?: 'implicit' | 'starttls' | 'none'
  /** Without one no login is made. */
  username?: string | null
  /** Belongs to `username`. An OAuth access token is written `Bearer …`. Write-only. */
  password?: string | null
  /** Region of Amazon SES. */
  region?: string
  /** Of a key that may send and read the account (`ses:GetAccount`). Write-only. */
  accessKeyId?: string | null
  /** Belongs to `accessKeyId`. Write-only. */
  secretAccessKey?: string | null
  /** Origin of a service that is compatible with Amazon SES. */
  endpoint?: string | null
  /** Address that mail is sent from. */
  from?: string
  fromName?: string | null
}

export type IntegrationConfigChange = {
  kind?: 'smtp' | 'ses'
  /** Name or address of the mail server. */
  host?: string
  port?: number
  /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`. */
  tls?: 'implicit' | 'starttls' | 'none'
  /** Without one no login is made. */
  username?: string | null
  /** Belongs to `username`. An OAuth access token is written `Bearer …`. Write-only. */
  password?: string | null
  /** Region of Amazon SES. */
  region?: string
  /** Of a key that may send and read the account (`ses:GetAccount`). Write-only. */
  accessKeyId?: string | null
  /** Belongs to `accessKeyId`. Write-only. */
  secretAccessKey?: string | null
  /** Origin of a service that is compatible with Amazon SES. */
  endpoint?: string | null
  /** Address that mail is sent from. */
  from?: string
  fromName?: string | null
}

export type IntegrationPage = {
  items: Array<Integration>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type IntegrationTestBody = {
  config: IntegrationConfigBody
}

export type IntegrationTestResult = {
  /** Whether mail could be handed over now. Nothing was sent. */
  ok: boolean
  /** Where it failed. */
  phase: Open<'dns' | 'connect' | 'tls' | 'greeting' | 'ehlo' | 'auth' | 'account' | 'sender'> | null
  /** Stable: branch on this. */
  code: Open<'ok' | 'host_not_found' | 'host_lookup_failed' | 'host_lookup_timeout' | 'address_refused' | 'connection_refused' | 'connection_timeout' | 'connection_failed' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_untrusted' | 'starttls_not_offered' | 'tls_timeout' | 'tls_failed' | 'greeting_refused' | 'greeting_timeout' | 'not_smtp' | 'connection_closed' | 'ehlo_refused' | 'ehlo_timeout' | 'auth_not_offered' | 'credentials_refused' | 'auth_unavailable' | 'auth_failed' | 'auth_timeout' | 'keys_refused' | 'permission_missing' | 'account_timeout' | 'provider_throttled' | 'provider_unavailable' | 'sending_paused' | 'not_ses' | 'from_unverified'>
  /** For a person. */
  message: string
  /** The server's answer when it refused. */
  reply: string | null
  /** Null for clear text, and for `ses`. */
  tlsVersion: string | null
  durationMs: number
}

export interface IntegrationsOperations {
  /** Create an integration. A mail server (`smtp`) or an account of Amazon SES (`ses`) that the workspace sends through. Secrets are written, encrypted and never shown again. Nothing is connected to: test it with `POST /integrations/{id}/test`. Needs the scope `integrations:write`. */
  create(body: IntegrationBody, options?: PostOptions): Promise<Tagged<Integration>>

  /** Delete an integration. With its secrets. Deleting the default leaves the channel without one. Needs the scope `integrations:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read an integration. Needs the scope `integrations:read`. */
  get(id: string, options?: Options): Promise<Tagged<Integration>>

  /** List integrations. Ascending by id. `totalItems` is exact. Needs the scope `integrations:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    channel?: 'email'
    provider?: 'smtp' | 'ses'
    enabled?: boolean
  }, options?: Options): List<IntegrationPage>

  /** Test an integration. Connects, agrees on TLS and logs in as sending would, and sends nothing. A failure is an answer of 200 with `ok` false that says where it failed. Takes at most 15 seconds. Needs the scope `integrations:write`. */
  test(id: string, options?: PostOptions): Promise<IntegrationTestResult>

  /** Test a config before it is kept. As the test of an integration, with a config that is not stored. Needs the scope `integrations:write`. */
  testConfig(body: IntegrationTestBody, options?: PostOptions): Promise<IntegrationTestResult>

  /** Change an integration. Absent fields stay, null clears a limit. Without `config` the server and its secrets stay. A stored secret stays only with the server it was given for: with another host, port, TLS mode, username, region or endpoint it has to be given again. Needs the scope `integrations:write`. */
  update(id: string, body: IntegrationChange, options?: GuardedOptions): Promise<Tagged<Integration>>
}
