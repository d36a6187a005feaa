import { unprocessable } from '../../catalogue/problems.ts'
import { PROVIDER } from '../../catalogue/providers.ts'
import { readName } from '../../catalogue/read-name.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { auditedIntegration, auditUnmarked, integrationDiff } from './audited-integration.ts'
import { type IntegrationDeps, requireReachable } from './integration-deps.ts'
import type { IntegrationRow } from './integration-of.ts'
import { NO_SECRETS, readSecrets, type SecretChange, sealSecrets } from './integration-secrets.ts'
import { readSettings } from './integration-settings.ts'
import { type IntegrationValues, insertIntegration, lockDefault, newIntegrationId, unmarkDefault } from './queries.ts'
import type { IntegrationBody } from './schemas.ts'

/**
 * Creates an integration. As the default, it takes the mark from the one before it. A provider that has a quota is
 * asked for it in the background. Throws 400 for what is missing or no such value, 422 for a server that would be
 * refused.
 */
export async function createIntegration(
  deps: IntegrationDeps,
  caller: Caller,
  body: IntegrationBody,
): Promise<IntegrationRow> {
  const name = readName(body.name)
  const settings = readSettings(body.config)
  const secrets = readSecrets(body.config, settings)
  if (body.provider !== undefined && body.provider !== settings.kind) {
    throw unprocessable([{ pointer: '/provider', detail: 'must be the kind of the config' }])
  }
  await requireReachable(deps, settings)
  const values = {
    name,
    enabled: body.enabled ?? true,
    isDefault: body.isDefault ?? false,
    maxPerSecond: body.maxPerSecond ?? null,
    maxPerDay: body.maxPerDay ?? null,
    settings,
    secrets,
  }
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const created = await storeIntegration(tx, { secrets: deps.secrets, caller }, values)
    if (PROVIDER[created.provider].hasQuota) await deps.requestQuota(tx, { workspaceId, id: created.id })
    return created
  })
}

/** Stores an integration and records it. Its values were checked before. */
export async function storeIntegration(
  tx: Transaction,
  { secrets: box, caller }: { secrets: SecretBox; caller: AuditOrigin },
  { secrets, ...values }: IntegrationValues & { secrets: SecretChange },
): Promise<IntegrationRow> {
  const { workspaceId } = caller
  if (values.isDefault) {
    await lockDefault(tx, workspaceId)
    await auditUnmarked(tx, caller, await unmarkDefault(tx, workspaceId))
  }
  const key = { workspaceId, id: await newIntegrationId(tx) }
  const created = await insertIntegration(tx, key, {
    ...values,
    secrets: sealSecrets(box, key, { change: secrets, stored: NO_SECRETS }),
    accessKeyIdLast4: secrets.accessKeyId?.slice(-4) ?? null,
  })
  await recordAudit(tx, caller, {
    action: 'integration.create',
    target: auditedIntegration(created),
    diff: integrationDiff(undefined, created),
  })
  return created
}
