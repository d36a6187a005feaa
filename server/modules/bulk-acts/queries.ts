import { type RawBuilder, sql } from 'kysely'
import { int8Array } from '../../platform/db/arrays.ts'
import { createQueryBuilder, statementOf } from '../../platform/db/query-builder.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import { countFound, type FoundChunk, parametersOf } from '../contacts/find-contacts.ts'
import { type ContactIds, inEverySet } from '../contacts/list-contacts.ts'
import type { ContactFilter } from '../contacts/schemas.ts'
import type { BulkActKind } from './schemas.ts'

export type BulkActKey = { workspaceId: string; id: string }

/** A bulk act as the database gives it. */
export type BulkActRow = {
  id: string
  act: BulkActKind
  /** Null for `erase`. */
  tag: string | null
  /** Null where only the name of the tag was kept. */
  tagId: string | null
  state: 'running' | 'done' | 'canceled' | 'failed'
  /** JSON; of no meaning when the people were named. */
  filter: string
  named: boolean
  startedBy: string
  gathered: boolean
  contactsTotal: string
  contactsDone: string
  contactsChanged: string
  lastContactId: string
  undoes: string | null
  canBeUndone: boolean
  failure: string | null
  createdAt: string
  endedAt: string | null
}

const COLUMNS = `b.id, b.act, b.tag, b.tag_id as "tagId", b.state, b.filter, b.named, b.started_by as "startedBy", b.gathered,
  b.contacts_total as "contactsTotal", b.contacts_done as "contactsDone", b.contacts_changed as "contactsChanged",
  b.last_contact_id as "lastContactId", b.undoes, b.failure, b.created_at as "createdAt", b.ended_at as "endedAt",
  b.act <> 'erase' and b.state <> 'running' and b.undoes is null and b.contacts_changed > 0 and not b.forgotten
    and not exists (select from bulk_acts u where u.workspace_id = b.workspace_id and u.undoes = b.id
      and u.state in ('running', 'done')) as "canBeUndone"`

/** Contacts of a chunk. */
export const CHUNK_CONTACTS = 2_000

const build = createQueryBuilder<Record<string, never>>()
const compiled = (query: RawBuilder<unknown>) => statementOf({ compile: () => query.compile(build) })
const int8 = (value: string) => sql`cast(${value} as bigint)`

/** Those of some contacts that exist. */
export function namedContacts(workspaceId: string, ids: readonly string[]): ContactIds {
  return sql`select id from contacts where workspace_id = ${int8(workspaceId)} and id = any (cast(${int8Array(ids)} as bigint[]))`
}

/** How many contacts fit, and how many of them have the tag. */
export function countTaggedStatement(
  workspaceId: string,
  { sets, tag }: { sets: readonly ContactIds[]; tag: string | null },
): Statement<{ total: string; tagged: string }> {
  return compiled(sql`select count(*) as total, count(t.contact_id) as tagged
    from (${inEverySet(workspaceId, sets)}) found
    left join contact_tags t on t.workspace_id = ${int8(workspaceId)} and t.contact_id = found.id
      and t.tag_id = (select id from tags where workspace_id = ${int8(workspaceId)} and folded_name = lower(cast(${tag} as text)))`)
}

export type NewBulkAct = {
  act: BulkActKind
  tag: string | null
  tagId: string | null
  filter: ContactFilter
  /** Instead of a filter. */
  contactIds?: readonly string[] | undefined
  startedBy: AuditOrigin
  total: number
  undoes?: string
}

export async function insertBulkAct(tx: Queryable, workspaceId: string, given: NewBulkAct): Promise<BulkActRow> {
  const { act, tag, tagId, filter, contactIds, startedBy, total, undoes = null } = given
  const { rows } = await tx.query<BulkActRow>({
    name: 'insert_bulk_act',
    text: `insert into bulk_acts as b (workspace_id, act, tag, tag_id, filter, started_by, contacts_total, undoes, named, gathered)
      values ($1, $2, $3, $8, $4::json, $5::json, $6, $7::bigint, $9, $9 or $7 is not null) returning ${COLUMNS}`,
    values: [
      ...[workspaceId, act, tag, JSON.stringify(filter), JSON.stringify(startedBy), total, undoes, tagId],
      contactIds !== undefined,
    ],
  })
  return rows[0]!
}

