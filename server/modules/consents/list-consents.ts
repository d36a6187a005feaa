import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { readContact } from '../contacts/read-contact.ts'
import type { ConsentEntry } from './schemas.ts'

/** A page of a contact's consent history, newest first. Throws 404. */
export async function listConsents(
  sql: pg.Pool,
  workspaceId: string,
  { contactId, ...page }: PageQuery & { contactId: string },
): Promise<{ items: ConsentEntry[]; total: number }> {
  const [, items, totals] = await Promise.all([
    readContact(sql, workspaceId, contactId),
    queryInScope<ConsentEntry>(sql, workspaceId, {
      name: 'consent_changes_page',
      text: `select c.id, c.at, c.change, c.sending_source as "sendingSource", c.by_whom as "byWhom", host(c.ip) as ip,
          c.message_id as "messageId", c.import_id as "importId", c.form_id as "formId", f.content->>'name' as "formName", c.wording
        from consent_changes c
        left join forms f on f.workspace_id = $1 and f.id = c.form_id and f.deleted_at is null
        where c.workspace_id = $1 and c.contact_id = $2 order by c.id desc limit $3 offset $4`,
      values: [workspaceId, contactId, page.pageSize, rowsBefore(page)],
    }),
    queryInScope<{ total: string }>(sql, workspaceId, {
      name: 'consent_changes_total',
      text: 'select count(*) as total from consent_changes where workspace_id = $1 and contact_id = $2',
      values: [workspaceId, contactId],
    }),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}
