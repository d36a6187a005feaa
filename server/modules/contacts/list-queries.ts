import { type RawBuilder, sql } from 'kysely'
import { createQueryBuilder, statementOf } from '../../platform/db/query-builder.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import { SHOWN_COLUMNS, type ShownRow } from './queries.ts'
import type { ContactSort } from './schemas.ts'

/** A row of a page beside the exact total; past the end of a list there is one row, with the total alone. */
export type ListedRow = { total: string } & ({ [field in keyof ShownRow]: null } | ShownRow)

/** The ids of some contacts of the workspace, as a sub-query of one column `id`. */
export type ContactIds = RawBuilder<unknown>

/** Contacts behind one id, up to another. */
export type IdStretch = { after: string; to: string }

/**
 * Said of each set that contacts are found by: the server derives it for none of them from what is asked of the contact.
 */
function inStretch(column: string, stretch: IdStretch | undefined): RawBuilder<unknown> {
  if (stretch === undefined) return sql`true`
  return sql`${sql.ref(column)} > ${id(stretch.after)} and ${sql.ref(column)} <= ${id(stretch.to)}`
}

export type SortedPage = PageQuery & { sort: ContactSort }

/** Columns beside the id by which a list is in order, as table and answer name them. */
const SORT_KEYS = { id: [], updatedAt: [['updated_at', 'updatedAt']], email: [['email', 'email']] } as const

type Order = { keys: string[]; by: (direction: 'there' | 'back') => string; answered: string }

/** Contacts without an email come last, and first the other way round: each order is an index read from one of its ends. */
export function orderOf(sort: ContactSort, id = 'id'): Order {
  const name = sort.replace('-', '') as keyof typeof SORT_KEYS
  const [there, back] = sort.startsWith('-') ? ['desc', 'asc'] : ['asc', 'desc']
  const keys = [...SORT_KEYS[name].map(([column]) => column), id]
  return {
    keys,
    by: (direction) => keys.map((key) => `${key} ${direction === 'there' ? there : back}`).join(', '),
    answered: [...SORT_KEYS[name].map(([, field]) => `c."${field}"`), 'c.id']
      .map((key) => `${key} ${there}`)
      .join(', '),
  }
}

const build = createQueryBuilder<Record<string, never>>()
export const compiled = (query: RawBuilder<unknown>) => statementOf({ compile: () => query.compile(build) })
export const id = (value: string) => sql`cast(${value} as bigint)`

/**
 * A page of a list that is in order in an index, and whose total is kept. Total and page are of one snapshot, so what
 * lies in the second half is walked to from the end. Of 1,000,000 contacts, 25 a page, with its transaction: page 1,000
 * takes 2.8 ms (a bare SELECT 2.6 ms), the last one 0.9 ms, the one in the middle 97 ms.
 * The page's rows are fetched one by one by their key (`lateral … offset 0`): the planner does not know how few they are.
 */
function orderedPage(list: { total: string; ids: string; key: string }, sort: ContactSort): string {
  const order = orderOf(sort, list.key)
  return `with counted as materialized (${list.total}),
    bounds as materialized (
      select total, $3::bigint > total / 2 as backwards, greatest(0, total - $3::bigint - $2::bigint) as after,
        greatest(0, least($2::bigint, total - $3::bigint)) as length from counted),
    page as (
      (select ${list.key} as id from ${list.ids} and not (select backwards from bounds)
        order by ${order.by('there')} limit $2::bigint offset $3::bigint)
      union all
      (select ${list.key} as id from ${list.ids} and (select backwards from bounds)
        order by ${order.by('back')} limit (select length from bounds) offset (select after from bounds)))
    select bounds.total, c.* from bounds left join (
      page cross join lateral (
        select ${SHOWN_COLUMNS} from contacts c where c.workspace_id = $1 and c.id = page.id offset 0) c
    ) on true order by ${order.answered}`
}

