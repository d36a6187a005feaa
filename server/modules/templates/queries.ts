import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { TemplateSource } from './compile-template.ts'
import type { Template, TemplateSummary, TemplateVersion, VersionSummary } from './schemas.ts'

const NAMED = `t.id, t.name, t.key`
const TIMES = `t.version, t.created_at as "createdAt", t.updated_at as "updatedAt"`
const CURRENT = `templates t join template_versions v
  on v.workspace_id = t.workspace_id and v.template_id = t.id and v.version = t.version`

export function templateByIdStatement(workspaceId: string, id: string): Statement<Template> {
  return {
    name: 'template_by_id',
    text: `select ${NAMED}, v.subject, v.body, v.text, ${TIMES} from ${CURRENT} where t.workspace_id = $1 and t.id = $2`,
    values: [workspaceId, id],
  }
}

/** Without `search` all of them; it is looked for in the name, whatever its case. */
export function templatesPageStatement(
  workspaceId: string,
  search: string | null,
  page: PageQuery,
): Statement<TemplateSummary> {
  return {
    name: 'templates_page',
    text: `select ${NAMED}, v.subject, ${TIMES} from ${CURRENT}
      where t.workspace_id = $1 and ($2::text is null or strpos(lower(t.name), lower($2)) > 0)
      order by t.id limit $3 offset $4`,
    values: [workspaceId, search, page.pageSize, rowsBefore(page)],
  }
}

