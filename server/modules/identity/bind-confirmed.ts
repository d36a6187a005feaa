import type { Transaction } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { bindVisitor } from '../visitors/bind-visitor.ts'
import { isErasedVisitor } from '../visitors/erased-visitors.ts'
import { isClaimedFor, type MarkAliases, noteClaim } from './claims.ts'
import { ownVisitor } from './identify.ts'
import { personOfVisitor } from './identity-queries.ts'

/** A browser in which a form was filled in, and the contact that has confirmed it by mail. */
export type Confirmed = { visitorId: string; contactId: string; email: string }
export type BindConfirmed = (tx: Transaction, workspaceId: string, confirmed: Confirmed) => Promise<void>

/**
 * Has the browser in which a form was filled in be of the person who has confirmed it. Where it is another person's, who is now said to be before it
 * has a visitor of their own, which that browser is told when it names them. The caller has the turn of the visitor.
 */
export function createBindConfirmed({ markAliases }: { markAliases: MarkAliases }): BindConfirmed {
  return async (tx, workspaceId, { visitorId, contactId, email }) => {
    const marks = markAliases(workspaceId, { subjectId: null, email, phone: null })
    const bound = await personOfVisitor(tx, workspaceId, visitorId)
    const isFree =
      bound === undefined
        ? !(await isErasedVisitor(tx, workspaceId, visitorId)) &&
          (await isClaimedFor(tx, workspaceId, { visitorId, marks })) !== false
        : bound.id === contactId
    const own = isFree
      ? visitorId
      : await unlessCrowded(ownVisitor(tx, workspaceId, { askedId: visitorId, marks, contactId }))
    if (own === undefined) return
    await noteClaim(tx, workspaceId, { visitorId: own, askedId: isFree ? null : visitorId, marks })
    await bindVisitor(tx, workspaceId, { visitorId: own, contactId, proof: 'confirmed' })
  }
}

/** A browser that is of too many people is bound to no more of them, and keeps nobody from signing up. */
async function unlessCrowded(visitor: Promise<string>): Promise<string | undefined> {
  try {
    return await visitor
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
