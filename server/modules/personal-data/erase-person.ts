import { notFound } from '../../catalogue/problems.ts'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { forgetRuns } from '../automations/run/forget-runs.ts'
import { contactOf } from '../contacts/contact-of.ts'
import { lockContacts, removeContact } from '../contacts/remove-contact.ts'
import { type DomainEvent, emitEvents, integer } from '../domain-events/emit-events.ts'
import { forgetAnswers } from '../idempotency/forget-answers.ts'
import { eraseVisitorsOf } from '../visitors/erased-visitors.ts'
import { takeTurnOfVisitorsOf } from '../visitors/turn-of-visitor.ts'
import type { PersonalDataDeps } from './deps.ts'
import { insertErasure } from './queries.ts'

/**
 * Erases a person: the contact with its tags and its places in automations at once, everything else that tells of it by the job
 * `erase_contact`, which begins when what was in flight has arrived. Emits `contact.erased`. Throws 404, and 412 when
 * `ifMatch` names an older state.
 */
export async function erasePerson(
  deps: PersonalDataDeps,
  caller: Caller,
  input: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  const { workspaceId } = caller
  await retrying(() => inTransaction(deps.sql, workspaceId, (tx) => erase(deps, tx, { caller, ...input })))
}

async function erase(
  deps: PersonalDataDeps,
  tx: Transaction,
  { caller, id, ifMatch }: { caller: Caller; id: string; ifMatch?: string | undefined },
): Promise<void> {
  const { workspaceId, actor } = caller
  const [, [contact]] = await Promise.all([
    takeTurnOfVisitorsOf(tx, workspaceId, id),
    lockContacts(tx, workspaceId, [id]),
  ])
  if (!contact) throw notFound()
  requireMatch(ifMatch, contactOf(contact))
  // In this order, and in one round trip: it has written, and the events of every workspace wait for its end.
  await Promise.all([
    eraseVisitorsOf(tx, workspaceId, contact.id),
    insertErasure(tx, workspaceId, { contactId: contact.id, aliases: contact, by: actor }),
    forgetRuns(tx, workspaceId, contact.id),
    removeContact(tx, workspaceId, contact.id),
    forgetAnswers(tx, workspaceId, { type: 'contact', ids: [contact.id] }),
    contact.email !== null && deps.forms.forget(tx, workspaceId, contact.email),
    emitEvents(tx, workspaceId, [erasedEvent(caller, contact.id)]),
    recordAudit(tx, caller, { action: 'contact.erase', target: { type: 'contact', id: contact.id, name: null } }),
    deps.enqueueSweep(tx, workspaceId),
  ])
}

/** Names the person by our id alone: whatever else is known of it must not outlive the erasure in a log or a retry. */
function erasedEvent({ workspaceId, actor }: Caller, contactId: string): DomainEvent {
  return {
    type: 'contact.erased',
    subject: contactId,
    contactId,
    email: null,
    data: {
      workspaceId: integer(workspaceId),
      contactId: integer(contactId),
      identifierKind: 'contactId',
      operatorKind: actor.kind,
      operatorId: actor.id,
    },
  }
}
