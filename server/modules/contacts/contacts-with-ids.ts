import type { Transaction } from '../../platform/db/transaction.ts'
import { contactOf } from './contact-of.ts'
import { contactsByIds } from './queries.ts'
import type { Contact } from './schemas.ts'

/** The contacts of these ids that there are, ascending by id. */
export async function contactsWithIds(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Contact[]> {
  return (await contactsByIds(tx, workspaceId, ids)).map(contactOf)
}
