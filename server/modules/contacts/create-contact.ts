import type pg from 'pg'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { contactEvent } from './contact-events.ts'
import { mergeCustomFields, readContactFields } from './contact-fields.ts'
import { fittingFields, requireAlias, throwTakenAlias } from './contact-rules.ts'
import { shownContact } from './contacts-with-ids.ts'
import { giveTags, readTags } from './give-tags.ts'
import { BLANK_FIELDS, insertContact } from './queries.ts'
import type { ContactBody, ShownContact } from './schemas.ts'

export type ContactDeps = {
  sql: pg.Pool
  /** Runs in the transaction that creates contacts. */
  onCreated?: (tx: Transaction, created: CreatedContacts) => Promise<void>
}

export type CreatedContacts = { workspaceId: string; contactIds: readonly string[] }

/**
 * Creates a contact with its tags and emits `contact.created`. Throws 400 for bad fields or no alias at all, 409 naming a
 * taken alias, 422 for a custom field of the wrong type.
 */
export async function createContact(deps: ContactDeps, caller: Caller, body: ContactBody): Promise<ShownContact> {
  const given = readContactFields(body)
  requireAlias(given)
  const tags = readTags(body.tags)
  const write = () =>
    inTransaction(deps.sql, caller.workspaceId, async (tx) => {
      const taken = await fittingFields(tx, caller.workspaceId, body.customFields)
      const customFields = JSON.stringify(mergeCustomFields({}, taken))
      const row = await insertContact(tx, caller.workspaceId, { ...BLANK_FIELDS, ...given, customFields })
      // Sent together: none waits for another's answer.
      await Promise.all([
        deps.onCreated?.(tx, { workspaceId: caller.workspaceId, contactIds: [row.id] }),
        emitEvents(tx, caller.workspaceId, [contactEvent('contact.created', caller.workspaceId, row)]),
        recordAudit(tx, caller, {
          action: 'contact.create',
          target: { type: 'contact', id: row.id, name: null },
          diff: Object.fromEntries(Object.keys(body).map((field) => [field, 'changed'])),
        }),
      ])
      await giveTags(tx, caller, [{ contactId: row.id, tags }])
      return (await shownContact(tx, caller.workspaceId, row.id))!
    })
  return retrying(write).catch(throwTakenAlias)
}
