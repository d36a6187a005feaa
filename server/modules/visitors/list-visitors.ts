import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { ContactVisitor } from './schemas.ts'

/** The visitors of a contact, the latest first. Throws 404. */
export async function listVisitors(sql: pg.Pool, workspaceId: string, contactId: string): Promise<ContactVisitor[]> {
  return inTransaction(sql, workspaceId, async (tx) => {
    const { rows: known } = await tx.query({
      name: 'contact_of_visitors',
      text: 'select from contacts where workspace_id = $1 and id = $2',
      values: [workspaceId, contactId],
    })
    if (known.length === 0) throw notFound()
    const { rows } = await tx.query<ContactVisitor>({
      name: 'visitors_of_contact',
      text: `select visitor_id as "visitorId", proof, first_seen::text as "firstSeen", last_seen::text as "lastSeen" from visitors
        where workspace_id = $1 and contact_id = $2 order by visitors.last_seen desc, visitor_id limit 100`,
      values: [workspaceId, contactId],
    })
    return rows
  })
}
