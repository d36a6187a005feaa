import { textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Suppression, SuppressionFilter } from './schemas.ts'

export type Reason = Suppression['reason']

const SUPPRESSION = `s.id, s.destination, s.reason, s.detail, s.message_id as "messageId", s.created_at as "createdAt"`

export function suppressionByIdStatement(workspaceId: string, id: string): Statement<Suppression> {
  return {
    name: 'suppression_by_id',
    text: `select ${SUPPRESSION} from suppressions s where s.workspace_id = $1 and s.id = $2`,
    values: [workspaceId, id],
  }
}

/** Only filters in use stand in the statement, so that each finds its index. */
function conditionsOf(workspaceId: string, filter: SuppressionFilter) {
  const values: unknown[] = [workspaceId]
  const conditions = ['workspace_id = $1']
  const add = (condition: string, value: unknown) => conditions.push(`${condition} $${values.push(value)}`)
  if (filter.destination !== undefined) add('destination =', filter.destination)
  if (filter.reason !== undefined) add('reason =', filter.reason)
  if (filter.createdSince !== undefined) add('created_at >=', filter.createdSince)
  return { where: conditions.join(' and '), values }
}

/** A page of suppressions; those before it are passed over in an index alone. */
export function suppressionsPageStatement(
  workspaceId: string,
  filter: SuppressionFilter,
  page: PageQuery,
): Statement<Suppression> {
  const { where, values } = conditionsOf(workspaceId, filter)
  const limit = `limit $${values.push(page.pageSize)} offset $${values.push(rowsBefore(page))}`
  return {
    text: `select ${SUPPRESSION} from (select id from suppressions where ${where} order by id ${limit}) page
      cross join lateral (select * from suppressions s where s.workspace_id = $1 and s.id = page.id offset 0) s
      order by s.id`,
    values,
  }
}

export function suppressionsTotalStatement(
  workspaceId: string,
  filter: SuppressionFilter,
): Statement<{ total: string }> {
  if (Object.keys(filter).length === 0) {
    return {
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'suppressions'`,
      values: [workspaceId],
    }
  }
  const { where, values } = conditionsOf(workspaceId, filter)
  return { text: `select count(*) as total from suppressions where ${where}`, values }
}

/** The next suppressions after an id, for an export. */
export function suppressionsAfterStatement(workspaceId: string, after: string, limit: number): Statement<Suppression> {
  return {
    name: 'suppressions_after',
    text: `select ${SUPPRESSION} from suppressions s where s.workspace_id = $1 and s.id > $2 order by s.id limit $3`,
    values: [workspaceId, after, limit],
  }
}

/** The suppression of an address, and whether it was not there before. */
export async function insertSuppression(
  tx: Transaction,
  workspaceId: string,
  { destination, reason }: { destination: string; reason: Reason },
): Promise<{ row: Suppression; isNew: boolean }> {
  const { rows: made } = await tx.query<Suppression>({
    name: 'insert_suppression',
    text: `insert into suppressions as s (workspace_id, destination, reason) values ($1, $2, $3)
      on conflict (workspace_id, destination) do nothing returning ${SUPPRESSION}`,
    values: [workspaceId, destination, reason],
  })
  if (made[0]) return { row: made[0], isNew: true }
  // Locked, so that it is there until this is committed; the insert has waited for whoever made it.
  const { rows: known } = await tx.query<Suppression>({
    name: 'known_suppression',
    text: `select ${SUPPRESSION} from suppressions s where s.workspace_id = $1 and s.destination = $2 for key share`,
    values: [workspaceId, destination],
  })
  return known[0] ? { row: known[0], isNew: false } : insertSuppression(tx, workspaceId, { destination, reason })
}

export async function suppressionForChange(db: Queryable, workspaceId: string, id: string) {
  const { rows } = await db.query<Suppression>({
    name: 'suppression_for_change',
    text: `select ${SUPPRESSION} from suppressions s where s.workspace_id = $1 and s.id = $2 for update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export async function deleteSuppression(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_suppression',
    text: 'delete from suppressions where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

export type NewSuppression = { destination: string; reason: Reason; detail: string | null }

/** Lists addresses that are not yet; answers how many. In the order of the addresses, so that two never wait in a circle. */
export async function addSuppressions(
  tx: Transaction,
  workspaceId: string,
  rows: readonly NewSuppression[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { rowCount } = await tx.query({
    name: 'add_suppressions',
    text: `insert into suppressions (workspace_id, destination, reason, detail)
      select distinct on (destination) $1::bigint, destination, reason, detail
      from unnest($2::text[], $3::text[], $4::text[]) with ordinality as given (destination, reason, detail, n)
      order by destination, n
      on conflict (workspace_id, destination) do nothing`,
    values: [
      workspaceId,
      textArray(rows.map(({ destination }) => destination)),
      textArray(rows.map(({ reason }) => reason)),
      textArray(rows.map(({ detail }) => detail)),
    ],
  })
  return rowCount ?? 0
}
