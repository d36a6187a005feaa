import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable } from '../../../platform/db/transaction.ts'
import type { BroadcastKey, BroadcastRow, Redo } from '../queries.ts'
import type { BroadcastStatus } from '../schemas.ts'

/** Columns of a broadcast that decide its next step; `inMs` is how long until its schedule. */
export type Progress = Pick<
  BroadcastRow,
  | 'name'
  | 'status'
  | 'startedAt'
  | 'streamId'
  | 'topicId'
  | 'segmentIds'
  | 'excludedSegmentIds'
  | 'localTime'
  | 'localTimeZone'
  | 'recipientsTotal'
  | 'nextChunk'
  | 'plannedAt'
  | 'redo'
  | 'redoAfterId'
> &
  Freezing & { inMs: number | null }

/** How far the audience is frozen, and in what stretches: see the columns of `broadcasts`. */
export type Freezing = {
  freezeAfterId: string
  freezeToId: string | null
  freezeSize: number | null
  freezeFailures: number
}

export function progressOfStatement({ workspaceId, id }: BroadcastKey): Statement<Progress> {
  return {
    name: 'progress_of_broadcast',
    text: `select b.name, b.status, b.started_at as "startedAt", b.stream_id as "streamId", b.topic_id as "topicId",
        b.segment_ids::text[] as "segmentIds", b.excluded_segment_ids::text[] as "excludedSegmentIds",
        to_char(b.local_time, 'YYYY-MM-DD"T"HH24:MI:SS') as "localTime", b.local_time_zone as "localTimeZone",
        b.recipients_total as "recipientsTotal", b.next_chunk as "nextChunk", b.planned_at as "plannedAt", b.redo,
        b.redo_after_id as "redoAfterId", b.freeze_after_id as "freezeAfterId", b.freeze_to_id as "freezeToId",
        b.freeze_size as "freezeSize", b.freeze_failures as "freezeFailures",
        ceil(extract(epoch from b.scheduled_at - clock_timestamp()) * 1000)::float8 as "inMs"
      from broadcasts b where b.workspace_id = $1 and b.id = $2`,
    values: [workspaceId, id],
  }
}

/** Moves a broadcast on from one of `from`; false when it stands elsewhere. */
export async function moveStatus(
  tx: Queryable,
  key: BroadcastKey,
  { from, to }: { from: readonly BroadcastStatus[]; to: BroadcastStatus },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'move_broadcast_status',
    text: `update broadcasts b set status = $3, updated_at = now(),
        ended_at = case when $3 in ('sent', 'canceled', 'failed') then now() end
      where b.workspace_id = $1 and b.id = $2 and b.status = any ($4)`,
    values: [key.workspaceId, key.id, to, [...from]],
  })
  return rowCount === 1
}

export type Start = { streamId: string; as: 'at_once' | 'scheduled'; approvalId?: string | undefined }

/**
 * Starts it: from now on its content is what it is. At once, perhaps by an approval; or as it was scheduled: at each contact's local time,
 * and by the approval that it was scheduled by.
 */
export async function markStarted(
  tx: Queryable,
  key: BroadcastKey,
  { streamId, as, approvalId }: Start,
): Promise<void> {
  await tx.query({
    name: 'start_broadcast',
    text: `update broadcasts b set status = 'sending', started_at = now(), stream_id = $3, failure = null,
        updated_at = now(), local_time = case when $4 = 'scheduled' then local_time end,
        local_time_zone = case when $4 = 'scheduled' then local_time_zone end,
        approval_id = case when $4 = 'scheduled' then approval_id else $5 end
      where b.workspace_id = $1 and b.id = $2`,
    values: [key.workspaceId, key.id, streamId, as, approvalId ?? null],
  })
}

export type Schedule = { scheduledAt: string; localTime: string | null; localTimeZone: string | null }

/** Schedules a draft, perhaps by an approval, or with null makes a draft of it again. */
export async function markScheduled(
  tx: Queryable,
  key: BroadcastKey,
  schedule: (Schedule & { approvalId?: string | undefined }) | null,
): Promise<void> {
  await tx.query({
    name: 'schedule_broadcast',
    text: `update broadcasts b set status = case when $3::timestamptz is null then 'draft' else 'scheduled' end,
        scheduled_at = $3, local_time = $4::timestamp, local_time_zone = $5, approval_id = $6, updated_at = now(),
        started_at = null, ended_at = null, failure = null
      where b.workspace_id = $1 and b.id = $2`,
    values: [
      key.workspaceId,
      key.id,
      schedule?.scheduledAt ?? null,
      schedule?.localTime ?? null,
      schedule?.localTimeZone ?? null,
      schedule?.approvalId ?? null,
    ],
  })
}

