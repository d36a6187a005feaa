import type pg from 'pg'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'

export type ImportDeps = {
  sql: pg.Pool
}

export const QUEUE = 'default'

/** One job a workspace, which goes through its running imports one after the other. */
export async function enqueueImports(tx: Transaction, workspaceId: string): Promise<void> {
  const singletonKey = `import-contacts:${workspaceId}`
  await enqueue(tx, [{ queue: QUEUE, kind: 'import_contacts', payload: { workspaceId }, singletonKey }])
}
