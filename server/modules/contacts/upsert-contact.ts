import { ALIASES } from '../../catalogue/contact-fields.ts'
import { conflict, invalid, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { readContactItem } from './contact-item.ts'
import { shownContact } from './contacts-with-ids.ts'
import type { ContactDeps } from './create-contact.ts'
import { giveTags } from './give-tags.ts'
import { ALIAS_TAKEN } from './plan-upsert.ts'
import type { ContactBody, ShownContact, UpsertMode } from './schemas.ts'
import { retryingRaces, upsertContacts } from './upsert-contacts.ts'

/**
 * Creates a contact, or changes the one that has an alias of the body, as a batch of one would. One that changes nothing
 * leaves no trace. Throws what creating throws.
 */
export async function upsertContact(
  deps: ContactDeps,
  caller: Caller,
  { body, mode }: { body: ContactBody; mode: UpsertMode },
): Promise<ShownContact> {
  const { workspaceId } = caller
  const read = readContactItem(body, mode)
  if ('faults' in read) throw invalid(read.faults)
  return retryingRaces(() =>
    inTransaction(deps.sql, workspaceId, async (tx) => {
      const outcome = (await upsertContacts(tx, workspaceId, { items: [read.item], mode }))[0]!
      if (outcome.status === 'failed') throw refusal(outcome.error)
      const { contactId, changed } = outcome
      const created = outcome.status === 'created'
      if (changed.length > 0) {
        await recordAudit(tx, caller, {
          action: created ? 'contact.create' : 'contact.update',
          target: { type: 'contact', id: contactId, name: null },
          diff: Object.fromEntries(changed.map((field) => [field, 'changed'])),
        })
      }
      if (created) await deps.onCreated?.(tx, { workspaceId, contactIds: [contactId] })
      await giveTags(tx, caller, [{ contactId, tags: read.tags }])
      return (await shownContact(tx, workspaceId, contactId))!
    }),
  )
}

/** The fault of an item as the problem that creating answers for it. */
function refusal({ pointer, detail }: FieldError) {
  const alias = ALIASES.find((name) => pointer === `/${name}`)
  if (alias && detail === ALIAS_TAKEN) return conflict(alias, detail)
  return pointer === '/customFields' ? invalid([{ pointer, detail }]) : unprocessable([{ pointer, detail }])
}
