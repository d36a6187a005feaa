import { sql } from 'kysely'
import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { createQueryBuilder, statementOf } from '../../platform/db/query-builder.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { contactsWithIds } from '../contacts/contacts-with-ids.ts'
import type { Sql } from './compile-comparison.ts'
import { compileMembers } from './compile-members.ts'
import type { IdRange } from './id-range.ts'
import { segmentByIdStatement } from './queries.ts'
import { readEachRule } from './read-rules.ts'
import type { Membership } from './schemas.ts'
import { loadFacts, requireSound } from './segment-facts.ts'

const build = createQueryBuilder<Record<string, never>>()

/**
 * Whether a contact belongs to a segment now, and which of its rules hold for them. Throws 404 for either of
 * them, 422 for a definition that holds no longer.
 */
export async function explainMembership(
  db: pg.Pool,
  workspaceId: string,
  { id, contactId }: { id: string; contactId: string },
): Promise<Membership> {
  return inTransaction(db, workspaceId, async (tx) => {
    const [segment] = (await tx.query(segmentByIdStatement(workspaceId, id))).rows
    if (!segment) throw notFound()
    if ((await contactsWithIds(tx, workspaceId, [contactId])).length === 0) throw notFound()
    const { definition } = segment
    const facts = await loadFacts(tx, workspaceId, [definition])
    const whole = requireSound(definition, facts, id)
    const each = readEachRule(definition, facts, id)
    const range = onlyOne(contactId)
    const sets = [whole, ...each.map(({ condition }) => condition)].map((condition) =>
      compileMembers(workspaceId, condition, range),
    )
    const [isMember, ...holds] = await whichHave(tx, sets)
    const rules = each.map(({ rule: { pointer, field, operator } }, n) => ({
      pointer,
      field,
      operator,
      holds: holds[n]!,
    }))
    return { isMember: isMember!, rules }
  })
}

/** The range that has one contact only. */
export function onlyOne(contactId: string): IdRange {
  return { after: (BigInt(contactId) - 1n).toString(), to: contactId }
}

/** Which of the sets have any member, in their order, by one statement. */
export async function whichHave(tx: Transaction, sets: readonly Sql[]): Promise<boolean[]> {
  if (sets.length === 0) return []
  const each = sets.map((set) => sql`exists (select from (${set}) member)`)
  const query = sql`select array[${sql.join(each)}] as "have"`
  const { rows } = await tx.query<{ have: boolean[] }>(statementOf({ compile: () => query.compile(build) }))
  return rows[0]!.have
}
