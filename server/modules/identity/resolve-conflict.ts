import { unprocessable } from '../../catalogue/problems.ts'
import type { Caller } from '../auth/caller.ts'
import type { PersonalDataDeps } from '../personal-data/deps.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { conflictById, settleConflict } from './identity-conflicts.ts'

export type ResolveDeps = Pick<PersonalDataDeps, 'sql' | 'enqueueSweep'>

/** Merges the other contact into the one that the statement was about, or leaves both; either way the conflict is settled. Throws 404, 422. */
export async function resolveConflict(
  deps: ResolveDeps,
  caller: Caller,
  { id, as }: { id: string; as: 'merge' | 'keep' },
): Promise<void> {
  const { contactId, otherContactId } = await conflictById(deps, caller.workspaceId, id)
  if (as === 'keep') return settleConflict(deps, caller, id)
  if (otherContactId === null) throw unprocessable([{ pointer: '/as', detail: 'there is no other contact to merge' }])
  // The conflict goes with the contact that is merged.
  await mergeContacts(deps, caller, { id: contactId, otherId: otherContactId })
}
