import type { Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { upsertContacts } from '../contacts/upsert-contacts.ts'
import { upsertFitting } from '../contacts/upsert-fitting.ts'
import type { FilledIn } from './read-values.ts'

/**
 * The contact who has the address, its blanks filled by what was filled in, custom fields too: whoever filled in the form need
 * not have been the one who confirms, and changes nothing that is known. A custom field that is no more, or has another type
 * by now, is left out.
 *
 * The address alone decides who it is. A phone number is given in a step of its own, when somebody has the address already:
 * otherwise it would find whoever has that number, and give them a stranger's address.
 */
export async function contactOfSignUp(tx: Transaction, workspaceId: string, values: FilledIn): Promise<string> {
  const { email, firstName, lastName, phone } = values
  const fields = { email, ...stated({ firstName, lastName }) }
  const known = await customFieldsOf(tx, workspaceId, email)
  const customFields = { ...values.customFields }
  for (const key of Object.keys(customFields)) if (Object.hasOwn(known, key)) delete customFields[key]
  const { contactId } = await upsertFitting(tx, workspaceId, { item: { fields, customFields }, mode: 'fill' })
  const items = [{ fields: { email, phone }, customFields: {} }]
  if (phone !== null) await upsertContacts(tx, workspaceId, { items, mode: 'fill' })
  return contactId
}

function stated(fields: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null))
}

async function customFieldsOf(tx: Transaction, workspaceId: string, email: string): Promise<Record<string, unknown>> {
  const { rows } = await tx.query<{ customFields: string }>({
    name: 'custom_fields_of_sign_up',
    text: `select custom_fields as "customFields" from contacts where workspace_id = $1 and email = $2`,
    values: [workspaceId, email],
  })
  return rows[0] === undefined ? {} : (parseExactJson(rows[0].customFields) as Record<string, unknown>)
}
