import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Takes out what messages said, with all that was attached. The list still has them. */
export async function eraseEmails(
  tx: Transaction,
  workspaceId: string,
  messages: readonly { id: string; createdAt: string }[],
): Promise<void> {
  if (messages.length === 0) return
  await tx.query({
    name: 'erase_emails',
    text: `with given as materialized (
        select message_id, created_at::timestamptz as created_at from unnest($2::int8[], $3::text[]) as g(message_id, created_at)
      ), attachments as (
        delete from email_attachments a using given
        where a.workspace_id = $1 and a.message_id = given.message_id and a.created_at = given.created_at
      )
      update emails e set subject = null, html = null, text = null, variables = null, destination_name = null, further_to = '[]', cc = '[]',
        bcc = '[]', reply_to = '[]', headers = '[]', one_click_url = null
      from given where e.workspace_id = $1 and e.message_id = given.message_id and e.created_at = given.created_at`,
    values: [
      workspaceId,
      int8Array(messages.map(({ id }) => id)),
      textArray(messages.map(({ createdAt }) => createdAt)),
    ],
  })
}
