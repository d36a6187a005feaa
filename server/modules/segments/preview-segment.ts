import { sql } from 'kysely'
import type pg from 'pg'
import { unprocessable } from '../../catalogue/problems.ts'
import { errorCode } from '../../platform/db/errors.ts'
import { createQueryBuilder } from '../../platform/db/query-builder.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { contactsWithIds } from '../contacts/contacts-with-ids.ts'
import { compileMembers } from './compile-members.ts'
import type { Preview } from './schemas.ts'
import { conditionOf } from './segment-facts.ts'

/** The longest a preview may take in the database. */
export const PREVIEW_TIMEOUT_MS = 5_000
/** The longest until its answer: the look itself, and what stands around it. */
export const PREVIEW_DEADLINE_MS = 6_500
const SAMPLE_CONTACTS = 10
const QUERY_CANCELED = '57014'

const build = createQueryBuilder<Record<string, never>>()

/** Who belongs to a definition now: the exact count, and its first ten contacts. Throws a 422 for one that is wrong or too slow. */
export async function previewDefinition(pool: pg.Pool, workspaceId: string, definition: string): Promise<Preview> {
  return inTransaction(pool, workspaceId, async (tx) => {
    const condition = await conditionOf(tx, workspaceId, definition)
    const members = compileMembers(workspaceId, condition)
    // The ids are gathered once, by parallel workers where it pays, and both counted and picked from.
    const { sql: text, parameters } = sql`with member as materialized (${members})
      select (select count(*) from member) as count,
        array(select id from member order by id limit ${sql.lit(SAMPLE_CONTACTS)})::text[] as ids`.compile(build)
    const limit = `set local statement_timeout = ${PREVIEW_TIMEOUT_MS}`
    const statement = { text, values: [...parameters], query_timeout: PREVIEW_DEADLINE_MS }
    const [, { rows }] = await Promise.all([
      tx.query(limit),
      tx.query<{ count: string; ids: string[] }>(statement),
    ]).catch(throwTooSlow)
    const [found] = rows
    const sample = await contactsWithIds(tx, workspaceId, found?.ids ?? [])
    return { count: Number(found?.count ?? 0), sample }
  })
}

function throwTooSlow(error: unknown): never {
  if (errorCode(error) !== QUERY_CANCELED) throw error
  const seconds = PREVIEW_TIMEOUT_MS / 1_000
  throw unprocessable([
    { pointer: '/definition', detail: `takes more than ${seconds} s to look through: ask for less, or for less time` },
  ])
}
