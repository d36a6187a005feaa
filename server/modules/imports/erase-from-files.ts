import { ALIASES } from '../../catalogue/contact-fields.ts'
import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Whether a filter of an export holds one of the aliases of $2, in lower case. */
const NAMES_PERSON = `key in (${['search', ...ALIASES].map((key) => `'${key}'`).join(', ')}) and lower(trim(value)) = any ($2::text[])`

/**
 * Removes what stored files may say of persons, known by their aliases: the files of exports and of uploads that nobody
 * has started, whoever is in them, the rows of imports that failed and name one of the persons, and the filters of exports
 * that do. Counts stay. A file that is being imported goes when it is done.
 */
export async function eraseFromFiles(tx: Transaction, workspaceId: string, aliases: readonly string[]): Promise<void> {
  await tx.query({
    name: 'erase_stored_files',
    text: `delete from stored_files f where f.workspace_id = $1 and (
        exists (select from exports e where e.workspace_id = $1 and e.file_id = f.id) or
        exists (select from imports i where i.workspace_id = $1 and i.file_id = f.id and i.state = 'uploaded'))`,
    values: [workspaceId],
  })
  await tx.query({
    name: 'erase_import_samples',
    text: `update imports set columns = (select json_agg(json_build_object('name', c ->> 'name', 'samples', '[]'::json) order by n)
        from json_array_elements(columns) with ordinality as given (c, n))
      where workspace_id = $1 and state in ('uploaded', 'running')`,
    values: [workspaceId],
  })
  const values = [workspaceId, textArray(aliases.map((alias) => alias.trim().toLowerCase()))]
  await tx.query({
    name: 'erase_import_errors',
    text: `with erased as (
        delete from import_errors e where e.workspace_id = $1 and exists (
          select from unnest(e.fields) value where lower(trim(value)) = any ($2::text[]))
        returning import_id)
      update imports i set errors_kept = errors_kept - erased.rows
      from (select import_id, count(*) as rows from erased group by import_id) erased
      where i.workspace_id = $1 and i.id = erased.import_id`,
    values,
  })
  await tx.query({
    name: 'erase_export_filters',
    text: `update exports e set filter = (
        select json_object_agg(key, case when ${NAMES_PERSON} then '(erased)' else value end) from json_each_text(e.filter))
      where e.workspace_id = $1 and exists (select from json_each_text(e.filter) where ${NAMES_PERSON})`,
    values,
  })
}
