import { notFound } from '../../catalogue/problems.ts'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { contactOf } from '../contacts/contact-of.ts'
import type { PersonalDataDeps } from './deps.ts'
import { erasePeople, lockPeople } from './erase-people.ts'

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
  const locked = await lockPeople(deps, tx, { workspaceId: caller.workspaceId, ids: [id] })
  const [contact] = locked.contacts
  if (!contact) throw notFound()
  requireMatch(ifMatch, contactOf(contact))
  await Promise.all([
    erasePeople(deps, tx, { ...locked, by: caller }),
    recordAudit(tx, caller, { action: 'contact.erase', target: { type: 'contact', id: contact.id, name: null } }),
  ])
}
