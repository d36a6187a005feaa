import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { auditedIntegration, integrationDiff } from './audited-integration.ts'
import { INTEGRATION_GATE } from './gate.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { integrationOf, versionOf } from './integration-of.ts'
import { deleteIntegrationRow, integrationForChange } from './queries.ts'

/**
 * Deletes an integration with its secrets and its counters. Deleting the default leaves its channel without one: which
 * other server mail may go through is not for us to guess. It waits for the turns of sending that are under way, and for none
 * that comes later. Throws 404, and 412 when `ifMatch` names an older state.
 */
export async function deleteIntegration(
  deps: Pick<IntegrationDeps, 'sql'>,
  caller: Caller,
  { id, ifMatch }: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  const key = { workspaceId: caller.workspaceId, id }
  await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    await INTEGRATION_GATE.close(tx, caller.workspaceId, id)
    const before = await integrationForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, versionOf(integrationOf(before)))
    await deleteIntegrationRow(tx, key)
    await recordAudit(tx, caller, {
      action: 'integration.delete',
      target: auditedIntegration(before),
      diff: integrationDiff(before, undefined),
    })
  })
}
