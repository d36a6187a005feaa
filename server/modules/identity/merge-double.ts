import { inTransaction } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { systemCaller } from '../auth/system-caller.ts'
import type { PersonalDataDeps } from '../personal-data/deps.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { type Person, personById } from './identity-queries.ts'

/**
 * Makes a contact that a page has made part of the one that was signed in the same browser, unless they have different aliases of a kind. The
 * conflict goes with it; where nothing follows, it stays for a person to look at.
 */
export async function mergeDouble(
  deps: Pick<PersonalDataDeps, 'sql' | 'enqueueSweep'>,
  workspaceId: string,
  { contactId, double }: { contactId: string; double: Person },
): Promise<void> {
  const signed = await inTransaction(deps.sql, workspaceId, (tx) => personById(tx, workspaceId, contactId))
  if (signed === undefined || areApart(signed, double)) return
  try {
    await mergeContacts(deps, systemCaller(workspaceId), { id: contactId, otherId: double.id })
  } catch (error) {
    // One of them was merged or erased a moment ago.
    if (!(error instanceof Problem)) throw error
  }
}

function areApart(one: Person, other: Person): boolean {
  return (['subjectId', 'email', 'phone'] as const).some(
    (kind) => one[kind] !== null && other[kind] !== null && one[kind] !== other[kind],
  )
}
