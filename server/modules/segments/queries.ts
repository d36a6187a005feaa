import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Segment } from './schemas.ts'

const COLUMNS = `s.id, s.name, s.definition, s.created_at as "createdAt", s.updated_at as "updatedAt"`

export function segmentByIdStatement(workspaceId: string, id: string): Statement<Segment> {
  return {
    name: 'segment_by_id',
    text: `select ${COLUMNS} from segments s where s.workspace_id = $1 and s.id = $2`,
    values: [workspaceId, id],
  }
}

/** Without `search` all of them; it is looked for in the name, whatever its case. */
export function segmentsPageStatement(workspaceId: string, search: string | null, page: PageQuery): Statement<Segment> {
  return {
    name: 'segments_page',
    text: `select ${COLUMNS} from segments s
      where s.workspace_id = $1 and ($2::text is null or strpos(lower(s.name), lower($2)) > 0)
      order by s.id limit $3 offset $4`,
    values: [workspaceId, search, page.pageSize, rowsBefore(page)],
  }
}

export function segmentsTotalStatement(workspaceId: string, search: string | null): Statement<{ total: string }> {
  if (search === null) {
    return {
      name: 'segments_total',
      text: `select coalesce(sum(total), 0)::bigint as total from row_counts
        where workspace_id = $1 and relation = 'segments'`,
      values: [workspaceId],
    }
  }
  return {
    name: 'segments_found',
    text: `select count(*) as total from segments
      where workspace_id = $1 and strpos(lower(name), lower($2)) > 0`,
    values: [workspaceId, search],
  }
}

/**
 * Until the transaction ends nobody else changes a segment of the workspace: what refers to what, and that nothing leads
 * back to itself, holds for all of them together.
 */
export async function lockSegments(tx: Queryable, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'lock_segments',
    text: 'select 1 from workspaces where id = $1 for no key update',
    values: [workspaceId],
  })
}

