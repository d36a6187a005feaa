import type { Statement } from '../../platform/db/statement.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { type FormDeps, readForm } from './manage-forms.ts'
import type { FormSubmission } from './schemas.ts'

type Asked = PageQuery & { id: string; state?: FormSubmission['state'] | undefined }

/** A page of a form's submissions, the newest first. Throws 404. */
export async function listSubmissions(
  deps: FormDeps,
  workspaceId: string,
  asked: Asked,
): Promise<{ items: FormSubmission[]; total: number }> {
  const [, items, [sum]] = await Promise.all([
    readForm(deps, workspaceId, asked.id),
    queryInScope(deps.sql, workspaceId, submissionsPageStatement(workspaceId, asked)),
    queryInScope(deps.sql, workspaceId, submissionsTotalStatement(workspaceId, asked)),
  ])
  return { items, total: Number(sum?.total ?? 0) }
}

/** Those of a state are asked for by a statement of its own, whose plan goes by `form_submissions_by_state` from the state on. */
export function submissionsPageStatement(
  workspaceId: string,
  { id, state, ...page }: Asked,
): Statement<FormSubmission> {
  const [name, filter, filters] = filterOf(state)
  return {
    name: `form_submissions_page${name}`,
    text: `select id, state, reason, version, contact_id as "contactId", message_id as "messageId", origin, ip::text as ip,
        created_at as "createdAt", confirmed_at as "confirmedAt"
      from form_submissions where workspace_id = $1 and form_id = $2${filter}
      order by id desc limit $${filters.length + 3} offset $${filters.length + 4}`,
    values: [workspaceId, id, ...filters, page.pageSize, rowsBefore(page)],
  }
}

export function submissionsTotalStatement(
  workspaceId: string,
  { id, state }: Pick<Asked, 'id' | 'state'>,
): Statement<{ total: string }> {
  const [name, filter, filters] = filterOf(state)
  return {
    name: `form_submissions_total${name}`,
    text: `select count(*) as total from form_submissions where workspace_id = $1 and form_id = $2${filter}`,
    values: [workspaceId, id, ...filters],
  }
}

const filterOf = (state: Asked['state']): [name: string, filter: string, values: string[]] =>
  state === undefined ? ['', '', []] : ['_of_state', ' and state = $3', [state]]
