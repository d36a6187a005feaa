import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { type PageQuery, rowsBefore } from '../../../platform/schema/paging.ts'
import type { Actor } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Automation, Revision, RevisionSummary } from '../schemas.ts'
import { automationOf } from './automation-of.ts'
import { diffDefinitions, type Written } from './diff-definitions.ts'
import { type DefinitionDeps, updateAutomation } from './manage-automations.ts'
import { type AutomationKey, type AutomationRow, automationByIdStatement } from './queries.ts'

type SummaryRow = Omit<RevisionSummary, 'by'> & {
  kind: Actor['kind'] | null
  actorId: string | null
  actorName: string | null
}
type Row = SummaryRow & Pick<AutomationRow, 'draft' | 'steps' | 'scenarios'>

const SUMMARY = `revision, actor_kind as kind, actor_id as "actorId", actor_name as "actorName",
  restored_from as "restoredFrom", begun_at as "begunAt", saved_at as "savedAt"`

/** The revisions of a draft, newest first. Throws 404. */
export async function readRevisions(
  sql: pg.Pool,
  key: AutomationKey,
  page: PageQuery,
): Promise<{ items: RevisionSummary[]; total: number }> {
  await automationNow(sql, key)
  const rows = await queryInScope<SummaryRow>(sql, key.workspaceId, {
    name: 'automation_revisions_page',
    text: `select ${SUMMARY} from automation_revisions where workspace_id = $1 and automation_id = $2
      order by revision desc limit $3 offset $4`,
    values: [key.workspaceId, key.id, page.pageSize, rowsBefore(page)],
  })
  const [counted] = await queryInScope<{ total: string }>(sql, key.workspaceId, {
    name: 'automation_revisions_total',
    text: 'select count(*) as total from automation_revisions where workspace_id = $1 and automation_id = $2',
    values: [key.workspaceId, key.id],
  })
  return { items: rows.map(summaryOf), total: Number(counted!.total) }
}

/** One revision, with what the draft has become since. Throws 404. */
export async function readRevision(sql: pg.Pool, key: AutomationKey, revision: string): Promise<Revision> {
  const now = await automationNow(sql, key)
  const row = await revisionOf(sql, key, revision)
  const [was, is] = [row.draft, now.draft].map((draft) => parseExactJson(draft) as Written) as [Written, Written]
  return {
    ...summaryOf(row),
    definition: was,
    scenarios: parseExactJson(row.scenarios) as Revision['scenarios'],
    since: { ...diffDefinitions(was, is), scenarios: row.scenarios !== now.scenarios },
  }
}

type Restoring = { id: string; revision: string; ifMatch?: string | undefined }

/** Brings a revision back as the draft, which becomes a revision of its own. Throws 404, 409, 412, and 422 as changing does. */
export async function restoreRevision(
  deps: DefinitionDeps,
  caller: Caller,
  { id, revision, ifMatch }: Restoring,
): Promise<Automation> {
  const key = { workspaceId: caller.workspaceId, id }
  const row = await revisionOf(deps.sql, key, revision)
  const { triggerEvent, steps, definition, scenarios } = automationOf({
    ...(await automationNow(deps.sql, key)),
    ...row,
  })
  const form = steps === null || triggerEvent === null ? { definition } : { triggerEvent, steps }
  return updateAutomation(deps, caller, {
    ...{ id, ifMatch, restoredFrom: row.revision },
    change: { ...form, scenarios } as Parameters<typeof updateAutomation>[2]['change'],
  })
}

async function automationNow(sql: pg.Pool, key: AutomationKey): Promise<AutomationRow> {
  const [row] = await queryInScope(sql, key.workspaceId, automationByIdStatement(key))
  if (!row) throw notFound()
  return row
}

/** Its number in decimal, as a path has it. */
async function revisionOf(sql: pg.Pool, key: AutomationKey, revision: string): Promise<Row> {
  const [row] = await queryInScope<Row>(sql, key.workspaceId, {
    name: 'automation_revision',
    text: `select ${SUMMARY}, draft, steps, scenarios from automation_revisions
      where workspace_id = $1 and automation_id = $2 and revision = $3::int8`,
    values: [key.workspaceId, key.id, revision],
  })
  if (!row) throw notFound()
  return row
}

const summaryOf = ({
  revision,
  kind,
  actorId,
  actorName,
  restoredFrom,
  begunAt,
  savedAt,
}: SummaryRow): RevisionSummary => ({
  ...{ revision, begunAt, savedAt, restoredFrom },
  by: kind === null ? null : { kind, id: actorId, name: actorName },
})