export function templatesTotalStatement(workspaceId: string, search: string | null): Statement<{ total: string }> {
  if (search === null) {
    return {
      name: 'templates_total',
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'templates'`,
      values: [workspaceId],
    }
  }
  return {
    name: 'templates_found',
    text: `select count(*) as total from templates where workspace_id = $1 and strpos(lower(name), lower($2)) > 0`,
    values: [workspaceId, search],
  }
}

/** Newest first. No rows for a template that is not there: it has at least one version. */
export function versionsPageStatement(
  workspaceId: string,
  templateId: string,
  page: PageQuery,
): Statement<VersionSummary> {
  return {
    name: 'template_versions_page',
    text: `select v.version, v.subject, v.created_at as "createdAt"
      from template_versions v join templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
      where v.workspace_id = $1 and v.template_id = $2 order by v.version desc limit $3 offset $4`,
    values: [workspaceId, templateId, page.pageSize, rowsBefore(page)],
  }
}

export function versionsTotalStatement(workspaceId: string, templateId: string): Statement<{ total: string }> {
  return {
    name: 'template_versions_total',
    text: `select count(*) as total from template_versions v
      join templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
      where v.workspace_id = $1 and v.template_id = $2`,
    values: [workspaceId, templateId],
  }
}

/** `version` in decimal, as a path has it. */
export function versionOfStatement(
  workspaceId: string,
  templateId: string,
  version: string,
): Statement<TemplateVersion> {
  return {
    name: 'template_version',
    text: `select v.version, v.subject, v.body, v.text, v.created_at as "createdAt"
      from template_versions v join templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
      where v.workspace_id = $1 and v.template_id = $2 and v.version = $3::int8`,
    values: [workspaceId, templateId, version],
  }
}

/** As it is once nobody else changes it: the row is locked before it and its version are read. */
export async function templateForChange(tx: Queryable, workspaceId: string, id: string): Promise<Template | undefined> {
  const locked = tx.query({
    name: 'lock_template',
    text: 'select 1 from templates where workspace_id = $1 and id = $2 for update',
    values: [workspaceId, id],
  })
  const [, { rows }] = await Promise.all([locked, tx.query(templateByIdStatement(workspaceId, id))])
  return rows[0]
}

type NewTemplate = TemplateSource & { workspaceId: string; name: string; key: string | null }

export async function insertTemplate(tx: Queryable, row: NewTemplate): Promise<Template> {
  const { rows } = await tx.query<Template>({
    name: 'insert_template',
    text: `with t as (
        insert into templates (workspace_id, name, key) values ($1, $2, $6) returning *
      ), v as (
        insert into template_versions (workspace_id, template_id, version, subject, body, text)
        select workspace_id, id, version, $3, $4, $5 from t returning subject, body, text
      )
      select ${NAMED}, v.subject, v.body, v.text, ${TIMES} from t, v`,
    values: [row.workspaceId, row.name, row.subject, row.body, row.text, row.key],
  })
  return rows[0]!
}

type ChangedTemplate = NewTemplate & { id: string; version: number }

/** A version that is the one in force already stays as it is; another is added, and replaces it. */
export async function updateTemplateRow(tx: Queryable, row: ChangedTemplate): Promise<Template> {
  const { rows } = await tx.query<Template>({
    name: 'update_template',
    text: `with t as (
        update templates set name = $3, version = $4, key = $8, updated_at = now()
        where workspace_id = $1 and id = $2 returning *
      ), replaced as (
        update template_versions set replaced_at = now()
        where workspace_id = $1 and template_id = $2 and version < $4 and replaced_at is null
      ), added as (
        insert into template_versions (workspace_id, template_id, version, subject, body, text)
        values ($1, $2, $4, $5, $6, $7) on conflict do nothing
      )
      select ${NAMED}, $5::text as subject, $6::text as body, $7::text as text, ${TIMES} from t`,
    values: [row.workspaceId, row.id, row.name, row.version, row.subject, row.body, row.text, row.key],
  })
  return rows[0]!
}

/** Its versions stay for what was accepted with them, until `forgetVersions`. */
export async function deleteTemplateRow(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_template',
    text: `with gone as (delete from templates where workspace_id = $1 and id = $2)
      update template_versions set replaced_at = now()
      where workspace_id = $1 and template_id = $2 and replaced_at is null`,
    values: [workspaceId, id],
  })
}

export async function currentVersions(
  tx: Queryable,
  workspaceId: string,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
) {
  const { rows } = await tx.query<{ id: string; version: number; key: string | null }>({
    name: 'current_template_versions',
    text: `select id, version, key from templates
      where workspace_id = $1 and (id = any($2::int8[]) or key = any($3::text[]))`,
    values: [workspaceId, int8Array(ids), textArray(keys)],
  })
  return rows
}

export async function sourcesOf(
  tx: Queryable,
  workspaceId: string,
  wanted: readonly { id: string; version: number }[],
) {
  const { rows } = await tx.query<TemplateSource & { id: string; version: number }>({
    name: 'template_sources',
    text: `select v.template_id as id, v.version, v.subject, v.body, v.text
      from template_versions v
      join (select distinct id, version from unnest($2::int8[], $3::int8[]) as given (id, version)) wanted
        on v.template_id = wanted.id and v.version = wanted.version
      where v.workspace_id = $1`,
    values: [
      workspaceId,
      int8Array(wanted.map(({ id }) => id)),
      int8Array(wanted.map(({ version }) => String(version))),
    ],
  })
  return rows
}

/** Of every workspace: versions nobody can want any more. Answers how many went. */
export async function deleteOldVersions(
  tx: Queryable,
  { retentionDays, newestKept, limit }: { retentionDays: number; newestKept: number; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete_old_template_versions',
    text: `delete from template_versions v using (
        select o.workspace_id, o.template_id, o.version from template_versions o
        left join templates t on t.workspace_id = o.workspace_id and t.id = o.template_id
        where o.replaced_at < now() - make_interval(days => $1) and (t.id is null or o.version <= t.version - $2)
          -- A version that an automation mails stays: people may come in tomorrow.
          and not exists (
            select from automation_versions d join automations a on a.workspace_id = d.workspace_id and a.id = d.automation_id
            where d.workspace_id = o.workspace_id and a.stopped_at is null and strpos(d.definition, '"id":"' || o.template_id || '"') > 0
              and jsonb_path_exists(d.definition::jsonb, '$.nodes.*.template ? (@.id == $id && @.version == $version)',
                jsonb_build_object('id', o.template_id::text, 'version', o.version)))
        order by o.replaced_at limit $3) old
      where v.workspace_id = old.workspace_id and v.template_id = old.template_id and v.version = old.version`,
    values: [retentionDays, newestKept, limit],
  })
  return rowCount ?? 0
}
