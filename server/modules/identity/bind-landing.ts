import type pg from 'pg'
import { inTransaction } from '../../platform/db/transaction.ts'
import { bindVisitor } from '../visitors/bind-visitor.ts'
import { isErasedVisitor } from '../visitors/erased-visitors.ts'
import { takeTurnOfVisitor } from '../visitors/turn-of-visitor.ts'
import { isClaimedFor, type MarkAliases, noteClaim } from './claims.ts'
import { personOfVisitor } from './identity-queries.ts'

/**
 * Has a visitor that is nobody yet be of the one whom a message was sent to, and whose link was followed in it; nothing is written to them. Of
 * one that is anybody's already, by whatever proof, nothing follows.
 */
export async function bindLanding(
  { sql, markAliases }: { sql: pg.Pool; markAliases: MarkAliases },
  workspaceId: string,
  { visitorId, messageId }: { visitorId: string; messageId: string },
): Promise<void> {
  await inTransaction(sql, workspaceId, async (tx) => {
    await takeTurnOfVisitor(tx, workspaceId, visitorId)
    const { rows } = await tx.query<{ id: string; email: string | null }>({
      name: 'contact_of_landing',
      // A test goes to somebody of the team, and shows what another would get.
      text: `select c.id, c.email from messages m
        join contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id and lower(c.email) = m.destination
        where m.workspace_id = $1 and m.id = $2 for key share of c`,
      values: [workspaceId, messageId],
    })
    const [contact] = rows
    if (contact === undefined || (await personOfVisitor(tx, workspaceId, visitorId)) !== undefined) return
    const marks = markAliases(workspaceId, { subjectId: null, email: contact.email, phone: null })
    const isClaimed = (await isClaimedFor(tx, workspaceId, { visitorId, marks })) !== undefined
    if (isClaimed || (await isErasedVisitor(tx, workspaceId, visitorId))) return
    await noteClaim(tx, workspaceId, { visitorId, marks })
    await bindVisitor(tx, workspaceId, { visitorId, contactId: contact.id, proof: 'link' })
  })
}
