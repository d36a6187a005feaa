import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { erasedFilter, NAMES_PERSON } from '../contacts/erased-filters.ts'
import { discardFile, filesMadeBefore } from './stored-files.ts'

/**
 * Takes the files away that may tell of persons who were erased, whoever is in them: those of exports, and of uploads that nobody has
 * started. Those that were made since `before` have none of them, and stay; null: nobody knows since when. `clearFiles` removes their pieces. A
 * file that is being imported goes when it is done.
 */
export async function discardFiles(tx: Transaction, workspaceId: string, before: string | null): Promise<void> {
  // Held: one that somebody is starting is waited for, and is not among them then.
  const uploads = await tx.query<{ id: string }>({
    name: 'uploads_to_erase',
    text: `select file_id as id from imports where workspace_id = $1 and file_id is not null and state = 'uploaded'
      order by imports.id for no key update`,
    values: [workspaceId],
  })
  const exported = await tx.query<{ id: string }>({
    name: 'exports_to_erase',
    text: 'select file_id as id from exports where workspace_id = $1 and file_id is not null',
    values: [workspaceId],
  })
  const fileIds = [...uploads.rows, ...exported.rows].map(({ id }) => id)
  for (const fileId of await filesMadeBefore(tx, workspaceId, { fileIds, before })) {
    await discardFile(tx, { workspaceId, fileId })
  }
  await tx.query({
    name: 'erase_import_samples',
    text: `update imports set columns = (select json_agg(json_build_object('name', c ->> 'name', 'samples', '[]'::json) order by n)
        from json_array_elements(columns) with ordinality as given (c, n))
      where workspace_id = $1 and state in ('uploaded', 'running') and not exists (
        select from stored_files f where f.workspace_id = $1 and f.id = imports.file_id and f.made_at >= $2)`,
    values: [workspaceId, before],
  })
}

/** A failed row: its import and its line. */
export type ErrorKey = { importId: string; line: string }

/**
 * Removes the rows of imports that failed and name one of the aliases, which are in lower case: looks at the next ones
 * behind a row. Returns the last it has looked at, undefined at the end.
 */
export async function eraseImportErrors(
  tx: Transaction,
  workspaceId: string,
  { aliases, after, rowsMax }: { aliases: readonly string[]; after: ErrorKey; rowsMax: number },
): Promise<ErrorKey | undefined> {
  const { rows } = await tx.query<ErrorKey & { seen: string }>({
    // Without a name: planned with these aliases, PostgreSQL looks values up in a hash of them, not in a list.
    text: `with stretch as materialized (
        select import_id, line, fields from import_errors
        where workspace_id = $1 and (import_id, line) > ($3::int8, $4::int8) order by import_id, line limit $5
      ), erased as (
        delete from import_errors e using stretch s
        where exists (select from unnest(s.fields) value where lower(trim(value)) = any ($2::text[]))
          and e.workspace_id = $1 and e.import_id = s.import_id and e.line = s.line
        returning e.import_id
      ), counted as (
        update imports i set errors_kept = errors_kept - erased.rows
        from (select import_id, count(*) as rows from erased group by import_id) erased
        where i.workspace_id = $1 and i.id = erased.import_id
      )
      select import_id as "importId", line, count(*) over () as seen from stretch order by import_id desc, line desc limit 1`,
    values: [workspaceId, textArray(aliases), after.importId, after.line, rowsMax],
  })
  const [last] = rows
  return last && Number(last.seen) === rowsMax ? { importId: last.importId, line: last.line } : undefined
}

/** Writes over what filters of exports say of the persons with these aliases, in lower case. */
export async function eraseExportFilters(
  tx: Transaction,
  workspaceId: string,
  aliases: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'erase_export_filters',
    text: `update exports e set filter = ${erasedFilter('e.filter')}
      where e.workspace_id = $1 and exists (select from json_each_text(e.filter) where ${NAMES_PERSON})`,
    values: [workspaceId, textArray(aliases)],
  })
}