/** Notes whom an act is about: those of the named that exist, who are all it comes to. Answers how many they are. */
export async function noteNamed(tx: Queryable, key: BulkActKey, ids: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ noted: number }>({
    name: 'note_bulk_named',
    text: `with noted as (
        insert into bulk_act_chunks (workspace_id, act_id, number, contact_ids, last_contact_id)
        select $1, $2, 1, array_agg(id order by id), max(id) from contacts
        where workspace_id = $1 and id = any ($3::int8[]) having count(*) > 0
        returning cardinality(contact_ids) as noted
      )
      update bulk_acts set contacts_total = coalesce((select noted from noted), 0) where workspace_id = $1 and id = $2
      returning contacts_total::int as noted`,
    values: [key.workspaceId, key.id, int8Array(ids)],
  })
  return rows[0]!.noted
}

/** Contacts that an act has changed are those that the one that takes it back is about. */
export async function copyChanged(
  tx: Queryable,
  workspaceId: string,
  ids: { from: string; to: string },
): Promise<void> {
  await tx.query({
    name: 'copy_bulk_changed',
    text: `insert into bulk_act_chunks (workspace_id, act_id, number, contact_ids, last_contact_id)
      select workspace_id, $3, number, changed_ids, last_contact_id from bulk_act_chunks
      where workspace_id = $1 and act_id = $2 and cardinality(changed_ids) > 0`,
    values: [workspaceId, ids.from, ids.to],
  })
}

export function bulkActByIdStatement({ workspaceId, id }: BulkActKey): Statement<BulkActRow> {
  return {
    name: 'bulk_act_by_id',
    text: `select ${COLUMNS} from bulk_acts b where b.workspace_id = $1 and b.id = $2`,
    values: [workspaceId, id],
  }
}

