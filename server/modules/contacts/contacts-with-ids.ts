import type { Transaction } from '../../platform/db/transaction.ts'
import { contactOf, shownContactOf } from './contact-of.ts'
import { contactsByIds, shownContactsByIds } from './queries.ts'
import type { Contact, ShownContact } from './schemas.ts'

/** The contacts of these ids that there are, ascending by id. */
export async function contactsWithIds(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Contact[]> {
  return (await contactsByIds(tx, workspaceId, ids)).map(contactOf)
}

/** The same as every surface answers them. */
export async function shownContacts(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ShownContact[]> {
  return (await shownContactsByIds(tx, workspaceId, ids)).map(shownContactOf)
}
