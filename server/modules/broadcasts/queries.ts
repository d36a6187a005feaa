import { int8Array } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { BroadcastSort, BroadcastStatus } from './schemas.ts'

export type BroadcastKey = { workspaceId: string; id: string }

/** The part of a broadcast that its maker decides. */
export type BroadcastContent = {
  name: string
  subject: string
  fromName: string | null
  fromEmail: string | null
  body: string
  text: string | null
  integrationId: string | null
  /** The kind of mail it is; null: of none. */
  topicId: string | null
  segmentIds: string[]
  excludedSegmentIds: string[]
}

/** The work that is done again on its messages, step by step. */
export type Redo = 'retry_failed' | 'retry_uncertain' | 'accept_uncertain'

/** A broadcast as the database gives it. */
export type BroadcastRow = BroadcastContent & {
  id: string
  status: BroadcastStatus
  scheduledAt: string | null
  localTime: string | null
  localTimeZone: string | null
  startedAt: string | null
  endedAt: string | null
  failure: string | null
  streamId: string | null
  recipientsTotal: string | null
  frozenTotal: string
  plannedTotal: string
  nextChunk: number
  plannedAt: string | null
  redo: Redo | null
  redoAfterId: string
  createdAt: string
  updatedAt: string
}

export type BroadcastState = Omit<BroadcastRow, 'body' | 'text'>

const SUMMARY_COLUMNS = `b.id, b.name, b.subject, b.from_name as "fromName", b.from_email as "fromEmail",
  b.integration_id as "integrationId", b.topic_id as "topicId", b.segment_ids::text[] as "segmentIds",
  b.excluded_segment_ids::text[] as "excludedSegmentIds", b.status, b.scheduled_at as "scheduledAt",
  to_char(b.local_time, 'YYYY-MM-DD"T"HH24:MI:SS') as "localTime", b.local_time_zone as "localTimeZone",
  b.started_at as "startedAt", b.ended_at as "endedAt", b.failure, b.stream_id as "streamId",
  b.recipients_total as "recipientsTotal", b.frozen_total as "frozenTotal", b.planned_total as "plannedTotal", b.next_chunk as "nextChunk",
  b.planned_at as "plannedAt", b.redo, b.redo_after_id as "redoAfterId", b.created_at as "createdAt", b.updated_at as "updatedAt"`
const COLUMNS = `${SUMMARY_COLUMNS}, b.body, b.text`

export function broadcastByIdStatement({ workspaceId, id }: BroadcastKey): Statement<BroadcastRow> {
  return {
    name: 'broadcast_by_id',
    text: `select ${COLUMNS} from broadcasts b where b.workspace_id = $1 and b.id = $2`,
    values: [workspaceId, id],
  }
}

export type BroadcastFilter = { status?: BroadcastStatus; search?: string }

/** Bodies are left out: a page of a thousand would not fit in memory. */
export function broadcastsPageStatement(
  workspaceId: string,
  { status, search }: BroadcastFilter,
  { sort, ...page }: PageQuery & { sort: BroadcastSort },
): Statement<BroadcastState> {
  const order = sort === 'id' ? 'asc' : 'desc'
  return {
    name: `broadcasts_page_${order}`,
    text: `select ${SUMMARY_COLUMNS} from broadcasts b
      where b.workspace_id = $1 and ($2::text is null or b.status = $2)
        and ($3::text is null or strpos(lower(b.name), lower($3)) > 0)
      order by b.id ${order} limit $4 offset $5`,
    values: [workspaceId, status ?? null, search ?? null, page.pageSize, rowsBefore(page)],
  }
}

