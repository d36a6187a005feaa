import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import type { CheckFailureCode } from './check-failures.ts'
import { type IntegrationKey, openSecrets } from './integration-secrets.ts'
import { integrationByIdStatement, recordQuotaFailureStatement, recordQuotaStatement } from './queries.ts'
import { readSesAccount } from './ses-account.ts'

export type QuotaDeps = { pool: pg.Pool; secrets: SecretBox; client: GuardedClient }

/** `gone`: there is nothing to ask for any more. `failed`: the last known values stay; `passing` says whether to ask again soon. */
export type QuotaRead =
  | { outcome: 'read' }
  | { outcome: 'gone' }
  | { outcome: 'failed'; code: CheckFailureCode; passing: boolean }

/** Failures that another try in seconds may not meet again. */
const PASSING: ReadonlySet<CheckFailureCode> = new Set([
  'host_lookup_failed',
  'host_lookup_timeout',
  'connection_refused',
  'connection_timeout',
  'connection_failed',
  'tls_timeout',
  'account_timeout',
  'provider_throttled',
  'provider_unavailable',
])

/**
 * Reads what the provider allows an integration to send, and keeps it. A quota counts only for the keys it was read
 * with: a change of them meanwhile has made a job of its own.
 */
export async function readProviderQuota(deps: QuotaDeps, key: IntegrationKey): Promise<QuotaRead> {
  const [row] = await queryInScope(deps.pool, key.workspaceId, integrationByIdStatement(key))
  if (!row?.enabled || row.provider !== 'ses') return { outcome: 'gone' }
  const { accessKeyId, secretAccessKey } = openSecrets(deps.secrets, key, row)
  const account = await readSesAccount(deps.client, {
    region: row.region!,
    endpoint: row.endpoint,
    accessKeyId: new Secret(accessKeyId!),
    secretAccessKey: new Secret(secretAccessKey!),
  })
  const readWith = { ...key, sealed: row.secretAccessKey! }
  if (account.outcome === 'failed') {
    await queryInScope(deps.pool, key.workspaceId, recordQuotaFailureStatement(readWith))
    return { outcome: 'failed', code: account.code, passing: PASSING.has(account.code) }
  }
  await queryInScope(deps.pool, key.workspaceId, recordQuotaStatement(readWith, account))
  return { outcome: 'read' }
}
