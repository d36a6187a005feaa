import type { Provider } from '../../catalogue/providers.ts'
import { assertNever } from '../../platform/assert-never.ts'
import type { SealedSecrets } from './integration-secrets.ts'
import type { Settings } from './integration-settings.ts'
import type { Integration } from './schemas.ts'
import { sendLimitOf } from './send-limit.ts'

/** A row of the table, with the sum of what was sent through it. */
export type IntegrationRow = SealedSecrets & {
  id: string
  name: string
  channel: 'email'
  provider: Provider
  enabled: boolean
  isDefault: boolean
  maxPerSecond: number | null
  maxPerDay: number | null
  from: string
  fromName: string | null
  host: string | null
  port: number | null
  tls: 'implicit' | 'starttls' | 'none' | null
  username: string | null
  region: string | null
  endpoint: string | null
  accessKeyIdLast4: string | null
  quotaPerSecond: number | null
  quotaPerDay: string | null
  quotaSent24h: string | null
  quotaFailed: boolean
  /** Whether the domain of its sender is verified, or it leads to the mailbox. */
  fromVerified: boolean
  sentLast24h: string
  createdAt: string
  updatedAt: string
}

/** The resource of the specification, field by field in its order. */
export function integrationOf(row: IntegrationRow): Integration {
  const { id, name, channel, provider, enabled, isDefault, maxPerSecond, maxPerDay, createdAt, updatedAt } = row
  const { host, port, username, from, fromName, tls, region, endpoint, accessKeyIdLast4, fromVerified } = row
  return {
    ...{ id, name, channel, provider, enabled, isDefault, maxPerSecond, maxPerDay },
    sendLimit: sendLimitOf({
      maxPerSecond,
      maxPerDay,
      quotaPerSecond: row.quotaPerSecond,
      quotaPerDay: numberOrNull(row.quotaPerDay),
      quotaSent24h: numberOrNull(row.quotaSent24h),
      quotaFailed: row.quotaFailed,
      sentLast24h: Number(row.sentLast24h),
    }),
    config: {
      kind: provider,
      host,
      port,
      username,
      from,
      fromName,
      tls,
      region,
      endpoint,
      accessKeyIdLast4,
      fromVerified,
    },
    ...{ createdAt, updatedAt },
  }
}

/**
 * The state a change is held against: without what was sent meanwhile, or no integration at work could be changed, and
 * without what became of its domain.
 */
export function versionOf({ sendLimit: _, config, ...configured }: Integration): object {
  const { fromVerified: __, ...settings } = config
  return { ...configured, config: settings }
}

/** How it sends; the table's constraints vouch for the fields of its kind. */
export function settingsOf(row: IntegrationRow): Settings {
  const { from, fromName, host, port, tls, username, region, endpoint } = row
  switch (row.provider) {
    case 'smtp':
      return { kind: 'smtp', host: host!, port: port!, tls: tls!, username, from, fromName }
    case 'ses':
      return { kind: 'ses', region: region!, endpoint, from, fromName }
    default:
      return assertNever(row.provider)
  }
}

/** Settings as a row has them: what the kind does not have is null. */
export function settingsFields(settings: Settings) {
  const { kind: provider, from, fromName } = settings
  const none = { host: null, port: null, tls: null, username: null, region: null, endpoint: null }
  if (settings.kind === 'smtp') {
    const { host, port, tls, username } = settings
    return { provider, from, fromName, ...none, host, port, tls, username }
  }
  const { region, endpoint } = settings
  return { provider, from, fromName, ...none, region, endpoint }
}

function numberOrNull(text: string | null): number | null {
  return text === null ? null : Number(text)
}
