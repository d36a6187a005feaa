import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { type FormDeps, readForm } from './manage-forms.ts'
import type { FormSubmission } from './schemas.ts'

type Asked = PageQuery & { id: string; state?: FormSubmission['state'] | undefined }

/** A page of a form's submissions, the newest first. Throws 404. */
export async function listSubmissions(
  deps: FormDeps,
  workspaceId: string,
  { id, state, ...page }: Asked,
): Promise<{ items: FormSubmission[]; total: number }> {
  const [, items, total] = await Promise.all([
    readForm(deps, workspaceId, id),
    queryInScope<FormSubmission>(deps.sql, workspaceId, {
      name: 'form_submissions_page',
      text: `select id, state, reason, version, contact_id as "contactId", message_id as "messageId", origin, ip::text as ip,
          created_at as "createdAt", confirmed_at as "confirmedAt"
        from form_submissions where workspace_id = $1 and form_id = $2 and ($3::text is null or state = $3)
        order by id desc limit $4 offset $5`,
      values: [workspaceId, id, state ?? null, page.pageSize, rowsBefore(page)],
    }),
    totalOf(deps.sql, workspaceId, { id, state }),
  ])
  return { items, total }
}

async function totalOf(sql: pg.Pool, workspaceId: string, { id, state }: Pick<Asked, 'id' | 'state'>): Promise<number> {
  const [row] = await queryInScope<{ total: string }>(sql, workspaceId, {
    name: 'form_submissions_total',
    text: `select count(*) as total from form_submissions
      where workspace_id = $1 and form_id = $2 and ($3::text is null or state = $3)`,
    values: [workspaceId, id, state ?? null],
  })
  return Number(row?.total ?? 0)
}
