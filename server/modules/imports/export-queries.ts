import { CONTACT_FIELDS } from '../../catalogue/contact-fields.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import { countFound, type FoundChunk, parametersOf } from '../contacts/find-contacts.ts'
import type { ContactFilter } from '../contacts/schemas.ts'

/** An export as the database gives it. */
export type ExportRow = {
  id: string
  state: 'running' | 'done' | 'failed'
  fileId: string | null
  /** JSON. */
  filter: string
  columns: string
  startedBy: string
  gathered: boolean
  rowsTotal: string
  rowsWritten: string
  bytes: string
  lastContactId: string
  chunks: number
  failure: string | null
  createdAt: string
  endedAt: string | null
  expiresAt: string
  updatedAt: string
}

const COLUMNS = `e.id, e.state, e.file_id as "fileId", e.filter, e.columns, e.started_by as "startedBy", e.gathered,
  e.rows_total as "rowsTotal", e.rows_written as "rowsWritten", e.bytes, e.last_contact_id as "lastContactId", e.chunks,
  e.failure, e.created_at as "createdAt", e.ended_at as "endedAt", e.expires_at as "expiresAt",
  e.updated_at as "updatedAt"`

export type ExportKey = { workspaceId: string; id: string }

export async function insertExport(
  tx: Queryable,
  workspaceId: string,
  given: {
    fileId: string
    filter: ContactFilter
    columns: readonly string[]
    startedBy: AuditOrigin
    gathered: boolean
  },
): Promise<ExportRow> {
  const { rows } = await tx.query<ExportRow>({
    name: 'insert_export',
    text: `insert into exports as e (workspace_id, file_id, filter, columns, started_by, gathered, rows_total, expires_at)
      select $1, $2, $3::json, $4::json, $5::json, $6,
        (select coalesce(sum(total), 0) from row_counts where workspace_id = $1 and relation = 'contacts'),
        (select expires_at from stored_files where workspace_id = $1 and id = $2)
      returning ${COLUMNS}`,
    values: [
      workspaceId,
      given.fileId,
      JSON.stringify(given.filter),
      JSON.stringify(given.columns),
      JSON.stringify(given.startedBy),
      given.gathered,
    ],
  })
  return rows[0]!
}

export function exportByIdStatement(workspaceId: string, id: string): Statement<ExportRow> {
  return {
    name: 'export_by_id',
    text: `select ${COLUMNS} from exports e where e.workspace_id = $1 and e.id = $2`,
    values: [workspaceId, id],
  }
}

/** The row, locked until the transaction ends. */
export async function exportForChange(tx: Queryable, { workspaceId, id }: ExportKey): Promise<ExportRow | undefined> {
  const { rows } = await tx.query<ExportRow>({
    name: 'export_for_change',
    text: `select ${COLUMNS} from exports e where e.workspace_id = $1 and e.id = $2 for no key update`,
    values: [workspaceId, id],
  })
  return rows[0]
}