/** The row, locked until the transaction ends. */
export async function bulkActForChange(
  tx: Queryable,
  { workspaceId, id }: BulkActKey,
): Promise<BulkActRow | undefined> {
  const { rows } = await tx.query<BulkActRow>({
    name: 'bulk_act_for_change',
    text: `select ${COLUMNS} from bulk_acts b where b.workspace_id = $1 and b.id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export function bulkActsPageStatement(workspaceId: string, page: PageQuery): Statement<BulkActRow> {
  return {
    name: 'bulk_acts_page',
    text: `select ${COLUMNS} from bulk_acts b where b.workspace_id = $1 order by b.id desc limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function bulkActsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'bulk_acts_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'bulk_acts'`,
    values: [workspaceId],
  }
}

/** Locks out others who start one, and answers how many run. */
export async function runningBulkActs(tx: Queryable, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_bulk_acts',
    text: `select pg_advisory_xact_lock(hashtextextended('bulk_acts', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ running: number }>({
    name: 'count_running_bulk_acts',
    text: `select count(*)::int as running from bulk_acts where workspace_id = $1 and state = 'running'`,
    values: [workspaceId],
  })
  return rows[0]!.running
}

/** Notes whom the filter found. Another run may have been faster, or the act is over: then nothing is noted. */
export async function noteForAct(tx: Transaction, key: BulkActKey, found: readonly FoundChunk[]): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'mark_bulk_act_gathered',
    text: `update bulk_acts set gathered = true, contacts_total = $3, updated_at = now()
      where workspace_id = $1 and id = $2 and state = 'running' and not gathered`,
    values: [key.workspaceId, key.id, countFound(found)],
  })
  if (rowCount !== 1) return
  for (const parameters of parametersOf(found)) {
    await tx.query({
      name: 'note_bulk_chunks',
      text: `insert into bulk_act_chunks (workspace_id, act_id, number, contact_ids, last_contact_id)
        select $1, $2, $3::int + chunk.number, ('{' || chunk.ids || '}')::bigint[], chunk.last_id
        from unnest($4::text[], $5::bigint[]) with ordinality as chunk (ids, last_id, number)`,
      values: [key.workspaceId, key.id, ...parameters],
    })
  }
}

export type Slice = { number: number; contactIds: string[] }

/** The next contacts of an act, of one chunk; undefined when there are none. */
export async function nextSlice(
  tx: Queryable,
  key: BulkActKey,
  { after, limit }: { after: string; limit: number },
): Promise<Slice | undefined> {
  const { rows } = await tx.query<{ number: number; id: string }>({
    name: 'next_bulk_slice',
    text: `select number, id from (
        select number, contact_ids from bulk_act_chunks
        where workspace_id = $1 and act_id = $2 and contact_ids[cardinality(contact_ids)] > $3 order by number limit 1) chunk
      cross join unnest(contact_ids) as id where id > $3 order by id limit $4`,
    values: [key.workspaceId, key.id, after, limit],
  })
  const [first] = rows
  return first && { number: first.number, contactIds: rows.map(({ id }) => id) }
}

/** Those of some contacts that had a tag before an act began. */
export async function taggedBefore(
  tx: Queryable,
  workspaceId: string,
  { actId, tagId, contactIds }: { actId: string; tagId: string; contactIds: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'tagged_before_bulk_act',
    text: `select t.contact_id as id from contact_tags t
      where t.workspace_id = $1 and t.tag_id = $3 and t.contact_id = any ($4::int8[])
        and t.created_at < (select created_at from bulk_acts where workspace_id = $1 and id = $2)`,
    values: [workspaceId, actId, tagId, int8Array(contactIds)],
  })
  return new Set(rows.map(({ id }) => id))
}

/** How many of the noted were merged into contacts that are there. */
export async function countMerged(tx: Queryable, key: BulkActKey): Promise<number> {
  const { rows } = await tx.query<{ merged: number }>({
    name: 'count_merged_of_bulk_act',
    text: `with recent as materialized (
        select w.merged_id from bulk_acts b
        join contact_merges w on w.workspace_id = $1 and w.merged_at > b.created_at - interval '1 hour'
        where b.workspace_id = $1 and b.id = $2
      )
      select count(*)::int as merged from bulk_act_chunks c
        cross join lateral unnest(c.contact_ids) as noted(id) join recent on recent.merged_id = noted.id
      where c.workspace_id = $1 and c.act_id = $2`,
    values: [key.workspaceId, key.id],
  })
  return rows[0]!.merged
}

/** Notes how far an act has come, and whom it has changed. */
export async function addBulkProgress(
  tx: Queryable,
  key: BulkActKey,
  { slice, changed }: { slice: Slice; changed: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'add_bulk_changed',
    text: `update bulk_act_chunks set changed_ids = changed_ids || $4::int8[]
      where workspace_id = $1 and act_id = $2 and number = $3`,
    values: [key.workspaceId, key.id, slice.number, int8Array(changed)],
  })
  await tx.query({
    name: 'add_bulk_progress',
    text: `update bulk_acts set contacts_done = contacts_done + $3, contacts_changed = contacts_changed + $4,
        last_contact_id = $5, updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [key.workspaceId, key.id, slice.contactIds.length, changed.length, slice.contactIds.at(-1)],
  })
}

export async function endBulkAct(
  tx: Queryable,
  key: BulkActKey,
  ending: { state: 'done' | 'canceled' | 'failed'; failure?: string },
): Promise<void> {
  await tx.query({
    name: 'end_bulk_act',
    text: `update bulk_acts set state = $3, failure = $4, ended_at = now(), updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [key.workspaceId, key.id, ending.state, ending.failure ?? null],
  })
}

/** Forgets whom an act of more than so many days ago was about; false when there is none. */
export async function forgetChunks(tx: Queryable, days: number): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'forget_bulk_chunks',
    text: `with old as (
        update bulk_acts set forgotten = true where (workspace_id, id) in (
          select workspace_id, id from bulk_acts
          where not forgotten and ended_at < now() - $1::int * interval '1 day' limit 1 for update skip locked)
        returning workspace_id, id)
      , gone as (delete from bulk_act_chunks c using old where c.workspace_id = old.workspace_id and c.act_id = old.id)
      select from old`,
    values: [days],
  })
  return (rowCount ?? 0) > 0
}
