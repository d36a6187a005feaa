import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import {
  contactTagsPageStatement,
  type ListedTag,
  searchedTagsPageStatement,
  type TagRow,
  tagByIdStatement,
  tagCountStatement,
  tagsPageStatement,
} from './tag-queries.ts'

/** A page of the tags by name (code point by code point), each with the number of its contacts, and their total. */
export async function listTags(sql: pg.Pool, workspaceId: string, query: PageQuery & { search?: string }) {
  const search = query.search?.trim() ?? ''
  const statement =
    search === '' ? tagsPageStatement(workspaceId, query) : searchedTagsPageStatement(workspaceId, search, query)
  const rows = await queryInScope(sql, workspaceId, statement)
  const { items, total } = pageIn(rows)
  return { total, items: items.map((row) => ({ ...row, contactCount: Number(row.contactCount) })) }
}

/** A page of a contact's tags by name. Throws 404 for a contact that is not in the workspace. */
export async function listContactTags(
  sql: pg.Pool,
  workspaceId: string,
  { contactId, ...page }: PageQuery & { contactId: string },
) {
  const rows = await queryInScope(sql, workspaceId, contactTagsPageStatement(workspaceId, contactId, page))
  if (rows.length === 0) throw notFound()
  return pageIn(rows)
}

function pageIn<R extends ListedTag>(rows: readonly R[]) {
  const items = rows.filter((row): row is R & TagRow => row.id !== null).map(({ total: _, ...row }) => row)
  return { items, total: Number(rows[0]?.total ?? 0) }
}

/** Throws 404 for a tag that is not in the workspace. */
export async function readTag(sql: pg.Pool, workspaceId: string, id: string): Promise<TagRow> {
  const [row] = await queryInScope(sql, workspaceId, tagByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return row
}

/** How many contacts have the tag, exactly. Throws 404. */
export async function countTagged(sql: pg.Pool, workspaceId: string, id: string): Promise<{ contactCount: number }> {
  const [row] = await queryInScope(sql, workspaceId, tagCountStatement(workspaceId, id))
  if (!row) throw notFound()
  return { contactCount: Number(row.contactCount) }
}
