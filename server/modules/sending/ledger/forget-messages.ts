import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'

/** Takes the addresses of messages out of the ledger, and what servers said of them; what is still queued is not sent. */
export async function forgetMessages(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query({
    name: 'forget_messages',
    text: `with attempts as (
        update message_attempts set reply = null
        where workspace_id = $1 and message_id = any ($2::int8[]) and reply is not null
      )
      update messages set destination = '', reply = null, provider_message_id = null
      where workspace_id = $1 and id = any ($2::int8[]) and destination <> ''`,
    values: [workspaceId, int8Array(ids)],
  })
}
