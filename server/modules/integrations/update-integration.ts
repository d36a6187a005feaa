import { notFound } from '../../catalogue/problems.ts'
import { PROVIDER } from '../../catalogue/providers.ts'
import { readName } from '../../catalogue/read-name.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { auditedIntegration, auditUnmarked, integrationDiff } from './audited-integration.ts'
import { type IntegrationDeps, requireReachable } from './integration-deps.ts'
import { type IntegrationRow, integrationOf, settingsFields, settingsOf, versionOf } from './integration-of.ts'
import { type IntegrationKey, readSecrets, sealSecrets } from './integration-secrets.ts'
import { leadsElsewhere, readSettings } from './integration-settings.ts'
import {
  type IntegrationSecrets,
  type IntegrationValues,
  integrationByIdStatement,
  integrationForChange,
  lockDefault,
  unmarkDefault,
  updateIntegrationRow,
} from './queries.ts'
import type { ConfigChange, IntegrationChange } from './schemas.ts'

/**
 * Changes an integration: absent stays, null clears, `config` field by field. A secret stays with the server it was
 * given for. A change that changes nothing leaves no trace. Throws 404, 412 when `ifMatch` names an older state, 400
 * and 422 for a config that does not do.
 */
export async function updateIntegration(
  deps: IntegrationDeps,
  caller: Caller,
  input: { id: string; body: IntegrationChange; ifMatch?: string | undefined },
): Promise<IntegrationRow> {
  const { body, ifMatch } = input
  const { workspaceId } = caller
  const key = { workspaceId, id: input.id }
  if (body.config !== undefined) await requireNewServerReachable(deps, key, body.config)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if (body.isDefault === true) await lockDefault(tx, workspaceId)
    const before = await integrationForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, versionOf(integrationOf(before)))
    const after = changed(deps, key, { before, body })
    const diff = integrationDiff(before, { ...before, ...after, ...after.secrets, ...settingsFields(after.settings) })
    if (Object.keys(diff).length === 0) return before
    if (after.isDefault && !before.isDefault) await auditUnmarked(tx, caller, await unmarkDefault(tx, workspaceId))
    const forgetQuota = isAnotherAccount(before, after)
    const updated = await updateIntegrationRow(tx, key, { ...after, forgetQuota })
    await recordAudit(tx, caller, { action: 'integration.update', target: auditedIntegration(updated), diff })
    const isNews = PROVIDER[updated.provider].hasQuota && updated.enabled && (forgetQuota || !before.enabled)
    if (isNews) await deps.requestQuota(tx, key)
    return updated
  })
}

/** Looks a new server up before the transaction, as it is there; the change itself is decided in it. */
async function requireNewServerReachable(deps: IntegrationDeps, key: IntegrationKey, config: ConfigChange) {
  const [row] = await queryInScope(deps.sql, key.workspaceId, integrationByIdStatement(key))
  if (!row) throw notFound()
  const before = settingsOf(row)
  const after = readSettings(config, before)
  if (leadsElsewhere(before, after)) await requireReachable(deps, after)
}

type After = IntegrationValues & IntegrationSecrets

function changed(
  deps: Pick<IntegrationDeps, 'secrets'>,
  key: IntegrationKey,
  { before, body }: { before: IntegrationRow; body: IntegrationChange },
): After {
  const was = settingsOf(before)
  const { config } = body
  const settings = config === undefined ? was : readSettings(config, was)
  const change = config === undefined ? {} : readSecrets(config, settings, { settings: was, stored: before })
  const { accessKeyId } = change
  return {
    name: body.name === undefined ? before.name : readName(body.name),
    enabled: body.enabled ?? before.enabled,
    isDefault: body.isDefault ?? before.isDefault,
    maxPerSecond: body.maxPerSecond === undefined ? before.maxPerSecond : body.maxPerSecond,
    maxPerDay: body.maxPerDay === undefined ? before.maxPerDay : body.maxPerDay,
    settings,
    secrets: sealSecrets(deps.secrets, key, { change, stored: before }),
    accessKeyIdLast4: accessKeyId === undefined ? before.accessKeyIdLast4 : (accessKeyId?.slice(-4) ?? null),
  }
}

function isAnotherAccount(before: IntegrationRow, { settings, secrets }: After): boolean {
  return (
    leadsElsewhere(settingsOf(before), settings) ||
    before.accessKeyId !== secrets.accessKeyId ||
    before.secretAccessKey !== secrets.secretAccessKey
  )
}
