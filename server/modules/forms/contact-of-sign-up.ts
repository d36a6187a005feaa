import type { Transaction } from '../../platform/db/transaction.ts'
import { upsertContacts } from '../contacts/upsert-contacts.ts'
import { upsertFitting } from '../contacts/upsert-fitting.ts'
import { takeUpsertTurn } from '../contacts/upsert-turn.ts'
import { ofKnownFields } from '../custom-fields/fields-named.ts'
import type { FilledIn } from './read-values.ts'

/**
 * The contact who has the address, its blanks filled by what was filled in, custom fields too: whoever filled in the form need
 * not have been the one who confirms, and changes nothing that is known. A custom field that is no more, or has another type
 * by now, is left out:
 * what anybody may fill in makes up none.
 *
 * The address alone decides who it is. A phone number is given in a step of its own, when somebody has the address already:
 * otherwise it would find whoever has that number, and give them a stranger's address.
 */
export async function contactOfSignUp(tx: Transaction, workspaceId: string, values: FilledIn): Promise<string> {
  const { email, firstName, lastName, phone } = values
  const fields = { email, ...stated({ firstName, lastName }) }
  // Before the fields are held, as other writers of many contacts do.
  await takeUpsertTurn(tx, workspaceId)
  const item = { fields, customFields: await ofKnownFields(tx, workspaceId, values.customFields) }
  const { contactId } = await upsertFitting(tx, workspaceId, { item, mode: 'fill', fillsCustomFields: true })
  const items = [{ fields: { email, phone }, customFields: {} }]
  if (phone !== null) await upsertContacts(tx, workspaceId, { items, mode: 'fill' })
  return contactId
}

function stated(fields: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null))
}
