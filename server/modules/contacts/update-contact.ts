import { isDeepStrictEqual } from 'node:util'
import { CONTACT_FIELD_NAMES } from '../../catalogue/contact-fields.ts'
import { notFound } from '../../catalogue/problems.ts'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { contactEvent } from './contact-events.ts'
import { mergeCustomFields, readContactFields } from './contact-fields.ts'
import { contactOf } from './contact-of.ts'
import { fittingFields, requireAlias, throwTakenAlias } from './contact-rules.ts'
import { shownContact } from './contacts-with-ids.ts'
import type { ContactDeps } from './create-contact.ts'
import { contactForChange, updateContactRow } from './queries.ts'
import type { ContactChange, ShownContact } from './schemas.ts'
import { proveAddresses } from './unproven.ts'

/**
 * Changes a contact (merge patch: absent stays, null clears, custom fields key by key) and emits `contact.updated` with
 * the names of what changed. Throws 404, 412 when `ifMatch` names an older state, and what creating throws.
 * A change that changes nothing is answered with the contact as it is and leaves no trace.
 */
export async function updateContact(
  deps: ContactDeps,
  caller: Caller,
  input: { id: string; body: ContactChange; ifMatch?: string | undefined },
): Promise<ShownContact> {
  const given = readContactFields(input.body)
  const key = { workspaceId: caller.workspaceId, id: input.id }
  const write = () =>
    inTransaction(deps.sql, caller.workspaceId, async (tx) => {
      const before = await contactForChange(tx, key.workspaceId, key.id)
      if (!before) throw notFound()
      requireMatch(input.ifMatch, contactOf(before))
      const current = parseExactJson(before.customFields) as Record<string, unknown>
      const taken = await fittingFields(tx, key.workspaceId, input.body.customFields)
      const customFields = mergeCustomFields(current, taken)
      const after = { ...before, ...given, customFields: JSON.stringify(customFields) }
      requireAlias(after)
      const changed: string[] = CONTACT_FIELD_NAMES.filter((field) => before[field] !== after[field])
      if (!isDeepStrictEqual(customFields, current)) changed.push('customFields')
      if (given.email) await proveAddresses(tx, key.workspaceId, [before.id])
      const shown = () => shownContact(tx, key.workspaceId, before.id)
      if (changed.length === 0) return (await shown())!
      const row = await updateContactRow(tx, key, after)
      const [contact] = await Promise.all([
        shown(),
        emitEvents(tx, key.workspaceId, [contactEvent('contact.updated', key.workspaceId, row, { changed })]),
        recordAudit(tx, caller, {
          action: 'contact.update',
          target: { type: 'contact', id: row.id, name: null },
          diff: Object.fromEntries(changed.map((field) => [field, 'changed'])),
        }),
      ])
      return contact!
    })
  return retrying(write).catch(throwTakenAlias)
}
