import { overloaded } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { ContactItem } from './plan-upsert.ts'
import { type Upsert, type Upserted, upsertContacts } from './upsert-contacts.ts'

type Done = Exclude<Upserted, { status: 'failed' }>

/** Upserts one contact, without those of its custom fields that do not fit, one after the other. */
export async function upsertFitting(
  tx: Transaction,
  workspaceId: string,
  { item, ...how }: Omit<Upsert, 'items'> & { item: ContactItem },
): Promise<Done> {
  const customFields = { ...item.customFields }
  for (;;) {
    const [upserted] = await upsertContacts(tx, workspaceId, { ...how, items: [{ ...item, customFields }] })
    if (upserted!.status !== 'failed') return upserted!
    const [, , key] = upserted!.error.pointer.split('/')
    const at = key?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (at !== undefined && Object.hasOwn(customFields, at)) delete customFields[at]
    else if (Object.keys(customFields).length > 0) for (const one of Object.keys(customFields)) delete customFields[one]
    else throw overloaded(1)
  }
}
