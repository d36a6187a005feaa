import type { Queryable } from '../../platform/db/transaction.ts'

/**
 * Makes the set-based writers of a workspace's contacts take turns, until the transaction ends. Before any contact is locked:
 * the writer who has the turn may wait for it.
 */
export async function takeUpsertTurn(tx: Queryable, workspaceId: string): Promise<void> {
  const text = `select pg_advisory_xact_lock(hashtextextended('contacts.upsert', $1::bigint))`
  await tx.query({ name: 'take_upsert_turn', text, values: [workspaceId] })
}
