import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * Takes out what messages said, with all that was attached. The list still has them. A mail of several recipients stays for
 * the others, and goes with the last of them.
 */
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
      ), handed_over as (
        select distinct e.submitted_id, e.created_at from given join emails e
          on e.workspace_id = $1 and e.message_id = given.message_id and e.created_at = given.created_at
        where e.submitted_id is not null
      ), submitted as (
        delete from submitted_mails s using handed_over h
        where s.workspace_id = $1 and s.id = h.submitted_id and s.created_at = h.created_at and not exists (
          select from emails o where o.workspace_id = $1 and o.message_id = any (s.message_ids) and o.created_at = s.created_at
            and o.submitted_id is not null and o.message_id not in (select message_id from given))
      )
      update emails e set subject = null, html = null, text = null, variables = null, destination_name = null, further_to = '[]', cc = '[]',
        bcc = '[]', reply_to = '[]', headers = '[]', one_click_url = null, submitted_id = null
      from given where e.workspace_id = $1 and e.message_id = given.message_id and e.created_at = given.created_at`,
    values: [
      workspaceId,
      int8Array(messages.map(({ id }) => id)),
      textArray(messages.map(({ createdAt }) => createdAt)),
    ],
  })
}
