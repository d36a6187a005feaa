import type { Statement } from '../../platform/db/statement.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'

export type TagRow = { id: string; name: string; createdAt: string }
/** A row of a page beside the exact total; past the end of a list there is one row, with the total alone. */
export type ListedTag = { total: string } & ({ [field in keyof TagRow]: null } | TagRow)

const COLUMNS = 'id, name, created_at as "createdAt"'
const CONTACT_COUNT = `(select coalesce(sum(k.total), 0)::bigint from tag_counts k
  where k.workspace_id = $1 and k.tag_id = t.id) as "contactCount"`

/** A page of the tags by name. Total and page are of one moment. */
export function tagsPageStatement(
  workspaceId: string,
  page: PageQuery,
): Statement<ListedTag & { contactCount: string }> {
  return {
    name: 'tags_page',
    text: `select counted.total, t.*, ${CONTACT_COUNT} from
        (select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'tags') counted
      left join lateral (
        select ${COLUMNS} from tags where workspace_id = $1 order by name collate "C", id limit $2 offset $3) t on true
      order by t.name collate "C", t.id`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

/** The same of tags with the text in their names. Reads the names of all of the workspace's tags, and nothing else. */
export function searchedTagsPageStatement(
  workspaceId: string,
  search: string,
  page: PageQuery,
): Statement<ListedTag & { contactCount: string }> {
  return {
    name: 'tags_searched_page',
    text: `with found as materialized (
        select ${COLUMNS} from tags where workspace_id = $1 and strpos(folded_name, lower($4::text)) > 0)
      select (select count(*) from found) as total, t.*, ${CONTACT_COUNT} from (select) once
      left join (select * from found order by name collate "C", id limit $2 offset $3) t on true
      order by t.name collate "C", t.id`,
    values: [workspaceId, page.pageSize, rowsBefore(page), search],
  }
}

/** The same of the tags that a contact has. No row at all when there is no such contact. */
export function contactTagsPageStatement(
  workspaceId: string,
  contactId: string,
  page: PageQuery,
): Statement<ListedTag> {
  return {
    name: 'contact_tags_page',
    text: `with held as materialized (
        select t.id, t.name, t.created_at as "createdAt" from contact_tags h
        join tags t on t.workspace_id = $1 and t.id = h.tag_id
        where h.workspace_id = $1 and h.contact_id = $4)
      select (select count(*) from held) as total, t.* from contacts c
      left join (select * from held order by name collate "C", id limit $2 offset $3) t on true
      where c.workspace_id = $1 and c.id = $4
      order by t.name collate "C", t.id`,
    values: [workspaceId, page.pageSize, rowsBefore(page), contactId],
  }
}

export function tagByIdStatement(workspaceId: string, id: string): Statement<TagRow> {
  return {
    name: 'tag_by_id',
    text: `select ${COLUMNS} from tags where workspace_id = $1 and id = $2`,
    values: [workspaceId, id],
  }
}

/** How many contacts have a tag; no row when there is no such tag. */
export function tagCountStatement(workspaceId: string, id: string): Statement<{ contactCount: string }> {
  return {
    name: 'tag_count',
    text: `select ${CONTACT_COUNT} from tags t where t.workspace_id = $1 and t.id = $2`,
    values: [workspaceId, id],
  }
}

/** The row, locked until the transaction ends, so that two changes of one tag follow each other. */
export async function tagForChange(tx: Transaction, workspaceId: string, id: string): Promise<TagRow | undefined> {
  const { rows } = await tx.query<TagRow>({
    name: 'tag_for_change',
    text: `select ${COLUMNS} from tags where workspace_id = $1 and id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** Fails on `tags_name_taken`. */
export async function insertTag(tx: Transaction, workspaceId: string, name: string): Promise<TagRow> {
  const { rows } = await tx.query<TagRow>({
    name: 'insert_tag',
    text: `insert into tags (workspace_id, name) values ($1, $2) returning ${COLUMNS}`,
    values: [workspaceId, name],
  })
  return rows[0]!
}

/** Fails on `tags_name_taken`. */
export async function renameTagRow(
  tx: Transaction,
  key: { workspaceId: string; id: string },
  name: string,
): Promise<TagRow> {
  const { rows } = await tx.query<TagRow>({
    name: 'rename_tag',
    text: `update tags set name = $3, updated_at = now() where workspace_id = $1 and id = $2 returning ${COLUMNS}`,
    values: [key.workspaceId, key.id, name],
  })
  return rows[0]!
}

export async function deleteTagRow(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_tag',
    text: 'delete from tags where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** Holds a contact until the transaction ends: changed it may be, erased not. False when there is none. */
export async function holdContact(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'hold_contact',
    text: 'select from contacts where workspace_id = $1 and id = $2 for key share',
    values: [workspaceId, id],
  })
  return rows.length > 0
}
