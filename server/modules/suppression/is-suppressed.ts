import type { Queryable } from '../../platform/db/transaction.ts'

/** Whether nothing is sent to an address, for whatever reason it is on the list. */
export async function isSuppressed(db: Queryable, workspaceId: string, destination: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'is_suppressed',
    text: 'select from suppressions where workspace_id = $1 and destination = $2',
    values: [workspaceId, destination],
  })
  return rowCount === 1
}
