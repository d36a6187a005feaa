import { Problem } from '../../platform/problem.ts'
import { systemCaller } from '../auth/system-caller.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { proveAddresses } from '../contacts/unproven.ts'
import type { PersonalDataDeps } from '../personal-data/deps.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'

/**
 * Makes a contact that a page has made part of the one that was signed in the same browser, where the statement names each of its aliases: anybody
 * may have typed them, and nobody is to be another's by that. They are as proven then as the statement. The conflict goes with it; where nothing
 * follows, it stays for a person to look at.
 */
export async function mergeDouble(
  deps: Pick<PersonalDataDeps, 'sql' | 'enqueueSweep'>,
  workspaceId: string,
  { contactId, doubleId, aliases }: { contactId: string; doubleId: string; aliases: Aliases },
): Promise<void> {
  try {
    await mergeContacts(deps, systemCaller(workspaceId), {
      ...{ id: contactId, otherId: doubleId },
      async mayMerge(tx, { survivor, other }) {
        if (!isNamedBy(other, aliases) || areApart(survivor, other)) return false
        if (other.email !== null) await proveAddresses(tx, workspaceId, [other.id])
        return true
      },
    })
  } catch (error) {
    // They may not be one, or one of them was merged or erased a moment ago.
    if (!(error instanceof Problem)) throw error
  }
}

const KINDS = ['subjectId', 'email', 'phone'] as const

const isNamedBy = (one: Aliases, aliases: Aliases) =>
  KINDS.every((kind) => one[kind] === null || one[kind] === aliases[kind])

const areApart = (one: Aliases, other: Aliases) =>
  KINDS.some((kind) => one[kind] !== null && other[kind] !== null && one[kind] !== other[kind])
