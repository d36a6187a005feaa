import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { IdentityConflict } from './schemas.ts'

export type Conflict = Pick<IdentityConflict, 'kind' | 'alias' | 'otherContactId'>

const CONFLICT = `i.id, i.kind, i.alias, i.contact_id as "contactId", i.other_contact_id as "otherContactId",
  i.created_at as "createdAt", i.last_seen_at as "lastSeenAt"`

/** Notes what contacts have against a statement about one of them; a repeat shows in its time. */
export async function noteConflicts(
  tx: Transaction,
  workspaceId: string,
  contactId: string,
  conflicts: readonly Conflict[],
): Promise<void> {
  if (conflicts.length === 0) return
  await tx.query({
    name: 'note_identity_conflicts',
    text: `insert into identity_conflicts (workspace_id, contact_id, kind, alias, other_contact_id)
      select $1, $2, kind, alias, other_id from unnest($3::text[], $4::text[], $5::int8[]) as g(kind, alias, other_id)
      on conflict (workspace_id, contact_id, other_contact_id, alias) do update set last_seen_at = now()`,
    values: [
      ...[workspaceId, contactId, textArray(conflicts.map(({ kind }) => kind))],
      ...[textArray(conflicts.map(({ alias }) => alias)), int8Array(conflicts.map((one) => one.otherContactId))],
    ],
  })
}

/** A page, ascending by id. */
export async function listConflicts({ sql }: { sql: pg.Pool }, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope<IdentityConflict>(sql, workspaceId, {
      name: 'identity_conflicts_page',
      text: `select ${CONFLICT} from identity_conflicts i where i.workspace_id = $1 and i.kept_at is null
        order by i.id limit $2 offset $3`,
      values: [workspaceId, page.pageSize, rowsBefore(page)],
    }),
    queryInScope<{ total: string }>(sql, workspaceId, {
      name: 'identity_conflicts_total',
      text: 'select count(*) as total from identity_conflicts where workspace_id = $1 and kept_at is null',
      values: [workspaceId],
    }),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function conflictById(
  { sql }: { sql: pg.Pool },
  workspaceId: string,
  id: string,
): Promise<IdentityConflict> {
  const [conflict] = await queryInScope<IdentityConflict>(sql, workspaceId, {
    name: 'identity_conflict_by_id',
    text: `select ${CONFLICT} from identity_conflicts i
        where i.workspace_id = $1 and i.id = $2 and i.kept_at is null`,
    values: [workspaceId, id],
  })
  if (conflict === undefined) throw notFound()
  return conflict
}

/** Takes a conflict off the list for good: they are two people. Throws 404. */
export async function settleConflict({ sql }: { sql: pg.Pool }, caller: Caller, id: string): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(sql, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ contactId: string }>({
      name: 'keep_identity_conflict',
      text: `update identity_conflicts set kept_at = now() where workspace_id = $1 and id = $2 and kept_at is null
        returning contact_id as "contactId"`,
      values: [workspaceId, id],
    })
    if (rows[0] === undefined) throw notFound()
    const target = { type: 'contact', id: rows[0].contactId, name: null }
    await recordAudit(tx, caller, { action: 'identity_conflict.keep', target })
  })
}