const EVERYBODY = {
  total: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'contacts'`,
  ids: 'contacts where workspace_id = $1',
  key: 'id',
}

export function everybodyPageStatement(workspaceId: string, { sort, ...page }: SortedPage): Statement<ListedRow> {
  const values = [workspaceId, page.pageSize, rowsBefore(page)]
  return { name: `contacts_page ${sort}`, text: orderedPage(EVERYBODY, sort), values }
}

const TAGGED = {
  total: `select coalesce(sum(total), 0)::bigint as total from tag_counts where workspace_id = $1
      and tag_id = (select id from tags where workspace_id = $1 and folded_name = lower($4::text))`,
  ids: `contact_tags where workspace_id = $1
      and tag_id = (select id from tags where workspace_id = $1 and folded_name = lower($4::text))`,
  key: 'contact_id',
}

/** By id: the tag's index has no other order. */
export function taggedPageStatement(
  workspaceId: string,
  tag: string,
  { sort, ...page }: PageQuery & { sort: 'id' | '-id' },
): Statement<ListedRow> {
  const values = [workspaceId, page.pageSize, rowsBefore(page), tag]
  return { name: `contacts_tagged_page ${sort}`, text: orderedPage(TAGGED, sort), values }
}

/** The ids of the contacts that are in every one of the sets; of everybody without one. */
export function inEverySet(workspaceId: string, sets: readonly ContactIds[], stretch?: IdStretch): ContactIds {
  const [first, ...others] = sets
  if (first === undefined)
    return sql`select id from contacts where workspace_id = ${id(workspaceId)} and ${inStretch('id', stretch)}`
  const within = sql.join([sql`true`, ...others.map((set) => sql`id in (${set})`)], sql` and `)
  return sql`select id from (${first}) first where ${inStretch('id', stretch)} and ${within}`
}

/** The last of the next contacts behind an id; null behind all. */
export function stretchEndStatement(
  workspaceId: string,
  { after, size }: { after: string; size: number },
): Statement<{ id: string | null }> {
  return {
    name: 'contacts_stretch_end',
    text: `select max(id) as id from (
      select id from contacts where workspace_id = $1 and id > $2 order by id limit $3) stretch`,
    values: [workspaceId, after, size],
  }
}

/** So many contacts with the last of them; their ids with commas between. */
export type FoundChunk = { ids: string; size: number; lastId: string }

/** The contacts of a stretch that are in every one of the sets, ascending. */
export function foundChunksStatement(
  workspaceId: string,
  { sets, stretch, chunkMax }: { sets: readonly ContactIds[]; stretch: IdStretch; chunkMax: number },
): Statement<FoundChunk> {
  return compiled(sql`select string_agg(cast(id as text), ',' order by id) as ids, cast(count(*) as int) as size, max(id) as "lastId"
    from (
      select id, (row_number() over (order by id) - 1) / ${sql.lit(chunkMax)} as number
      from (${inEverySet(workspaceId, sets, stretch)}) found
    ) numbered
    group by number order by number`)
}

/** Contacts by what they are known by, when they were changed, or a value of a custom field. */
export type FieldFilter = {
  email?: string
  subjectId?: string
  phone?: string
  updatedSince?: string
  customField?: { key: string; value: string }
}

export function withFields(workspaceId: string, filter: FieldFilter, stretch?: IdStretch): ContactIds {
  const conditions = [sql`workspace_id = ${id(workspaceId)}`, inStretch('id', stretch)]
  if (filter.email !== undefined) conditions.push(sql`email = ${filter.email}`)
  if (filter.subjectId !== undefined) conditions.push(sql`subject_id = ${filter.subjectId}`)
  if (filter.phone !== undefined) conditions.push(sql`phone = ${filter.phone}`)
  if (filter.updatedSince !== undefined) conditions.push(sql`updated_at >= ${filter.updatedSince}`)
  if (filter.customField !== undefined) {
    conditions.push(sql`${valueOfField(workspaceId, filter.customField.key)} = ${filter.customField.value}`)
  }
  return sql`select id from contacts where ${sql.join(conditions, sql` and `)}`
}

/**
 * A contact's value of the field that a key means, which may have had that before a rename; while one runs, whichever key the value is
 * under. Looked up by the statement itself: nobody's value moves between the two.
 */
function valueOfField(workspaceId: string, key: string): RawBuilder<unknown> {
  const given = sql`cast(${key} as text)`
  const field = (column: 'key' | 'previous_key') => sql`(
    select f.${sql.ref(column)} from custom_fields f where f.workspace_id = ${id(workspaceId)} and f.id = coalesce(
      (select o.id from custom_fields o where o.workspace_id = ${id(workspaceId)} and o.key = ${given}),
      (select o.id from custom_fields o where o.workspace_id = ${id(workspaceId)} and o.previous_key = ${given}),
      (select k.field_id from custom_field_former_keys k where k.workspace_id = ${id(workspaceId)} and k.key = ${given})))`
  return sql`coalesce(custom_fields ->> coalesce(${field('key')}, ${given}), custom_fields ->> ${field('previous_key')})`
}

export function withTag(workspaceId: string, tag: string, stretch?: IdStretch): ContactIds {
  return sql`select contact_id as id from contact_tags where workspace_id = ${id(workspaceId)}
    and tag_id = (select id from tags where workspace_id = ${id(workspaceId)} and folded_name = lower(cast(${tag} as text)))
    and ${inStretch('contact_id', stretch)}`
}

/** Those whom the transaction's search finds: see `searchForStatement`. */
export function searched(workspaceId: string, stretch?: IdStretch): ContactIds {
  return sql`select contact_id as id from contact_search where workspace_id = ${id(workspaceId)}
    and ${inStretch('contact_id', stretch)}`
}

/** Of these, those whose name it is that has the term. */
export function searchedByName(workspaceId: string, term: string, stretch?: IdStretch): ContactIds {
  const name = sql`lower(concat_ws(' ', c.first_name, c.last_name))`
  const beginning =
    [...term].length < INFIX_CHARS_MIN
      ? sql`lower(cast(${escapedForLike(term)} as text))`
      : sql`'%' || lower(cast(${escapedForLike(term)} as text))`
  return sql`select s.contact_id as id from contact_search s
    join contacts c on c.workspace_id = s.workspace_id and c.id = s.contact_id
    where s.workspace_id = ${id(workspaceId)} and ${inStretch('s.contact_id', stretch)} and ${name} not like '%@%'
      and (${name} like ${beginning} || '%' or lower(c.last_name) like ${beginning} || '%')`
}

/** From this many characters on a search term is looked for anywhere: the index is of groups of three. */
const INFIX_CHARS_MIN = 3

/**
 * A statement that makes the transaction see in `contact_search` only contacts that the term finds: those with it
 * anywhere in a field, or, when it is shorter than `INFIX_CHARS_MIN`, at the beginning of one. Characters that mean
 * something to LIKE are text.
 */
export function searchForStatement(term: string): Statement<object> {
  const beginning = [...term].length < INFIX_CHARS_MIN ? '\n' : ''
  return {
    name: 'contacts_search_for',
    text: `select set_config('postroom.search', '%' || lower($1::text) || '%', true)`,
    values: [beginning + escapedForLike(term)],
  }
}

const escapedForLike = (term: string) => term.replace(/[\\%_]/g, '\\$&')