export function broadcastsTotalStatement(
  workspaceId: string,
  { status, search }: BroadcastFilter,
): Statement<{ total: string }> {
  if (status === undefined && search === undefined) {
    return {
      name: 'broadcasts_total',
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'broadcasts'`,
      values: [workspaceId],
    }
  }
  return {
    name: 'broadcasts_found',
    text: `select count(*) as total from broadcasts b
      where b.workspace_id = $1 and ($2::text is null or b.status = $2)
        and ($3::text is null or strpos(lower(b.name), lower($3)) > 0)`,
    values: [workspaceId, status ?? null, search ?? null],
  }
}

/** The row, locked until the transaction ends. Always the last lock a transaction takes, see `advance-broadcast.ts`. */
export function broadcastForChange(tx: Queryable, key: BroadcastKey): Promise<BroadcastRow | undefined> {
  return selectBroadcast(tx, key, { name: 'broadcast_for_change', columns: COLUMNS, lock: FOR_CHANGE })
}

/** The same without its content. */
export function lockBroadcast(tx: Queryable, key: BroadcastKey): Promise<BroadcastState | undefined> {
  return selectBroadcast(tx, key, { name: 'lock_broadcast', columns: SUMMARY_COLUMNS, lock: FOR_CHANGE })
}

/** As it is now, unlocked and without its content. */
export function broadcastState(tx: Queryable, key: BroadcastKey): Promise<BroadcastState | undefined> {
  return selectBroadcast(tx, key, { name: 'broadcast_state', columns: SUMMARY_COLUMNS, lock: '' })
}

const FOR_CHANGE = 'for no key update'

async function selectBroadcast<Row extends BroadcastState>(
  tx: Queryable,
  { workspaceId, id }: BroadcastKey,
  { name, columns, lock }: { name: string; columns: string; lock: string },
): Promise<Row | undefined> {
  const text = `select ${columns} from broadcasts b where b.workspace_id = $1 and b.id = $2 ${lock}`
  const { rows } = await tx.query<Row>({ name, text, values: [workspaceId, id] })
  return rows[0]
}

const contentValues = (content: BroadcastContent) => [
  content.name,
  content.subject,
  content.fromName,
  content.fromEmail,
  content.body,
  content.text,
  content.integrationId,
  int8Array(content.segmentIds),
  int8Array(content.excludedSegmentIds),
  content.topicId,
]

export async function insertBroadcast(
  tx: Queryable,
  workspaceId: string,
  content: BroadcastContent,
): Promise<BroadcastRow> {
  const { rows } = await tx.query<BroadcastRow>({
    name: 'insert_broadcast',
    text: `insert into broadcasts as b (workspace_id, name, subject, from_name, from_email, body, text, integration_id,
        segment_ids, excluded_segment_ids, topic_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9::int8[], $10::int8[], $11) returning ${COLUMNS}`,
    values: [workspaceId, ...contentValues(content)],
  })
  return rows[0]!
}

export async function updateContent(
  tx: Queryable,
  key: BroadcastKey,
  content: BroadcastContent,
): Promise<BroadcastRow> {
  const { rows } = await tx.query<BroadcastRow>({
    name: 'update_broadcast',
    text: `update broadcasts b set name = $3, subject = $4, from_name = $5, from_email = $6, body = $7, text = $8,
        integration_id = $9, segment_ids = $10::int8[], excluded_segment_ids = $11::int8[], topic_id = $12, updated_at = now()
      where b.workspace_id = $1 and b.id = $2 returning ${COLUMNS}`,
    values: [key.workspaceId, key.id, ...contentValues(content)],
  })
  return rows[0]!
}

export async function deleteBroadcastRow(tx: Queryable, { workspaceId, id }: BroadcastKey): Promise<void> {
  await tx.query({
    name: 'delete_broadcast',
    text: 'delete from broadcasts where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/**
 * Which of these segments the workspace has. Until the transaction ends none of them can be deleted; whoever deletes one
 * then looks for broadcasts that have it.
 */
export async function holdSegments(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'hold_segments_of_broadcast',
    text: `select s.id from segments s where s.workspace_id = $1 and s.id = any ($2::int8[]) order by s.id for key share`,
    values: [workspaceId, int8Array(ids)],
  })
  return new Set(rows.map(({ id }) => id))
}

export async function hasIntegration(tx: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'integration_of_broadcast',
    text: 'select 1 from integrations i where i.workspace_id = $1 and i.id = $2',
    values: [workspaceId, id],
  })
  return rows.length > 0
}
