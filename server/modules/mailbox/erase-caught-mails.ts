import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Removes what the catcher keeps of mail to these addresses, in lower case. It keeps few: looked through as a whole. */
export async function eraseCaughtMails(
  tx: Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return
  await tx.query({
    name: 'erase_caught_mails',
    text: `delete from caught_mails m where m.workspace_id = $1
      and exists (select from unnest(m.recipients) recipient where lower(recipient) = any ($2::text[]))`,
    values: [workspaceId, textArray(addresses)],
  })
}
