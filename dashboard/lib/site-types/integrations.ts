// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type EffectiveLimit = {
  /** The lower one of what is configured and what the provider allows; null without either. */ limit: number | null
  /** Where the limit comes from; `manual` when both are the same. */ source: 'manual' | 'provider' | 'none'
}

export type Integration = {
  id: string
  name: string
  channel: 'email'
  /** The kind of its config. */ provider: 'smtp' | 'ses'
  enabled: boolean
  /** At most one of a channel is. */ isDefault: boolean
  /** Configured limit. */ maxPerSecond: number | null
  /** Configured limit, over any 24 hours. */ maxPerDay: number | null
  sendLimit: {
    perSecond: EffectiveLimit
    perDay: EffectiveLimit
    /** Sent through it in the last 24 hours, in whole minutes. */ sentLast24h: number
    warnings: Array<'unlimited' | 'providerQuotaUnavailable' | 'dailyLimitNear' | 'dailyLimitReached'>
  }
  /** Fields that the kind does not have are null. Passwords and keys are never in an answer. */ config: {
    kind: 'smtp' | 'ses'
    /** Name or address of the mail server. */ host: string | null
    port: number | null
    username: string | null
    /** Address that mail is sent from. */ from: string
    fromName: string | null
    /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`. */ tls: 'implicit' | 'starttls' | 'none' | null
    /** Region of Amazon SES. */ region: string | null
    /** Origin of a service that is compatible with Amazon SES. */ endpoint: string | null
    /** To tell keys apart. */ accessKeyIdLast4: string | null
    /** Whether the domain of `from` is a verified sending domain. While it is not, what has no sender of its own is refused or waits. For the mailbox a domain that is not verified will do. */ fromVerified: boolean
  }
  createdAt: string
  updatedAt: string
}

export type IntegrationBody = {
  name: string
  /** false: nothing is sent through it. */ enabled?: boolean
  /** true makes it the default of its channel, and the one before it none. */ isDefault?: boolean
  maxPerSecond?: number | null
  maxPerDay?: number | null
  /** Email when absent. */ channel?: 'email'
  /** The kind of `config`, when it is given. */ provider?: 'smtp' | 'ses'
  /** `smtp` needs `host`, `port`, `from`; `ses` needs `region`, `accessKeyId`, `secretAccessKey`, `from`. */ config: IntegrationConfigBody
}

export type IntegrationChange = {
  name?: string
  /** false: nothing is sent through it. */ enabled?: boolean
  /** true makes it the default of its channel, and the one before it none. */ isDefault?: boolean
  maxPerSecond?: number | null
  maxPerDay?: number | null
  /** Absent fields stay, null clears; a secret that is absent or blank stays, unless mail would go to another server. With another kind it is as at the creation. */ config?: IntegrationConfigChange
}

export type IntegrationConfigBody = {
  kind: 'smtp' | 'ses'
  /** Name or address of the mail server. */ host?: string
  port?: number
  /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`. */ tls?: 'implicit' | 'starttls' | 'none'
  /** Without one no login is made. */ username?: string | null
  /** Belongs to `username`. An OAuth access token is written `Bearer …`. Write-only. */ password?: string | null
  /** Region of Amazon SES. */ region?: string
  /** Of a key that may send and read the account (`ses:GetAccount`). Write-only. */ accessKeyId?: string | null
  /** Belongs to `accessKeyId`. Write-only. */ secretAccessKey?: string | null
  /** Origin of a service that is compatible with Amazon SES. */ endpoint?: string | null
  /** Address that mail is sent from. */ from?: string
  fromName?: string | null
}

export type IntegrationConfigChange = {
  kind?: 'smtp' | 'ses'
  /** Name or address of the mail server. */ host?: string
  port?: number
  /** `implicit`: TLS from the first byte; `starttls`: STARTTLS or nothing; `none`: clear text. By default `implicit` on port 465, `none` from a server on this machine, else `starttls`. */ tls?: 'implicit' | 'starttls' | 'none'
  /** Without one no login is made. */ username?: string | null
  /** Belongs to `username`. An OAuth access token is written `Bearer …`. Write-only. */ password?: string | null
  /** Region of Amazon SES. */ region?: string
  /** Of a key that may send and read the account (`ses:GetAccount`). Write-only. */ accessKeyId?: string | null
  /** Belongs to `accessKeyId`. Write-only. */ secretAccessKey?: string | null
  /** Origin of a service that is compatible with Amazon SES. */ endpoint?: string | null
  /** Address that mail is sent from. */ from?: string
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
  /** `smtp` needs `host`, `port`, `from`; `ses` needs `region`, `accessKeyId`, `secretAccessKey`, `from`. */ config: IntegrationConfigBody
}

export type IntegrationTestResult = {
  /** Whether mail could be handed over now. Nothing was sent. */ ok: boolean
  /** Where it failed. */ phase: 'dns' | 'connect' | 'tls' | 'greeting' | 'ehlo' | 'auth' | 'account' | 'sender' | null
  /** Stable: branch on this. */ code: 'ok' | 'host_not_found' | 'host_lookup_failed' | 'host_lookup_timeout' | 'address_refused' | 'connection_refused' | 'connection_timeout' | 'connection_failed' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_untrusted' | 'starttls_not_offered' | 'tls_timeout' | 'tls_failed' | 'greeting_refused' | 'greeting_timeout' | 'not_smtp' | 'connection_closed' | 'ehlo_refused' | 'ehlo_timeout' | 'auth_not_offered' | 'credentials_refused' | 'auth_unavailable' | 'auth_failed' | 'auth_timeout' | 'keys_refused' | 'permission_missing' | 'account_timeout' | 'provider_throttled' | 'provider_unavailable' | 'sending_paused' | 'not_ses' | 'from_unverified'
  /** For a person. */ message: string
  /** The server's answer when it refused. */ reply: string | null
  /** Null for clear text, and for `ses`. */ tlsVersion: string | null
  durationMs: number
}

export type IntegrationsOperations = {
  'DELETE /integrations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /integrations': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  channel?: 'email'
  provider?: 'smtp' | 'ses'
  enabled?: boolean
}
    body: undefined
    answer: IntegrationPage
  }
  'GET /integrations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Integration
  }
  'PATCH /integrations/{id}': {
    params: { id: string }
    query: undefined
    body: IntegrationChange
    answer: Integration
  }
  'POST /integrations': {
    params: undefined
    query: undefined
    body: IntegrationBody
    answer: Integration
  }
  'POST /integrations/test': {
    params: undefined
    query: undefined
    body: IntegrationTestBody
    answer: IntegrationTestResult
  }
  'POST /integrations/{id}/test': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: IntegrationTestResult
  }
}
