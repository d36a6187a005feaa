import type { Transaction } from '../../platform/db/transaction.ts'
import { readInstallation } from '../../platform/epoch/installation.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'

/** The workspace of the first start, whose owner stands for the instance; what is done to all of it is in its log. */
export const FIRST_WORKSPACE = '1'

/** A person who acts on the whole installation. */
export type Doer = { by: Omit<AuditOrigin, 'workspaceId'>; userId: string }

type Act = Pick<Parameters<typeof recordAudit>[2], 'action' | 'diff'>

/** Records an act on the whole installation. */
export async function recordInstallationAct(tx: Transaction, by: Doer['by'], act: Act): Promise<void> {
  const { id } = await readInstallation(tx)
  const target = { type: 'installation', id, name: null } as const
  await recordAudit(tx, { ...by, workspaceId: FIRST_WORKSPACE }, { ...act, target })
}
