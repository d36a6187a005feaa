import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type PageQuery, page } from '../../platform/schema/paging.ts'
import { readContact } from '../contacts/read-contact.ts'
import { mergesIntoStatement, mergesTotalStatement } from './queries.ts'

/** A page of what became part of a contact. Throws 404. */
export async function listMerges(sql: pg.Pool, workspaceId: string, query: PageQuery & { contactId: string }) {
  const { contactId } = query
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, mergesIntoStatement(workspaceId, contactId, query)),
    queryInScope(sql, workspaceId, mergesTotalStatement(workspaceId, contactId)),
    readContact(sql, workspaceId, contactId),
  ])
  return page(query, Number(totals[0]?.total ?? 0), items)
}
