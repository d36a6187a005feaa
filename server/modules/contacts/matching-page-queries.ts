import { type RawBuilder, sql } from 'kysely'
import type { Statement } from '../../platform/db/statement.ts'
import { rowsBefore } from '../../platform/schema/paging.ts'
import { type ContactIds, compiled, id, inEverySet, type ListedRow, orderOf, type SortedPage } from './list-queries.ts'
import { SHOWN_COLUMNS } from './queries.ts'

type Matching = {
  /** The contacts of the page are in every one of these. */
  sets: readonly ContactIds[]
  /** Whether each of them tells quickly of one contact, by its key, whether it is in it. */
  byKey: boolean
}

/**
 * A page of the contacts that are in every one of the sets, with their exact number. The sets are gathered once, and both
 * counted and paged: the cost is that of what matches. In another order than that of the id every one found is fetched for
 * what it is sorted by, unless the page can be walked to.
 */
export function matchingPageStatement(
  workspaceId: string,
  { sets, byKey }: Matching,
  query: SortedPage,
): Statement<ListedRow> {
  const order = orderOf(query.sort)
  const page =
    order.keys.length === 1
      ? sql`page as (${pageOf(sql`found`, query)})`
      : byKey
        ? walkedPage(workspaceId, sets, query)
        : sql`page as (${pageOf(fetched(workspaceId, order.keys), query)})`
  return compiled(sql`with found as materialized (${inEverySet(workspaceId, sets)}), ${page}
    select (select count(*) from found) as total, c.* from (select) once left join (
      page cross join lateral (
        select ${sql.raw(SHOWN_COLUMNS)} from contacts c
        where c.workspace_id = ${id(workspaceId)} and c.id = page.id offset 0) c
    ) on true order by ${sql.raw(order.answered)}`)
}

function pageOf(from: RawBuilder<unknown>, { sort, ...page }: SortedPage): RawBuilder<unknown> {
  const order = sql.raw(orderOf(sort).by('there'))
  return sql`select id from ${from} order by ${order} limit ${page.pageSize} offset ${rowsBefore(page)}`
}

function fetched(workspaceId: string, keys: readonly string[], only = sql`true`): RawBuilder<unknown> {
  return sql`(select ${sql.raw(keys.map((key) => `c.${key}`).join(', '))} from found
    join contacts c on c.workspace_id = ${id(workspaceId)} and c.id = found.id where ${only}) found`
}

/** Its index has contacts without an email in no order: where there are so many, nothing that begins with them is walked to. */
const WITHOUT_EMAIL_MAX = 1_000
/** A walk reads so many times fewer contacts at most than match: each costs twice what one does that is fetched. */
const PART = 16
/** And is begun where so many times those are enough that it takes if the ones who match are spread evenly. */
const ROOM = 2

/**
 * `page` where many match: contacts are read in order, from an index, and each is looked up in the sets, until there is a
 * page. One that is not found so, as those who match stand together, is fetched and sorted, 13 to 63 % later than at once.
 * Of 1,000,000 contacts 200,000 with a tag, by email: 0.2 s instead of 3.4; 200,000 found by a search 1.3 instead of 6.1,
 * with nothing in memory 1.0 instead of 2.6 to 7.2; all of it beside other work.
 */
function walkedPage(workspaceId: string, sets: readonly ContactIds[], query: SortedPage): RawBuilder<unknown> {
  const order = orderOf(query.sort)
  const [keys, by] = [sql.raw(order.keys.join(', ')), sql.raw(order.by('there'))]
  const last = rowsBefore(query) + query.pageSize
  const contacts = sql`from contacts where workspace_id = ${id(workspaceId)}`
  const few = sql`(select count(*) from (select ${contacts} and email is null limit ${WITHOUT_EMAIL_MAX}) first) < ${WITHOUT_EMAIL_MAX}`
  const inOrder = { email: sql`email is not null`, '-email': few, updatedAt: sql`true`, '-updatedAt': sql`true` }
  const isFull = sql`(select count(*) from walked) = ${last}`
  return sql`reach as materialized (
      select total / ${sql.lit(PART)} as most,
        ${sql.lit(ROOM)} * least(${last}, total) * everybody / greatest(1, total) <= total / ${sql.lit(PART)} as pays
      from (select count(*) as total from found) found, (
        select coalesce(sum(total), 0)::bigint as everybody from row_counts
        where workspace_id = ${id(workspaceId)} and relation = 'contacts') counted),
    walked as materialized (
      select ${keys} from (
        select ${keys} ${contacts} and (select pays from reach) and ${inOrder[query.sort as keyof typeof inOrder]}
        order by ${by} limit (select most from reach)) walk
      cross join lateral (select from (${inEverySet(workspaceId, sets)}) hit where hit.id = walk.id offset 0) hit
      order by ${by} limit ${last}),
    page as (
      (select id from walked where ${isFull} order by ${by} offset ${rowsBefore(query)})
      union all
      (${pageOf(fetched(workspaceId, order.keys, sql`not ${isFull}`), query)}))`
}
