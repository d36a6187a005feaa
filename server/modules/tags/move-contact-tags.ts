import type { Transaction } from '../../platform/db/transaction.ts'

/** Hands the tags of a contact to another, which keeps those that it has. */
export async function moveContactTags(
  tx: Transaction,
  workspaceId: string,
  contacts: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_contact_tags',
    text: `insert into contact_tags (workspace_id, tag_id, contact_id, created_at)
      select h.workspace_id, h.tag_id, $3, h.created_at from contact_tags h
      join tags t on t.workspace_id = $1 and t.id = h.tag_id
      where h.workspace_id = $1 and h.contact_id = $2
      for key share of t
      on conflict (workspace_id, tag_id, contact_id) do nothing`,
    values: [workspaceId, contacts.fromId, contacts.toId],
  })
}
