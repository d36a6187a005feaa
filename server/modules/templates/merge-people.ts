import type { Transaction } from '../../platform/db/transaction.ts'
import { contactsWithIds } from '../contacts/contacts-with-ids.ts'
import type { Contact } from '../contacts/schemas.ts'
import { formerKeys, underEveryKey } from '../custom-fields/former-keys.ts'

/**
 * The contacts of these ids that there are, as templates name them: a template that was written before a custom field was renamed
 * finds its value under the former key, and one that was written since finds it while the values follow.
 */
export async function mergePeople(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<Contact[]> {
  // Sent together.
  const [contacts, former] = await Promise.all([contactsWithIds(tx, workspaceId, ids), formerKeys(tx, workspaceId)])
  return contacts.map((contact) => ({ ...contact, customFields: underEveryKey(contact.customFields, former) }))
}
