import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** The contacts of these addresses, by address. */
export async function contactsByEmails(
  tx: Transaction,
  workspaceId: string,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ id: string; email: string }>({
    name: 'contacts_by_emails',
    text: 'select id, email from contacts where workspace_id = $1 and email = any ($2::text[])',
    values: [workspaceId, textArray(emails)],
  })
  return new Map(rows.map(({ id, email }) => [email, id]))
}
