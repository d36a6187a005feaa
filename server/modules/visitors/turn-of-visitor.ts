import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** One visitor's identity changes at a time. */
export async function takeTurnOfVisitor(tx: Transaction, workspaceId: string, visitorId: string): Promise<void> {
  await tx.query({
    name: 'lock_visitor',
    text: `select pg_advisory_xact_lock(hashtextextended('visitor ' || $2, $1::bigint))`,
    values: [workspaceId, visitorId],
  })
}

/** The same of all visitors of some contacts. Before the contacts are locked: whoever identifies takes the turn first. */
export async function takeTurnOfVisitorsOf(
  tx: Transaction,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'lock_visitors_of',
    text: `select pg_advisory_xact_lock(hashtextextended('visitor ' || v.visitor_id, $1::bigint)) from (
        select visitor_id from visitors where workspace_id = $1::bigint and contact_id = any ($2::int8[]) order by first_seen, visitor_id) v`,
    values: [workspaceId, int8Array(contactIds)],
  })
}