const FORGET_CHUNKS = 'delete from broadcast_chunks where workspace_id = $1 and broadcast_id = $2'
/** Chunks of an audience that is frozen are still to be planned, whatever is done with the broadcast. */
const IS_UNFROZEN = `exists (select from broadcasts o where o.workspace_id = $1 and o.id = $2 and o.recipients_total is null)`
const UNFROZEN = 'freeze_after_id = 0, freeze_to_id = null, freeze_size = null, freeze_failures = 0, frozen_total = 0'

/** Nobody is written to, and why. */
export async function markFailed(tx: Queryable, key: BroadcastKey, failure: string): Promise<void> {
  await tx.query({
    name: 'fail_broadcast',
    text: `with forgotten as (${FORGET_CHUNKS} and ${IS_UNFROZEN})
      update broadcasts b set status = 'failed', failure = left($3, 2000), ended_at = now(), updated_at = now(), ${UNFROZEN}
      where b.workspace_id = $1 and b.id = $2`,
    values: [key.workspaceId, key.id, failure],
  })
}

/** A broadcast that is given up before its audience was frozen has none. */
export async function markNobody(tx: Queryable, key: BroadcastKey): Promise<void> {
  await tx.query({
    name: 'give_broadcast_nobody',
    text: `with forgotten as (${FORGET_CHUNKS} and ${IS_UNFROZEN})
      update broadcasts b set recipients_total = 0, planned_at = now(), ${UNFROZEN}
      where b.workspace_id = $1 and b.id = $2 and b.recipients_total is null`,
    values: [key.workspaceId, key.id],
  })
}

export type Chunk = { dueAt: string | null; contactIds: string }

/** A chunk of the frozen audience, its ids joined by commas; undefined after the last. */
export async function chunkOf(tx: Queryable, key: BroadcastKey, number: number): Promise<Chunk | undefined> {
  const { rows } = await tx.query<Chunk>({
    name: 'chunk_of_broadcast',
    text: `select c.due_at as "dueAt", array_to_string(c.contact_ids, ',') as "contactIds" from broadcast_chunks c
      where c.workspace_id = $1 and c.broadcast_id = $2 and c.number = $3`,
    values: [key.workspaceId, key.id, number],
  })
  return rows[0]
}

/** Notes that a chunk is in the ledger; false when another run was faster. */
export async function markPlanned(
  tx: Queryable,
  key: BroadcastKey,
  { number, size }: { number: number; size: number },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'mark_chunk_planned',
    text: `update broadcasts b set next_chunk = next_chunk + 1, planned_total = planned_total + $4
      where b.workspace_id = $1 and b.id = $2 and b.next_chunk = $3`,
    values: [key.workspaceId, key.id, number, size],
  })
  return rowCount === 1
}

/** The whole audience is in the ledger; what it was planned from is of no more use. */
export async function markAllPlanned(tx: Queryable, { workspaceId, id }: BroadcastKey): Promise<void> {
  await tx.query({
    name: 'forget_broadcast_chunks',
    text: FORGET_CHUNKS,
    values: [workspaceId, id],
  })
  await tx.query({
    name: 'mark_all_planned',
    text: `update broadcasts b set planned_at = now() where b.workspace_id = $1 and b.id = $2 and b.planned_at is null`,
    values: [workspaceId, id],
  })
}

/** Asks for something to be done again to its messages; from the first one on. */
export async function markRedo(tx: Queryable, key: BroadcastKey, redo: Redo): Promise<void> {
  await tx.query({
    name: 'redo_broadcast',
    text: `update broadcasts b set redo = $3, redo_after_id = 0, updated_at = now()
      where b.workspace_id = $1 and b.id = $2`,
    values: [key.workspaceId, key.id, redo],
  })
}

/** Notes how far it was done; false when another run was faster. */
export async function markRedone(
  tx: Queryable,
  key: BroadcastKey,
  { redo, afterId, lastId }: { redo: Redo; afterId: string; lastId: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'mark_broadcast_redone',
    text: `update broadcasts b set redo = case when $5::bigint is not null then b.redo end,
        redo_after_id = coalesce($5::bigint, 0)
      where b.workspace_id = $1 and b.id = $2 and b.redo = $3 and b.redo_after_id = $4`,
    values: [key.workspaceId, key.id, redo, afterId, lastId],
  })
  return rowCount === 1
}
