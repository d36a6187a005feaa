import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'

/** Forms of a workspace. */
export const FORMS_MAX = 500

/** `content` is JSON. */
export type FormRow = {
  id: string
  key: string
  version: number
  content: string
  createdAt: string
  updatedAt: string
}
export type VersionRow = Pick<FormRow, 'version' | 'content' | 'createdAt'>

const FORM = 'f.id, f.key, f.version, f.content, f.created_at as "createdAt", f.updated_at as "updatedAt"'

export function formByIdStatement(workspaceId: string, id: string): Statement<FormRow> {
  return {
    name: 'form_by_id',
    text: `select ${FORM} from forms f where f.workspace_id = $1 and f.id = $2 and f.deleted_at is null`,
    values: [workspaceId, id],
  }
}

/** For the system's own scope: the key is all that a browser tells. */
export function formByKeyStatement(key: string): Statement<FormRow & { workspaceId: string }> {
  return {
    name: 'form_by_key',
    text: `select f.workspace_id as "workspaceId", ${FORM} from forms f where f.key = $1 and f.deleted_at is null`,
    values: [key],
  }
}

export function formsPageStatement(workspaceId: string, page: PageQuery): Statement<FormRow> {
  return {
    name: 'forms_page',
    text: `select ${FORM} from forms f where f.workspace_id = $1 and f.deleted_at is null order by f.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

/** Counted: they are FORMS_MAX at most. */
export function formsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'forms_total',
    text: 'select count(*) as total from forms where workspace_id = $1 and deleted_at is null',
    values: [workspaceId],
  }
}

export async function formForChange(tx: Queryable, workspaceId: string, id: string): Promise<FormRow | undefined> {
  const { text, values } = formByIdStatement(workspaceId, id)
  const { rows } = await tx.query<FormRow>({ name: 'form_for_change', text: `${text} for update`, values })
  return rows[0]
}

/** Has the form not deleted until the transaction ends; false when it is, or is gone. */
export async function holdForm(tx: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'hold_form',
    text: 'select from forms where workspace_id = $1 and id = $2 and deleted_at is null for key share',
    values: [workspaceId, id],
  })
  return rowCount === 1
}

/** Undefined when the workspace has FORMS_MAX already; two who add one at once may go one beyond it. */
export async function insertForm(
  tx: Queryable,
  workspaceId: string,
  form: { key: string; content: string },
): Promise<FormRow | undefined> {
  const { rows } = await tx.query<FormRow>({
    name: 'insert_form',
    text: `with made as (
        insert into forms as f (workspace_id, key, content)
        select $1, $2, $3 where (select count(*) from forms where workspace_id = $1 and deleted_at is null) < ${FORMS_MAX}
        returning *
      ), versioned as (
        insert into form_versions (workspace_id, form_id, version, content)
        select workspace_id, id, version, content from made
      ) select ${FORM} from made f`,
    values: [workspaceId, form.key, form.content],
  })
  return rows[0]
}

/** All of them, FORMS_MAX at most, as they are until the transaction ends. */
export async function formsForRename(tx: Queryable, workspaceId: string): Promise<Pick<FormRow, 'id' | 'content'>[]> {
  const { rows } = await tx.query<Pick<FormRow, 'id' | 'content'>>({
    name: 'forms_for_rename',
    text: `select id, content from forms where workspace_id = $1 and deleted_at is null order by id for no key update`,
    values: [workspaceId],
  })
  return rows
}

/** Makes one more version of forms. */
export async function updateFormRows(
  tx: Queryable,
  workspaceId: string,
  forms: readonly { id: string; content: string }[],
): Promise<FormRow[]> {
  const { rows } = await tx.query<FormRow>({
    name: 'update_forms',
    text: `with made as (
        update forms f set content = given.content::json, version = f.version + 1, updated_at = now()
        from unnest($2::int8[], $3::text[]) as given (id, content)
        where f.workspace_id = $1 and f.id = given.id returning f.*
      ), versioned as (
        insert into form_versions (workspace_id, form_id, version, content)
        select workspace_id, id, version, content from made
      ) select ${FORM} from made f order by f.id`,
    values: [workspaceId, int8Array(forms.map(({ id }) => id)), textArray(forms.map(({ content }) => content))],
  })
  return rows
}

/** Takes a form away from everybody; the job `drop_form` deletes it. */
export async function markFormDeleted(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'mark_form_deleted',
    text: 'update forms set deleted_at = now() where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

type VersionsOf = { workspaceId: string; formId: string }

/** The newest first. The total is the number of the newest. */
export function versionsPageStatement({ workspaceId, formId }: VersionsOf, page: PageQuery): Statement<VersionRow> {
  return {
    name: 'form_versions_page',
    text: `select version, content, created_at as "createdAt" from form_versions
      where workspace_id = $1 and form_id = $2 order by version desc limit $3 offset $4`,
    values: [workspaceId, formId, page.pageSize, rowsBefore(page)],
  }
}

export async function contentOfVersion(
  db: Queryable,
  workspaceId: string,
  { formId, version }: { formId: string; version: number },
): Promise<string | undefined> {
  const { rows } = await db.query<{ content: string }>({
    name: 'content_of_form_version',
    text: 'select content from form_versions where workspace_id = $1 and form_id = $2 and version = $3',
    values: [workspaceId, formId, version],
  })
  return rows[0]?.content
}
