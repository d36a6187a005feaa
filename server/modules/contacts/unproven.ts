import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'

/** Notes that a contact's address was stated by a page alone, of a visitor: nobody is mailed there until it is proven. */
export async function markUnproven(
  tx: Queryable,
  workspaceId: string,
  { contactId, visitorId }: { contactId: string; visitorId: string },
): Promise<void> {
  await tx.query({
    name: 'mark_unproven',
    text: 'insert into unproven_contacts (workspace_id, contact_id, visitor_id) values ($1, $2, $3)',
    values: [workspaceId, contactId, visitorId],
  })
}

/** The workspace itself, or the person by mail, has stated the address that these contacts have. */
export async function proveAddresses(tx: Queryable, workspaceId: string, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return
  await tx.query({
    name: 'prove_addresses',
    text: 'delete from unproven_contacts where workspace_id = $1 and contact_id = any ($2::int8[])',
    values: [workspaceId, int8Array(contactIds)],
  })
}

/** Whether a contact was made by what a page said of a visitor, and is not proven yet. */
export async function isUnprovenOf(
  tx: Queryable,
  workspaceId: string,
  { contactId, visitorId }: { contactId: string; visitorId: string },
): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'is_unproven_of',
    text: 'select from unproven_contacts where workspace_id = $1 and contact_id = $2 and visitor_id = $3',
    values: [workspaceId, contactId, visitorId],
  })
  return rows.length > 0
}

/** How many contacts of a workspace pages have made in the last hour that are not proven. */
export async function unprovenInLastHour(tx: Queryable, workspaceId: string): Promise<number> {
  const { rows } = await tx.query<{ made: string }>({
    name: 'unproven_in_last_hour',
    text: `select count(*) as made from unproven_contacts where workspace_id = $1 and made_at > now() - interval '1 hour'`,
    values: [workspaceId],
  })
  return Number(rows[0]!.made)
}

/** An unproven address goes over to a contact that has none, and is as unproven there. Before the other contact is deleted. */
export async function carryUnproven(
  tx: Queryable,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await proveAddresses(tx, workspaceId, [toId])
  await tx.query({
    name: 'carry_unproven',
    text: 'update unproven_contacts set contact_id = $3 where workspace_id = $1 and contact_id = $2',
    values: [workspaceId, fromId, toId],
  })
}
