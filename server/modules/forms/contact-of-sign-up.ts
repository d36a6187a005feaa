import { overloaded } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { ContactItem } from '../contacts/plan-upsert.ts'
import { type Upserted, upsertContacts } from '../contacts/upsert-contacts.ts'
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
  const contactId = await fill(tx, workspaceId, { fields, customFields })
  if (phone !== null) await upsert(tx, workspaceId, { fields: { email, phone }, customFields: {} })
  return contactId
}

function stated(fields: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Without the custom fields that do not fit, one after the other. */
async function fill(tx: Transaction, workspaceId: string, item: ContactItem): Promise<string> {
  const customFields = { ...item.customFields }
  for (;;) {
    const upserted = await upsert(tx, workspaceId, { ...item, customFields })
    if (upserted.status !== 'failed') return upserted.contactId
    const [, , key] = upserted.error.pointer.split('/')
    const at = key?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (at !== undefined && Object.hasOwn(customFields, at)) delete customFields[at]
    else if (Object.keys(customFields).length > 0) for (const one of Object.keys(customFields)) delete customFields[one]
    else throw overloaded(1)
  }
}

async function upsert(tx: Transaction, workspaceId: string, item: ContactItem): Promise<Upserted> {
  const [upserted] = await upsertContacts(tx, workspaceId, { items: [item], mode: 'fill' })
  return upserted!
}

async function customFieldsOf(tx: Transaction, workspaceId: string, email: string): Promise<Record<string, unknown>> {
  const { rows } = await tx.query<{ customFields: string }>({
    name: 'custom_fields_of_sign_up',
    text: `select custom_fields as "customFields" from contacts where workspace_id = $1 and email = $2`,
    values: [workspaceId, email],
  })
  return rows[0] === undefined ? {} : (parseExactJson(rows[0].customFields) as Record<string, unknown>)
}
