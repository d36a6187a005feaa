import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

export type TagName = { id: string; name: string }

/**
 * The tags of these names, whatever their letters' case: which name each was found by, and what it is called. They are
 * held until the transaction ends: renamed they may be, deleted not.
 */
export async function tagsNamed(tx: Transaction, workspaceId: string, names: readonly string[]) {
  const { rows } = await tx.query<TagName & { given: string }>(tagsNamedStatement(workspaceId, names))
  return rows
}

/** Names are folded first: behind row-level security no index is looked up by a function of another table's column. */
export function tagsNamedStatement(workspaceId: string, names: readonly string[]) {
  return {
    name: 'tags_named',
    text: `select given.name as given, t.id, t.name from (
        select name, lower(name) as folded from unnest($2::text[]) as given (name) offset 0) given
      join tags t on t.workspace_id = $1 and t.folded_name = given.folded
      for key share of t`,
    values: [workspaceId, textArray(names)],
  }
}

/** The name of the tag with this id, undefined when there is none. The tag is held as those of `tagsNamed` are. */
export async function nameOfTag(tx: Transaction, workspaceId: string, id: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'name_of_tag',
    text: 'select name from tags where workspace_id = $1 and id = $2 for key share',
    values: [workspaceId, id],
  })
  return rows[0]?.name
}

/**
 * Adds tags, in the order of names so that two who add the same ones never wait for each other in a circle. A name that
 * somebody else has just added stays as they spelled it. Answers the tags that are new.
 */
export async function addTags(tx: Transaction, workspaceId: string, names: readonly string[]): Promise<TagName[]> {
  const { rows } = await tx.query<TagName>({
    name: 'add_tags',
    text: `insert into tags (workspace_id, name)
      select $1, name from (
        select distinct on (lower(name)) name from unnest($2::text[]) with ordinality as given (name, n)
        order by lower(name), n) named
      on conflict on constraint tags_name_taken do nothing
      returning id, name`,
    values: [workspaceId, textArray(names)],
  })
  return rows
}

/** A contact that got or lost a tag. */
export type TagChange = {
  tagId: string
  tag: string
  contactId: string
  subjectId: string | null
  email: string | null
  phone: string | null
}

export type TagPair = { contactId: string; tagId: string }

/**
 * Gives contacts tags; answers those that did not have them. Both are locked first, so that neither is deleted before
 * the row that joins them is there: a pair of which one is gone is left out.
 *
 * Two statements, put together here: as one, a planner without statistics of a new table compared each pair that was
 * wanted with each that was added (more than 10 s for 7,500 of them).
 */
export async function addContactTags(
  tx: Transaction,
  workspaceId: string,
  pairs: readonly TagPair[],
): Promise<TagChange[]> {
  const wanted = await tx.query<TagChange>({
    name: 'lock_tags_and_contacts',
    text: `select t.id as "tagId", t.name as tag, c.id as "contactId", c.subject_id as "subjectId", c.email, c.phone
      from (select distinct contact_id, tag_id from unnest($2::int8[], $3::int8[]) as given (contact_id, tag_id)) given
      join contacts c on c.workspace_id = $1 and c.id = given.contact_id
      join tags t on t.workspace_id = $1 and t.id = given.tag_id
      order by t.id, c.id
      for key share of c, t`,
    values: [workspaceId, ...columnsOf(pairs)],
  })
  if (wanted.rows.length === 0) return []
  const added = await tx.query<TagPair>({
    name: 'add_contact_tags',
    text: `insert into contact_tags (workspace_id, tag_id, contact_id)
      select $1, tag_id, contact_id from unnest($2::int8[], $3::int8[]) as given (contact_id, tag_id)
      on conflict do nothing returning tag_id as "tagId", contact_id as "contactId"`,
    values: [workspaceId, ...columnsOf(wanted.rows)],
  })
  const isNew = new Set(added.rows.map(keyOf))
  return wanted.rows.filter((pair) => isNew.has(keyOf(pair)))
}

function keyOf({ tagId, contactId }: TagPair): string {
  return `${tagId}/${contactId}`
}

/** Takes tags off contacts; answers those that had them. */
export async function removeContactTags(
  tx: Transaction,
  workspaceId: string,
  pairs: readonly TagPair[],
): Promise<TagChange[]> {
  const { rows } = await tx.query<TagChange>({
    name: 'remove_contact_tags',
    text: `with held as materialized (
        select tag_id, contact_id from contact_tags
        join (select distinct contact_id, tag_id from unnest($2::int8[], $3::int8[]) as given (contact_id, tag_id)) given
          using (tag_id, contact_id)
        where workspace_id = $1
        order by tag_id, contact_id
        for update of contact_tags),
      removed as (
        delete from contact_tags using held
        where contact_tags.workspace_id = $1 and contact_tags.tag_id = held.tag_id
          and contact_tags.contact_id = held.contact_id
        returning contact_tags.tag_id, contact_tags.contact_id)
      select tag_id as "tagId", t.name as tag, contact_id as "contactId", c.subject_id as "subjectId", c.email, c.phone
      from removed
      join tags t on t.workspace_id = $1 and t.id = tag_id
      join contacts c on c.workspace_id = $1 and c.id = contact_id
      order by tag_id, contact_id`,
    values: [workspaceId, ...columnsOf(pairs)],
  })
  return rows
}

function columnsOf(pairs: readonly TagPair[]): Buffer[] {
  return [int8Array(pairs.map(({ contactId }) => contactId)), int8Array(pairs.map(({ tagId }) => tagId))]
}

/** Takes a tag that is gone off some of its contacts, those with the lowest ids beyond one; answers these. */
export async function sweepContactTags(
  tx: Transaction,
  { workspaceId, tagId, after, limit }: { workspaceId: string; tagId: string; after: string; limit: number },
): Promise<Omit<TagChange, 'tagId' | 'tag'>[]> {
  const { rows } = await tx.query<Omit<TagChange, 'tagId' | 'tag'>>({
    name: 'sweep_contact_tags',
    text: `with swept as (
        delete from contact_tags where workspace_id = $1 and tag_id = $2 and contact_id = any (array(
          select contact_id from contact_tags where workspace_id = $1 and tag_id = $2 and contact_id > $3
          order by contact_id limit $4 for update))
        returning contact_id)
      select c.id as "contactId", c.subject_id as "subjectId", c.email, c.phone
      from swept join contacts c on c.workspace_id = $1 and c.id = contact_id order by c.id`,
    values: [workspaceId, tagId, after, limit],
  })
  return rows
}

/** Forgets how many contacts had a tag that is gone, when none has it any more. */
export async function dropTagCount(tx: Transaction, workspaceId: string, tagId: string): Promise<void> {
  await tx.query({
    name: 'drop_tag_count',
    text: `delete from tag_counts where workspace_id = $1 and tag_id = $2
      and not exists (select from contact_tags where workspace_id = $1 and tag_id = $2)`,
    values: [workspaceId, tagId],
  })
}
