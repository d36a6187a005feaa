import type { Transaction } from '../../platform/db/transaction.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import { auditedIntegration } from './audited-integration.ts'

type Address = { host: string; port: number }

/**
 * Has an integration lead to where its server is now; one that leads elsewhere by now is left alone. Only for a server
 * of our own that has moved: the password goes with it unasked.
 */
export async function moveServer(
  tx: Transaction,
  caller: AuditOrigin,
  { id, from, to }: { id: string; from: Address; to: Address },
): Promise<void> {
  const { rows } = await tx.query<{ name: string }>(
    `update integrations set host = $5, port = $6, updated_at = now()
      where workspace_id = $1 and id = $2 and provider = 'smtp' and host = $3 and port = $4 returning name`,
    [caller.workspaceId, id, from.host, from.port, to.host, to.port],
  )
  const [moved] = rows
  if (moved === undefined) return
  await recordAudit(tx, caller, {
    action: 'integration.update',
    target: auditedIntegration({ id, name: moved.name }),
    diff: { host: { from: from.host, to: to.host }, port: { from: from.port, to: to.port } },
  })
}
