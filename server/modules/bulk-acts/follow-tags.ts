import type { Transaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import type { TagRename } from '../tags/manage-tags.ts'

/** Lets acts that run follow a tag to its new name, in the transaction that renames it: they are about those whom the filter meant. */
export async function renameTagInBulkActs(
  tx: Transaction,
  { workspaceId }: Caller,
  { from, to }: TagRename,
): Promise<void> {
  await tx.query({
    name: 'rename_tag_in_bulk_acts',
    text: `update bulk_acts set filter = jsonb_set(filter::jsonb, '{tag}', to_jsonb($3::text))::json
      where workspace_id = $1 and state = 'running' and lower(btrim(filter ->> 'tag')) = lower($2)`,
    values: [workspaceId, from, to],
  })
}
