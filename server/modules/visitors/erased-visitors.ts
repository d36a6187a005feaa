import { hash } from 'node:crypto'
import type pg from 'pg'
import { byteaArray, int8Array } from '../../platform/db/arrays.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Queryable, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { createFreshAnswers } from '../../platform/fresh-answers.ts'
import { enqueueErasure } from './forget-visitor.ts'
import { dropStatements } from './identity-statements.ts'

/** Browsers give up events that are a week old; tabs may stay open longer. */
const KEPT_DAYS = 30
/** Those of a workspace that are heeded, the latest. */
const HEEDED_MAX = 20_000

/** The ids are random: nobody finds one by its hash. */
function hashOf(workspaceId: string, visitorId: string): Buffer {
  return hash('sha256', `${workspaceId} ${visitorId}`, 'buffer')
}

/**
 * The visitors of contacts that are being erased are nobody from now on: what still comes of them is dropped, and what they left without its being
 * anybody's is erased by `forget_visitor`. Statements of their pages that wait are dropped. The caller has their turns.
 */
export async function eraseVisitorsOf(
  tx: Transaction,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<void> {
  const { rows } = await tx.query<{ visitorId: string }>({
    name: 'visitors_of_erased',
    text: 'select visitor_id as "visitorId" from visitors where workspace_id = $1 and contact_id = any ($2::int8[])',
    values: [workspaceId, int8Array(contactIds)],
  })
  if (rows.length === 0) return
  const visitorIds = rows.map(({ visitorId }) => visitorId)
  const noted = tx.query({
    name: 'note_erased_visitors',
    text: `insert into erased_visitors (workspace_id, visitor_hash) select $1, unnest($2::bytea[])
      on conflict (workspace_id, visitor_hash) do update set erased_at = now()`,
    values: [workspaceId, byteaArray(visitorIds.map((visitorId) => hashOf(workspaceId, visitorId)))],
  })
  await Promise.all([noted, dropStatements(tx, workspaceId, visitorIds), enqueueErasure(tx, workspaceId, visitorIds)])
}

export async function isErasedVisitor(tx: Queryable, workspaceId: string, visitorId: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'is_erased_visitor',
    text: 'select from erased_visitors where workspace_id = $1 and visitor_hash = $2',
    values: [workspaceId, hashOf(workspaceId, visitorId)],
  })
  return rows.length > 0
}

/** Tells of a visitor whether it was a contact's that is erased. */
export type ErasedVisitors = (workspaceId: string) => Promise<(visitorId: string) => boolean>

/** Remembers for less than a second which they are. */
export function createErasedVisitors(sql: pg.Pool): ErasedVisitors {
  const answers = createFreshAnswers(async (workspaceId) => {
    const rows = await queryInScope<{ code: string }>(sql, workspaceId, {
      name: 'erased_visitors',
      text: `select encode(visitor_hash, 'hex') as code from erased_visitors where workspace_id = $1
        order by erased_at desc limit $2`,
      values: [workspaceId, HEEDED_MAX],
    })
    return new Set(rows.map(({ code }) => code))
  })
  return async (workspaceId) => {
    const erased = (await answers.lookUp(workspaceId, () => true))!
    if (erased.size === 0) return () => false
    return (visitorId) => erased.has(hashOf(workspaceId, visitorId).toString('hex'))
  }
}

/** Forgets those that were erased over 30 days ago; returns how many. */
export function forgetErasedVisitors(pool: pg.Pool, isOver: () => boolean): Promise<number> {
  const where = 'erased_at < now() - make_interval(days => $1)'
  return deleteInSteps(pool, ALL_WORKSPACES, { from: 'erased_visitors', where, values: [KEPT_DAYS], isOver })
}
