import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Removes what came back of messages and of addresses; that an address is suppressed stays. */
export async function eraseFeedback(
  tx: Transaction,
  workspaceId: string,
  { messageIds = [], addresses = [] }: { messageIds?: readonly string[]; addresses?: readonly string[] },
): Promise<void> {
  if (messageIds.length === 0 && addresses.length === 0) return
  await tx.query({
    name: 'erase_feedback',
    text: `delete from feedback_reports where workspace_id = $1
      and (message_id = any ($2::int8[]) or destination = any ($3::text[]))`,
    values: [workspaceId, int8Array(messageIds), textArray(addresses)],
  })
}
