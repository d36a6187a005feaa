import { CONTACT_FIELD_NAMES } from '../../catalogue/contact-fields.ts'
import { unprocessable } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { carryCustomFields } from '../custom-fields/take-custom-fields.ts'
import { customFieldsFault } from './contact-fields.ts'
import { type ContactRow, contactsForRemoval, deleteContactRows, updateContactRow } from './queries.ts'
import { carryUnproven } from './unproven.ts'

/**
 * Locks contacts against every change and every reference to them until the transaction ends; those that exist, in the
 * order of their ids, which is the order of locking too: two callers never wait for each other in a circle.
 */
export async function lockContacts(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ContactRow[]> {
  return contactsForRemoval(tx, workspaceId, ids)
}

/** Deletes contacts with their tags. */
export async function removeContacts(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  await deleteContactRows(tx, workspaceId, ids)
}

/**
 * Fills the blanks of a contact from another, which is deleted: of the core fields those that are not set, of the custom
 * fields the keys it lacks. Answers the contact and what changed. Throws 422 when the custom fields would be too many.
 */
export async function absorbContact(
  tx: Transaction,
  workspaceId: string,
  { survivor, other }: { survivor: ContactRow; other: ContactRow },
): Promise<{ row: ContactRow; changed: string[] }> {
  if (survivor.email === null && other.email !== null) {
    await carryUnproven(tx, workspaceId, { fromId: other.id, toId: survivor.id })
  }
  // First: each of its aliases can belong to one contact only.
  await deleteContactRows(tx, workspaceId, [other.id])
  const carried = (contact: ContactRow) =>
    carryCustomFields(tx, workspaceId, parseExactJson(contact.customFields) as Record<string, unknown>)
  const [own, theirs] = [await carried(survivor), await carried(other)]
  const customFields = { ...theirs, ...own }
  if (customFieldsFault(customFields)) {
    throw unprocessable([{ pointer: '', detail: 'together the contacts have more custom fields than one may have' }])
  }
  const taken = CONTACT_FIELD_NAMES.filter((field) => survivor[field] === null && other[field] !== null)
  const changed: string[] = [...taken]
  if (Object.keys(customFields).length > Object.keys(own).length) changed.push('customFields')
  const filled = Object.fromEntries(taken.map((field) => [field, other[field]]))
  const after = { ...survivor, ...filled, customFields: JSON.stringify(customFields) }
  return { row: await updateContactRow(tx, { workspaceId, id: survivor.id }, after), changed }
}
