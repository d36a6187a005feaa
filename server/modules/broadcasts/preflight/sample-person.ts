import type pg from 'pg'
import { missingScope, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import type { Caller } from '../../auth/caller.ts'
import { mergePeople } from '../../templates/merge-people.ts'
import { type MergeContact, strangerAt } from '../../templates/merge-variables.ts'
import { sampleContact } from '../../templates/sample-contact.ts'

/** Somebody of whom nothing but the address is known: what is rendered for them must render as well. */
export const STRANGER: MergeContact = strangerAt('alex.sample@example.com')

/** The contact that a mail is shown as to somebody who may read contacts, else the sample person. Throws 403, 422. */
export async function personOf(sql: pg.Pool, caller: Caller, contactId: string | undefined): Promise<MergeContact> {
  if (contactId === undefined) return sampleContact(sql, caller.workspaceId)
  if (!caller.scopes.has('contacts:read')) throw missingScope('contacts:read')
  const ids = isBeyondIds(contactId) ? [] : [contactId]
  const [contact] = await inTransaction(sql, caller.workspaceId, (tx) => mergePeople(tx, caller.workspaceId, ids))
  if (!contact) throw unprocessable([{ pointer: '/contactId', detail: 'is not a contact of this workspace' }])
  return contact
}
