import type { Transaction } from '../../platform/db/transaction.ts'
import { type AuditOrigin, type Diff, diffOf, recordAudit } from '../audit/record-audit.ts'
import type { IntegrationRow } from './integration-of.ts'
import { SECRET_FIELDS } from './integration-secrets.ts'

/** How an integration is named in the audit log. */
export function auditedIntegration({ id, name }: { id: string; name: string }) {
  return { type: 'integration', id, name }
}

const SHOWN = [
  ...(['name', 'channel', 'provider', 'enabled', 'isDefault', 'maxPerSecond', 'maxPerDay', 'host', 'port'] as const),
  ...(['tls', 'region', 'endpoint'] as const),
]
/** Personal values and secrets: the log says only that they changed. */
const HIDDEN = ['from', 'fromName', 'username', ...SECRET_FIELDS] as const

/** Differences between two states of an integration. A sealed secret differs when it was given again. */
export function integrationDiff(before: IntegrationRow | undefined, after: IntegrationRow | undefined): Diff {
  const logged = (row: IntegrationRow | undefined) =>
    row && Object.fromEntries([...SHOWN, ...HIDDEN].map((field) => [field, row[field]]))
  return diffOf(logged(before), logged(after), { hidden: HIDDEN })
}

/** The other half of making a default: the one before it is none any more. */
export async function auditUnmarked(
  tx: Transaction,
  caller: AuditOrigin,
  unmarked: { id: string; name: string } | undefined,
): Promise<void> {
  if (unmarked === undefined) return
  await recordAudit(tx, caller, {
    action: 'integration.update',
    target: auditedIntegration(unmarked),
    diff: { isDefault: { from: true, to: false } },
  })
}
