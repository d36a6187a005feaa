import { notFound, unprocessable } from '../../catalogue/problems.ts'
import { errorCode } from '../../platform/db/errors.ts'
import { isDeadlock, retrying } from '../../platform/db/retry.ts'
import { SQLSTATE } from '../../platform/db/sqlstates.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { moveRuns } from '../automations/run/move-runs.ts'
import { moveRequests } from '../confirmations/move-requests.ts'
import { moveConsent } from '../consents/move-consent.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { contactEvent } from '../contacts/contact-events.ts'
import { contactOf } from '../contacts/contact-of.ts'
import { shownContact } from '../contacts/contacts-with-ids.ts'
import { absorbContact, lockContacts } from '../contacts/remove-contact.ts'
import { emitEvents, integer } from '../domain-events/emit-events.ts'
import { moveEvents } from '../events/move-events.ts'
import { moveSubmissions } from '../forms/move-submissions.ts'
import { moveMessages } from '../sending/ledger/move-messages.ts'
import { moveSlots } from '../sending/restraint/frequency-slots.ts'
import { moveContactTags } from '../tags/move-contact-tags.ts'
import { moveSubscriptions } from '../topics/move-subscriptions.ts'
import { moveVisitors } from '../visitors/bind-visitor.ts'
import type { PersonalDataDeps } from './deps.ts'
import { insertMerge } from './queries.ts'

type MayMerge = (tx: Transaction, both: { survivor: Aliases; other: Aliases & { id: string } }) => Promise<boolean>

/** Events, and messages, that move while the caller waits, who has 1.9 s on the busiest machine. */
const MOVED_AT_ONCE = 100

/**
 * Merges a contact into another, which keeps what it has and fills its blanks: fields, tags, topics, runs of automations and events move
 * over, and the merged contact is no more. A long history arrives by the job `erase_contact`, as do events in flight.
 * `mayMerge` is asked of both as they are, which they stay, and again where somebody else came between. Emits `contact.merged`. Throws 404 for the survivor, 422 for the other, 412 when
 * `ifMatch` names an older state.
 */
export async function mergeContacts(
  deps: Pick<PersonalDataDeps, 'sql' | 'enqueueSweep'>,
  caller: Caller,
  input: { id: string; otherId: string; ifMatch?: string | undefined; mayMerge?: MayMerge },
) {
  const { workspaceId, actor } = caller
  if (isBeyondIds(input.otherId)) throw unknownContact()
  const merge = async (tx: Transaction) => {
    const locked = await lockContacts(tx, workspaceId, [input.id, input.otherId])
    const survivor = locked.find(({ id }) => BigInt(id) === BigInt(input.id))
    const other = locked.find(({ id }) => BigInt(id) === BigInt(input.otherId))
    if (!survivor) throw notFound()
    requireMatch(input.ifMatch, contactOf(survivor))
    if (!other) throw unknownContact()
    if (other === survivor) throw unprocessable([{ pointer: '/contactId', detail: 'must be another contact' }])
    if (input.mayMerge && !(await input.mayMerge(tx, { survivor, other }))) throw anotherPerson()
    const move = { fromId: other.id, toId: survivor.id }
    await moveContactTags(tx, workspaceId, move)
    await moveSubscriptions(tx, workspaceId, move)
    await moveRuns(tx, workspaceId, move)
    await moveConsent(tx, workspaceId, move)
    await moveRequests(tx, workspaceId, move)
    await moveVisitors(tx, workspaceId, move)
    await moveSubmissions(tx, workspaceId, move)
    await moveSlots(tx, workspaceId, move)
    await insertMerge(tx, workspaceId, {
      mergedId: other.id,
      intoId: survivor.id,
      lost: aliasesLost(survivor, other),
      by: actor,
    })
    const { row, changed } = await absorbContact(tx, workspaceId, { survivor, other })
    // A short history is complete at once.
    const merging = { workspaceId, mergedIds: [other.id], survivorIds: [survivor.id] }
    await moveEvents(tx, merging, MOVED_AT_ONCE)
    await moveMessages(tx, merging, MOVED_AT_ONCE)
    const more = { mergedContactId: integer(other.id), changed }
    await emitEvents(tx, workspaceId, [contactEvent('contact.merged', workspaceId, row, more)])
    await recordAudit(tx, caller, {
      action: 'contact.merge',
      target: { type: 'contact', id: survivor.id, name: null },
      diff: {
        mergedContactId: { from: null, to: other.id },
        ...Object.fromEntries(changed.map((field) => [field, 'changed' as const])),
      },
    })
    await deps.enqueueSweep(tx, workspaceId)
    return (await shownContact(tx, workspaceId, row.id))!
  }
  return retrying(() => inTransaction(deps.sql, workspaceId, merge), isRace)
}

/** A message of a broadcast to the survivor was planned beside the move of one to the other: it is seen by the next try. */
const isRace = (error: unknown) => isDeadlock(error) || errorCode(error) === SQLSTATE.uniqueViolation

const unknownContact = () => unprocessable([{ pointer: '/contactId', detail: 'is no contact of this workspace' }])
const anotherPerson = () => unprocessable([{ pointer: '/contactId', detail: 'is another person' }])

/** Aliases that no contact has after the merge, because the survivor has others. */
function aliasesLost(survivor: Aliases, other: Aliases): Aliases {
  const lost = (alias: keyof Aliases) => (survivor[alias] === null ? null : other[alias])
  return { subjectId: lost('subjectId'), email: lost('email'), phone: lost('phone') }
}
