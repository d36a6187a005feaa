import type { Transaction } from '../../platform/db/transaction.ts'
import type { Actor } from '../audit/record-audit.ts'
import { forgetRuns } from '../automations/run/forget-runs.ts'
import type { EraseSome } from '../bulk-acts/run-bulk-act.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { lockContacts, removeContacts } from '../contacts/remove-contact.ts'
import { type DomainEvent, emitEvents, integer } from '../domain-events/emit-events.ts'
import type { SubmittedSoFar } from '../forms/forget-form-submissions.ts'
import { forgetAnswers } from '../idempotency/forget-answers.ts'
import { holdFiles } from '../imports/stored-files.ts'
import { eraseVisitorsOf } from '../visitors/erased-visitors.ts'
import { takeTurnOfVisitorsOf } from '../visitors/turn-of-visitor.ts'
import type { PersonalDataDeps } from './deps.ts'
import { insertErasures } from './queries.ts'

export type ErasingDeps = Pick<PersonalDataDeps, 'forms' | 'enqueueSweep'>
type Person = { id: string } & Aliases
type By = { workspaceId: string; actor: Actor }

/**
 * Contacts that are to be erased, with their visitors, locked until the transaction ends; those that exist. With how many submissions of
 * forms there are then, as that is asked for in the same round trip.
 */
export async function lockPeople(
  { forms }: Pick<ErasingDeps, 'forms'>,
  tx: Transaction,
  { workspaceId, ids }: { workspaceId: string; ids: readonly string[] },
) {
  const [, , contacts, submitted] = await Promise.all([
    holdFiles(tx, workspaceId),
    takeTurnOfVisitorsOf(tx, workspaceId, ids),
    lockContacts(tx, workspaceId, ids),
    forms.soFar(tx),
  ])
  return { contacts, submitted }
}

/**
 * Erases contacts that are locked: each with its tags and its places in automations at once, everything else that tells of
 * them by the job `erase_contact`. Emits `contact.erased`. In this order, and in one round trip: it has written, and the
 * events of every workspace wait for its end.
 */
export async function erasePeople(
  deps: ErasingDeps,
  tx: Transaction,
  { contacts, submitted, by }: { contacts: readonly Person[]; submitted: SubmittedSoFar; by: By },
): Promise<void> {
  const { workspaceId, actor } = by
  const ids = contacts.map(({ id }) => id)
  const emails = contacts.flatMap(({ email }) => email ?? [])
  await Promise.all([
    eraseVisitorsOf(tx, workspaceId, ids),
    insertErasures(tx, workspaceId, { contacts, by: actor }),
    forgetRuns(tx, workspaceId, ids),
    removeContacts(tx, workspaceId, ids),
    forgetAnswers(tx, workspaceId, { type: 'contact', ids }),
    deps.forms.forget(tx, workspaceId, { emails, soFar: submitted }),
    emitEvents(
      tx,
      workspaceId,
      ids.map((id) => erasedEvent(by, id)),
    ),
    deps.enqueueSweep(tx, workspaceId),
  ])
}

/** For bulk acts: within a step of bounded time. */
export function createEraseSome(deps: ErasingDeps): EraseSome {
  return async (tx, by, ids) => {
    const locked = await lockPeople(deps, tx, { workspaceId: by.workspaceId, ids })
    if (locked.contacts.length > 0) await erasePeople(deps, tx, { ...locked, by })
    return locked.contacts.map(({ id }) => id)
  }
}

/** Names the person by our id alone: whatever else is known of it must not outlive the erasure in a log or a retry. */
function erasedEvent({ workspaceId, actor }: By, contactId: string): DomainEvent {
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
