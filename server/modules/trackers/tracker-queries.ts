import { textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Tracker } from './schemas.ts'

export const TRACKERS_MAX = 100

export type TrackerContent = Omit<Tracker, 'id' | 'previousKeyUntil' | 'createdAt' | 'updatedAt'>

const TRACKER = `t.id, t.name, t.key, case when t.previous_until > now() then t.previous_until end as "previousKeyUntil",
  t.allowed_origins as "allowedOrigins", t.consent_mode as "consentMode", t.identify, t.allowed_actions as "allowedActions",
  t.server_only_actions as "serverOnlyActions", t.respect_gpc as "respectGpc", t.link_identity as "linkIdentity",
  t.auto_merge as "autoMerge", t.paused, t.created_at as "createdAt", t.updated_at as "updatedAt"`

export function trackerByIdStatement(workspaceId: string, id: string): Statement<Tracker> {
  return {
    name: 'tracker_by_id',
    text: `select ${TRACKER} from trackers t where t.workspace_id = $1 and t.id = $2`,
    values: [workspaceId, id],
  }
}

export function trackersPageStatement(workspaceId: string, page: PageQuery): Statement<Tracker> {
  return {
    name: 'trackers_page',
    text: `select ${TRACKER} from trackers t where t.workspace_id = $1 order by t.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function trackersTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'trackers_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts
      where workspace_id = $1 and relation = 'trackers'`,
    values: [workspaceId],
  }
}

export async function trackerForChange(tx: Queryable, workspaceId: string, id: string): Promise<Tracker | undefined> {
  const { text, values } = trackerByIdStatement(workspaceId, id)
  const { rows } = await tx.query<Tracker>({ name: 'tracker_for_change', text: `${text} for update`, values })
  return rows[0]
}

/** Counts a workspace's trackers, and keeps others from adding some until the transaction ends. */
export async function countTrackersForAdding(tx: Queryable, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_trackers',
    text: `select pg_advisory_xact_lock(hashtextextended('trackers', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ total: number }>({
    name: 'count_trackers',
    text: 'select count(*)::int as total from trackers where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]!.total
}

export async function insertTracker(tx: Queryable, workspaceId: string, content: TrackerContent): Promise<Tracker> {
  const { rows } = await tx.query<Tracker>({
    name: 'insert_tracker',
    text: `insert into trackers as t (workspace_id, name, allowed_origins, consent_mode, identify, allowed_actions,
        server_only_actions, respect_gpc, paused, link_identity, auto_merge, key)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${TRACKER}`,
    values: [workspaceId, ...settingsOf(content), content.key],
  })
  return rows[0]!
}

export async function updateTrackerRow(tx: Queryable, workspaceId: string, tracker: Tracker): Promise<Tracker> {
  const { rows } = await tx.query<Tracker>({
    name: 'update_tracker',
    text: `update trackers t set name = $2, allowed_origins = $3, consent_mode = $4, identify = $5, allowed_actions = $6,
        server_only_actions = $7, respect_gpc = $8, paused = $9, link_identity = $10, auto_merge = $11, updated_at = now()
      where t.workspace_id = $1 and t.id = $12 returning ${TRACKER}`,
    values: [workspaceId, ...settingsOf(tracker), tracker.id],
  })
  return rows[0]!
}

function settingsOf(tracker: TrackerContent) {
  return [
    ...[tracker.name, textArray(tracker.allowedOrigins), tracker.consentMode, tracker.identify],
    ...[textArray(tracker.allowedActions), textArray(tracker.serverOnlyActions), tracker.respectGpc, tracker.paused],
    ...[tracker.linkIdentity, tracker.autoMerge],
  ]
}

/** Gives it another key; the one it had stays good for so many days, the one before that no longer. */
export async function rotateTrackerRow(
  tx: Queryable,
  workspaceId: string,
  { id, key, overlapDays }: { id: string; key: string; overlapDays: number },
): Promise<Tracker> {
  const { rows } = await tx.query<Tracker>({
    name: 'rotate_tracker_key',
    text: `update trackers t set previous_key = t.key, previous_until = now() + make_interval(days => $4), key = $3,
        updated_at = now()
      where t.workspace_id = $1 and t.id = $2 returning ${TRACKER}`,
    values: [workspaceId, id, key, overlapDays],
  })
  return rows[0]!
}

export async function deleteTrackerRow(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_tracker',
    text: 'delete from trackers where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}
