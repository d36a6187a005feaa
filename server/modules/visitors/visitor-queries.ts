import type { Proof } from '../../catalogue/proofs.ts'
import type { Queryable } from '../../platform/db/transaction.ts'

export type Visitor = { visitorId: string; contactId: string; proof: Proof }

/** The contact that a visitor was recognised as, which it stays until the transaction ends. */
export async function visitorForChange(
  tx: Queryable,
  workspaceId: string,
  visitorId: string,
): Promise<Visitor | undefined> {
  const { rows } = await tx.query<Visitor>({
    name: 'visitor_for_change',
    text: `select visitor_id as "visitorId", contact_id as "contactId", proof from visitors
      where workspace_id = $1 and visitor_id = $2 for update`,
    values: [workspaceId, visitorId],
  })
  return rows[0]
}

/** The contact that a visitor was recognised as; undefined where it is nobody. */
export async function contactOfVisitor(
  tx: Queryable,
  workspaceId: string,
  visitorId: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ contactId: string }>({
    name: 'contact_of_visitor',
    text: 'select contact_id as "contactId" from visitors where workspace_id = $1 and visitor_id = $2',
    values: [workspaceId, visitorId],
  })
  return rows[0]?.contactId
}

export async function deleteVisitor(tx: Queryable, workspaceId: string, visitorId: string): Promise<void> {
  await tx.query({
    name: 'delete_visitor',
    text: 'delete from visitors where workspace_id = $1 and visitor_id = $2',
    values: [workspaceId, visitorId],
  })
}
