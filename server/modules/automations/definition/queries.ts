import { int8Array } from '../../../platform/db/arrays.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable } from '../../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../../platform/schema/paging.ts'
import { AUTOMATION_GATE } from '../gate.ts'
import type { AutomationStatus } from '../schemas.ts'

export type AutomationKey = { workspaceId: string; id: string }

/** An automation as it is stored: `draft`, `steps` and `scenarios` are JSON texts. */
export type AutomationRow = {
  id: string
  name: string
  status: AutomationStatus
  draft: string
  steps: string | null
  scenarios: string
  segmentIds: string[]
  publishedVersion: number | null
  draftChanged: boolean
  entryOpen: boolean
  pausedAt: string | null
  pausedBy: string | null
  createdAt: string
  updatedAt: string
}

/** The part of it that its author writes. */
export type WrittenRow = Pick<AutomationRow, 'name' | 'draft' | 'steps' | 'scenarios'> & {
  segmentIds: readonly string[]
}

const COLUMNS = `a.id, a.name, a.status, a.draft, a.steps, a.scenarios,
  a.segment_ids::text[] as "segmentIds", a.published_version as "publishedVersion",
  a.draft_changed as "draftChanged", a.entry_open as "entryOpen", a.paused_at as "pausedAt",
  case when a.paused_at is not null then a.paused_by end as "pausedBy", a.created_at as "createdAt", a.updated_at as "updatedAt"`
const FOUND = `a.workspace_id = $1 and a.deleted_at is null and ($2::text is null or a.status = $2)
  and ($3::text is null or strpos(lower(a.name), lower($3)) > 0)`

export type AutomationFilter = { status?: AutomationStatus; search?: string }

export function automationsPageStatement(
  workspaceId: string,
  { status, search }: AutomationFilter,
  page: PageQuery,
): Statement<AutomationRow> {
  return {
    name: 'automations_page',
    text: `select ${COLUMNS} from automations a where ${FOUND} order by a.id limit $4 offset $5`,
    values: [workspaceId, status ?? null, search ?? null, page.pageSize, rowsBefore(page)],
  }
}

/** Counted: a workspace has some hundreds. */
export function automationsTotalStatement(
  workspaceId: string,
  { status, search }: AutomationFilter,
): Statement<{ total: string }> {
  return {
    name: 'automations_total',
    text: `select count(*) as total from automations a where ${FOUND}`,
    values: [workspaceId, status ?? null, search ?? null],
  }
}

export function automationByIdStatement({ workspaceId, id }: AutomationKey): Statement<AutomationRow> {
  return {
    name: 'automation_by_id',
    text: `select ${COLUMNS} from automations a where a.workspace_id = $1 and a.id = $2 and a.deleted_at is null`,
    values: [workspaceId, id],
  }
}

/** The row, locked until the transaction ends: turns hold it shared, so none of them runs meanwhile. */
export async function automationForChange(
  tx: Queryable,
  { workspaceId, id }: AutomationKey,
): Promise<AutomationRow | undefined> {
  await AUTOMATION_GATE.close(tx, workspaceId, id)
  const { rows } = await tx.query<AutomationRow>({
    name: 'automation_for_change',
    text: `select ${COLUMNS} from automations a
      where a.workspace_id = $1 and a.id = $2 and a.deleted_at is null for update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** How many a workspace has; nobody adds one until the transaction ends. */
export async function countForAdding(tx: Queryable, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_automations',
    text: `select pg_advisory_xact_lock(hashtextextended('automations', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query(automationsTotalStatement(workspaceId, {}))
  return Number(rows[0]!.total)
}

export async function insertAutomation(tx: Queryable, workspaceId: string, row: WrittenRow): Promise<AutomationRow> {
  const { rows } = await tx.query<AutomationRow>({
    name: 'insert_automation',
    text: `insert into automations as a (workspace_id, name, draft, steps, segment_ids, scenarios) values ($1, $2, $3, $4, $5, $6)
      returning ${COLUMNS}`,
    values: [workspaceId, row.name, row.draft, row.steps, int8Array(row.segmentIds), row.scenarios],
  })
  return rows[0]!
}

/** The draft has changed where it is not the text of the version in force. */
export async function updateWritten(tx: Queryable, key: AutomationKey, row: WrittenRow): Promise<AutomationRow> {
  const { rows } = await tx.query<AutomationRow>({
    name: 'update_automation',
    text: `update automations a set name = $3, draft = $4, steps = $5, segment_ids = $6, scenarios = $7, updated_at = now(),
        draft_changed = not exists (select from automation_versions v where v.workspace_id = $1 and v.automation_id = $2
          and v.version = a.published_version and v.written = $4)
      where a.workspace_id = $1 and a.id = $2 returning ${COLUMNS}`,
    values: [key.workspaceId, key.id, row.name, row.draft, row.steps, int8Array(row.segmentIds), row.scenarios],
  })
  return rows[0]!
}

export async function deleteAutomationRow(tx: Queryable, { workspaceId, id }: AutomationKey): Promise<void> {
  await tx.query({
    name: 'delete_automation',
    text: 'delete from automations where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** Switches that an act changes; those it does not name stay. */
export type Switches = {
  entryOpen?: boolean
  publishedVersion?: number
  paused?: boolean
  /** Of the beginning of a pause: the name of whose doing it is. */
  pausedBy?: string | null
  /** Of the end of a pause: everything was put off. */
  putOff?: boolean
  /** Of the end of a pause: mail that was due so many milliseconds before is not sent any more. */
  dropAfterMs?: number
  stopped?: boolean
  deleted?: boolean
}

export async function setSwitches(tx: Queryable, key: AutomationKey, switches: Switches): Promise<AutomationRow> {
  const { entryOpen, publishedVersion, paused, pausedBy, putOff, dropAfterMs, stopped, deleted } = switches
  const { rows } = await tx.query<AutomationRow>({
    name: 'set_automation_switches',
    text: `update automations a set updated_at = now(), entry_open = coalesce($3, a.entry_open),
        published_version = coalesce($4, a.published_version), draft_changed = a.draft_changed and $4::int is null,
        paused_at = case when $5::boolean is null and not $7 then a.paused_at when $5 then postroom_clock() end,
        paused_by = case when $5::boolean is null and not $7 then a.paused_by when $5 then $10::text end,
        halted_nodes = case when $4::int is null then a.halted_nodes else '{}' end,
        mail_from = coalesce(postroom_clock() - make_interval(secs => $9::float8 / 1000), a.mail_from),
        resumed_at = case when $6 then postroom_clock() else a.resumed_at end,
        stopped_at = case when $7 then coalesce(a.stopped_at, now()) else a.stopped_at end,
        deleted_at = case when $8 then now() else a.deleted_at end
      where a.workspace_id = $1 and a.id = $2 returning ${COLUMNS}`,
    values: [
      ...[key.workspaceId, key.id, entryOpen ?? null, publishedVersion ?? null, paused ?? null],
      ...[putOff ?? false, stopped ?? false, deleted ?? false, dropAfterMs ?? null, pausedBy ?? null],
    ],
  })
  return rows[0]!
}
