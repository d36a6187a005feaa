import type { Transaction } from '../../platform/db/transaction.ts'
import { contactOf, shownContactOf } from './contact-of.ts'
import { contactsByIds, shownContactStatement, shownContactsByIds } from './queries.ts'
import type { Contact, ShownContact } from './schemas.ts'

/** The contacts of these ids that there are, ascending by id. */
export async function contactsWithIds(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Contact[]> {
  return (await contactsByIds(tx, workspaceId, ids)).map(contactOf)
}

/** One contact as every surface answers it, if it is there. */
export async function shownContact(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<ShownContact | undefined> {
  const { rows } = await tx.query(shownContactStatement(workspaceId, id))
  return rows.map(shownContactOf)[0]
}

/** The same of many, ascending by id. */
export async function shownContacts(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ShownContact[]> {
  return (await shownContactsByIds(tx, workspaceId, ids)).map(shownContactOf)
}