export async function segmentForChange(tx: Queryable, workspaceId: string, id: string): Promise<Segment | undefined> {
  const { rows } = await tx.query<Segment>({
    name: 'segment_for_change',
    text: `select ${COLUMNS} from segments s where s.workspace_id = $1 and s.id = $2 for update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** The oldest segment of exactly this definition. `lockSegments` has been called. */
export async function segmentOfDefinition(
  tx: Queryable,
  workspaceId: string,
  definition: string,
): Promise<Segment | undefined> {
  const { rows } = await tx.query<Segment>({
    name: 'segment_of_definition',
    text: `select ${COLUMNS} from segments s where s.workspace_id = $1 and s.definition = $2 order by s.id limit 1`,
    values: [workspaceId, definition],
  })
  return rows[0]
}

export async function isNameTaken(tx: Queryable, workspaceId: string, name: string): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'is_segment_name_taken',
    text: 'select 1 from segments s where s.workspace_id = $1 and lower(s.name) = lower($2)',
    values: [workspaceId, name],
  })
  return rows.length > 0
}

export async function insertSegment(
  tx: Queryable,
  row: { workspaceId: string; name: string; definition: string },
): Promise<Segment> {
  const { rows } = await tx.query<Segment>({
    name: 'insert_segment',
    text: `insert into segments as s (workspace_id, name, definition) values ($1, $2, $3) returning ${COLUMNS}`,
    values: [row.workspaceId, row.name, row.definition],
  })
  return rows[0]!
}

/**
 * Segments whose definition has a text, as they are until the transaction ends: `lockSegments` has been called. Their rows are left to
 * broadcasts and automations that hold them, who may wait for what the caller has.
 */
export async function segmentsWith(tx: Queryable, workspaceId: string, text: string): Promise<Segment[]> {
  const { rows } = await tx.query<Segment>({
    name: 'segments_with',
    text: `select ${COLUMNS} from segments s
      where s.workspace_id = $1 and strpos(s.definition, $2) > 0 order by s.id`,
    values: [workspaceId, text],
  })
  return rows
}

export async function updateDefinitions(
  tx: Queryable,
  workspaceId: string,
  segments: readonly Pick<Segment, 'id' | 'definition'>[],
): Promise<Segment[]> {
  const { rows } = await tx.query<Segment>({
    name: 'update_segment_definitions',
    text: `update segments s set definition = given.definition, updated_at = now()
      from unnest($2::int8[], $3::text[]) as given (id, definition)
      where s.workspace_id = $1 and s.id = given.id returning ${COLUMNS}`,
    values: [
      workspaceId,
      int8Array(segments.map(({ id }) => id)),
      textArray(segments.map(({ definition }) => definition)),
    ],
  })
  return rows
}

export async function updateSegmentRow(
  tx: Queryable,
  row: { workspaceId: string; id: string; name: string; definition: string },
): Promise<Segment> {
  const { rows } = await tx.query<Segment>({
    name: 'update_segment',
    text: `update segments s set name = $3, definition = $4, updated_at = now()
      where s.workspace_id = $1 and s.id = $2 returning ${COLUMNS}`,
    values: [row.workspaceId, row.id, row.name, row.definition],
  })
  return rows[0]!
}

export async function deleteSegmentRow(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'delete_segment',
    text: 'delete from segments where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** Keeps which segments a definition refers to. */
export async function replaceUses(
  tx: Queryable,
  key: { workspaceId: string; id: string },
  usedIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'forget_segment_uses',
    text: 'delete from segment_uses where workspace_id = $1 and segment_id = $2',
    values: [key.workspaceId, key.id],
  })
  if (usedIds.length === 0) return
  await tx.query({
    name: 'insert_segment_uses',
    text: `insert into segment_uses (workspace_id, segment_id, used_id)
      select distinct $1::bigint, $2::bigint, used from unnest($3::int8[]) as used order by used`,
    values: [key.workspaceId, key.id, int8Array(usedIds)],
  })
}

/** The segments whose definitions refer to this one, directly or through others; the direct ones first. */
export async function segmentsUsing(tx: Queryable, workspaceId: string, id: string): Promise<Segment[]> {
  const { rows } = await tx.query<Segment>({
    name: 'segments_using',
    text: `with recursive using_it (id, steps) as (
        select segment_id, 1 from segment_uses where workspace_id = $1 and used_id = $2
        union
        select u.segment_id, using_it.steps + 1 from using_it
        join segment_uses u on u.workspace_id = $1 and u.used_id = using_it.id
      )
      select ${COLUMNS} from segments s
      join (select id, min(steps) as steps from using_it group by id) found on found.id = s.id
      where s.workspace_id = $1 order by found.steps, s.id`,
    values: [workspaceId, id],
  })
  return rows
}

/** The segments of these ids and those they refer to, directly or through others. */
export async function segmentsReached(tx: Queryable, workspaceId: string, ids: readonly string[]) {
  const { rows } = await tx.query<Pick<Segment, 'id' | 'name' | 'definition'>>({
    name: 'segments_reached',
    text: `with recursive reached (id) as (
        select unnest($2::int8[])
        union
        select u.used_id from reached join segment_uses u on u.workspace_id = $1 and u.segment_id = reached.id
      )
      select s.id, s.name, s.definition from segments s
      where s.workspace_id = $1 and s.id in (select id from reached)`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}

/** The tags of these names in any case. */
export async function tagsNamed(tx: Queryable, workspaceId: string, names: readonly string[]) {
  const { rows } = await tx.query<{ given: string; id: string }>({
    name: 'tags_named_by_segments',
    // Folded first, as in `tagsNamed` of tags: that is what an index is looked up by.
    text: `select given.name as given, t.id from (
        select distinct name, lower(name) as folded from unnest($2::text[]) as name offset 0) given
      join tags t on t.workspace_id = $1 and t.folded_name = given.folded`,
    values: [workspaceId, textArray(names)],
  })
  return rows
}
