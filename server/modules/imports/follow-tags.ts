import type { Transaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import type { TagRename } from '../tags/manage-tags.ts'

/** Has imports that run mean a tag, and no other that comes by its name: where it is gone, they give it to nobody. */
export async function noteTagInImports(
  tx: Transaction,
  { workspaceId }: Caller,
  { id, name }: { id: string; name: string },
): Promise<void> {
  // A name that meant another one before means that still.
  await tx.query({
    name: 'note_tag_in_imports',
    text: `update imports set tag_ids = jsonb_build_object($2::text, $3::text) || tag_ids
      where workspace_id = $1 and state = 'running'`,
    values: [workspaceId, name.toLowerCase(), id],
  })
}

/**
 * Lets what runs follow a tag to its new name, in the transaction that renames it: an import means it by the name that its file and its
 * settings have, and an export is of those whom the filter meant. A step of theirs that is under way waits, or is waited for, at its row.
 */
export async function renameTagInImports(tx: Transaction, caller: Caller, { id, from, to }: TagRename): Promise<void> {
  await noteTagInImports(tx, caller, { id, name: from })
  await tx.query({
    name: 'rename_tag_in_exports',
    text: `update exports set filter = jsonb_set(filter::jsonb, '{tag}', to_jsonb($3::text))::json
      where workspace_id = $1 and state = 'running' and lower(btrim(filter ->> 'tag')) = lower($2)`,
    values: [caller.workspaceId, from, to],
  })
}
