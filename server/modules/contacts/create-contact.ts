import type pg from 'pg'
import { conflict, invalid, unprocessable } from '../../catalogue/problems.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { takeCustomFields } from '../custom-fields/take-custom-fields.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { contactEvent } from './contact-events.ts'
import { CONTACT_FIELDS, type ContactChange, mergeCustomFields, readContactFields } from './contact-fields.ts'
import { type ContactRow, insertContact } from './queries.ts'
import type { ContactBody, ContactField } from './schemas.ts'

export type ContactDeps = {
  sql: pg.Pool
  /** Tells the consumer groups that events were committed. */
  wakeOutbox: () => void
  /** Runs in the transaction that creates contacts; returns what is to be done after its commit. */
  onCreated?: (tx: Transaction, created: CreatedContacts) => Promise<(() => void) | undefined>
}

export type CreatedContacts = { workspaceId: string; contactIds: readonly string[] }

const FIELD_OF_CONSTRAINT: Record<string, ContactField> = {
  contacts_subject_id_taken: 'subjectId',
  contacts_email_taken: 'email',
  contacts_phone_taken: 'phone',
}

/** Creates a contact and emits `contact.created`. Throws 400 for bad fields or no alias at all, 409 naming a taken alias, 422 for a custom field of the wrong type. */
export async function createContact(deps: ContactDeps, caller: Caller, body: ContactBody): Promise<ContactRow> {
  const given = readContactFields(body)
  requireAlias(given)
  const blank = Object.fromEntries(CONTACT_FIELDS.map((field) => [field, null])) as Required<ContactChange>
  const write = () =>
    inTransaction(deps.sql, caller.workspaceId, async (tx) => {
      const taken = await fittingFields(tx, caller.workspaceId, body.customFields)
      const customFields = JSON.stringify(mergeCustomFields({}, taken))
      const row = await insertContact(tx, caller.workspaceId, { ...blank, ...given, customFields })
      // Sent together: none waits for another's answer.
      const [afterCommit] = await Promise.all([
        deps.onCreated?.(tx, { workspaceId: caller.workspaceId, contactIds: [row.id] }),
        emitEvents(tx, caller.workspaceId, [contactEvent('contact.created', caller.workspaceId, row)]),
        recordAudit(tx, caller, {
          action: 'contact.create',
          target: { type: 'contact', id: row.id, name: null },
          diff: Object.fromEntries(Object.keys(body).map((field) => [field, 'changed'])),
        }),
      ])
      return { row, afterCommit }
    })
  const { row, afterCommit } = await retrying(write).catch(throwTakenAlias)
  afterCommit?.()
  deps.wakeOutbox()
  return row
}

/** A change of custom fields, converted to their types (see `takeCustomFields`). Throws a 422 naming each that does not fit. */
export async function fittingFields<C extends ContactBody['customFields']>(
  tx: Transaction,
  workspaceId: string,
  change: C,
) {
  if (!change) return change
  const [taken] = await takeCustomFields(tx, workspaceId, [change])
  if (taken!.errors.length > 0) throw unprocessable(taken!.errors)
  return taken!.values
}

export function requireAlias(contact: ContactChange): void {
  if (contact.subjectId || contact.email || contact.phone) return
  throw invalid([{ pointer: '', detail: 'needs at least one of subjectId, email, phone' }])
}

/** A clash of aliases as a 409 that names the field; anything else as it is. */
export function throwTakenAlias(error: unknown): never {
  const field = FIELD_OF_CONSTRAINT[brokenConstraint(error) ?? '']
  if (field) throw conflict(field, 'belongs to another contact of this workspace')
  throw error
}