/** Locks out others who start one, until the transaction ends, and answers how many are written. */
export async function countRunning(tx: Queryable, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_exports',
    text: `select pg_advisory_xact_lock(hashtextextended('exports', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ running: number }>({
    name: 'count_running_exports',
    text: `select count(*)::int as running from exports where workspace_id = $1 and state = 'running'`,
    values: [workspaceId],
  })
  return rows[0]!.running
}

export function exportsPageStatement(workspaceId: string, page: PageQuery): Statement<ExportRow> {
  return {
    name: 'exports_page',
    text: `select ${COLUMNS} from exports e where e.workspace_id = $1 order by e.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function exportsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'exports_total',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'exports'`,
    values: [workspaceId],
  }
}

/** Contacts of a chunk, which is a slice of the file. */
export const CHUNK_CONTACTS = 2_000

/**
 * Notes whom the filters found, five hundred rows for a million contacts. Another run may have been faster, or the export is
 * over: then nothing is noted.
 */
export async function noteExported(tx: Queryable, key: ExportKey, found: readonly FoundChunk[]): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'mark_export_gathered',
    text: `update exports set gathered = true, rows_total = $3, updated_at = now()
      where workspace_id = $1 and id = $2 and state = 'running' and not gathered`,
    values: [key.workspaceId, key.id, countFound(found)],
  })
  if (rowCount !== 1) return
  for (const parameters of parametersOf(found)) {
    await tx.query({
      name: 'note_export_chunks',
      text: `insert into export_contacts (workspace_id, export_id, number, contact_ids, last_contact_id)
        select $1, $2, $3::int + chunk.number, ('{' || chunk.ids || '}')::bigint[], chunk.last_id
        from unnest($4::text[], $5::bigint[]) with ordinality as chunk (ids, last_id, number)`,
      values: [key.workspaceId, key.id, ...parameters],
    })
  }
}

/** A contact as it is written; null when it was deleted since the filter found it. */
export type ExportedRow = { memberId: string; contact: string | null }

const FIELDS = CONTACT_FIELDS.map(({ name, column }) => `'${name}', c.${column}`).join(', ')

/** The chunk of export $4 that has a contact, if one has: chunks are in the order of ids. */
const chunkOf = (id: string) => `(select number from export_contacts e where e.workspace_id = $1 and e.export_id = $4
    and e.last_contact_id >= ${id} order by number limit 1)`

/**
 * Contacts that members of the slice are part of, who were found and merged since: each stands in the place of the first of those that are
 * part of it, unless it was found itself. All that became part of it are looked through once a slice, against the chunks that may have
 * them; not those of before the export, whom it cannot have found. A merge is as old as its transaction.
 */
const PARTS = `, into_one as materialized (
    select distinct w.survivor_id as id from member
    join contact_merges w on w.workspace_id = $1 and w.merged_id = member.id
  ), rival as materialized (
    select into_one.id as into_id, o.merged_id as id, ${chunkOf('o.merged_id')} as number
    from into_one join contact_merges o on o.workspace_id = $1 and o.survivor_id = into_one.id
      and o.merged_at > (select created_at - interval '1 hour' from exports where workspace_id = $1 and id = $4)
    union all select id, id, ${chunkOf('into_one.id')} from into_one
  ), found as materialized (
    select unnest(contact_ids) as id from export_contacts
    where workspace_id = $1 and export_id = $4 and number in (select number from rival)
  ), part as materialized (
    select into_id as id, min(id) filter (where id in (select id from found)) as member_id from rival group by into_id
    having not bool_or(id = into_id and id in (select id from found))
  )`

/** The next contacts of an export, as JSON with tags and status. */
export function contactsToExportStatement(
  key: ExportKey,
  at: { filtered: boolean; afterId: string; limit: number },
): Statement<ExportedRow> {
  const ids = at.filtered
    ? `select unnest(contact_ids) as id from (
        select contact_ids from export_contacts where workspace_id = $1 and export_id = $4 and last_contact_id > $2
        order by number limit 1) chunk`
    : 'select id from contacts where workspace_id = $1 and id > $2 and $4::bigint > 0'
  // Without a filter whoever is there has their own place.
  const contactId = at.filtered ? 'coalesce(part.id, member.id)' : 'member.id'
  return {
    name: at.filtered ? 'filtered_contacts_to_export' : 'contacts_to_export',
    text: `with member as materialized (select id from (${ids}) ids where id > $2 order by id limit $3)${at.filtered ? PARTS : ''}
      select member.id as "memberId", case when c.id is not null then json_build_object(
          'id', c.id::text, ${FIELDS}, 'customFields', c.custom_fields,
          'createdAt', utc_text(c.created_at), 'updatedAt', utc_text(c.updated_at),
          'tags', array(select t.name from contact_tags ct
            join tags t on t.workspace_id = ct.workspace_id and t.id = ct.tag_id
            where ct.workspace_id = c.workspace_id and ct.contact_id = c.id order by t.name collate "C"),
          'status', case s.reason when 'bounce' then 'cleaned' when 'complaint' then 'complained'
            when 'manual' then 'suppressed' else case when u.everything then 'unsubscribed' when u.everything is not null then 'no'
            when o.contact_id is not null then 'subscribed' end end)::text end as contact
      from member
      ${at.filtered ? 'left join part on part.member_id = member.id' : ''}
      left join contacts c on c.workspace_id = $1 and c.id = ${contactId}
      left join suppressions s on s.workspace_id = $1 and s.destination = c.email
      left join contact_consents o on o.workspace_id = $1 and o.contact_id = c.id
      left join lateral (select bool_or(sending_source = 'everything') as everything from unsubscribes
        where workspace_id = $1 and destination = c.email and sending_source in ('everything', 'broadcasts')) u on true
      order by member.id`,
    values: [key.workspaceId, at.afterId, at.limit, key.id],
  }
}

/** Keys of the custom fields that contacts of the workspace have. */
export function customFieldKeysStatement(workspaceId: string): Statement<{ key: string }> {
  return {
    name: 'custom_field_keys_to_export',
    text: `select key from custom_fields where workspace_id = $1 and deleted_at is null order by key collate "C"`,
    values: [workspaceId],
  }
}

export async function addExported(
  tx: Queryable,
  key: ExportKey,
  slice: { rows: number; bytes: number; lastContactId: string },
): Promise<void> {
  await tx.query({
    name: 'add_exported',
    text: `update exports set rows_written = rows_written + $3, bytes = bytes + $4, last_contact_id = $5,
        chunks = chunks + 1, rows_total = greatest(rows_total, rows_written + $3), updated_at = now()
      where workspace_id = $1 and id = $2`,
    values: [key.workspaceId, key.id, slice.rows, slice.bytes, slice.lastContactId],
  })
}

/** Gives an export another file, of which nothing is written; whom it found stays noted. */
export async function restartExport(tx: Queryable, key: ExportKey, fileId: string): Promise<void> {
  await tx.query({
    name: 'restart_export',
    text: `update exports set file_id = $3, rows_written = 0, bytes = 0, last_contact_id = 0, chunks = 0, updated_at = now(),
        expires_at = (select expires_at from stored_files where workspace_id = $1 and id = $3)
      where workspace_id = $1 and id = $2`,
    values: [key.workspaceId, key.id, fileId],
  })
}

export async function markExportEnded(
  tx: Queryable,
  key: ExportKey,
  ending: { state: 'done' | 'failed'; failure: string | null },
): Promise<void> {
  await tx.query({
    name: 'end_export',
    text: `update exports set state = $3, failure = $4, ended_at = now(), updated_at = now(),
        rows_total = case when $3 = 'done' then rows_written else rows_total end
      where workspace_id = $1 and id = $2`,
    values: [key.workspaceId, key.id, ending.state, ending.failure],
  })
  await tx.query({
    name: 'forget_exported',
    text: 'delete from export_contacts where workspace_id = $1 and export_id = $2',
    values: [key.workspaceId, key.id],
  })
}
