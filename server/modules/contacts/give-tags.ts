import { invalid } from '../../catalogue/problems.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import type { Caller } from '../auth/caller.ts'
import { applyTags, applyTagsInPart, ensureTags } from '../tags/apply-tags.ts'
import { readTagName } from '../tags/tag-name.ts'

/** The tags of a body as they are stored; those that are none with their faults. */
export function checkTags(given: readonly string[] = []): { tags: string[]; errors: FieldError[] } {
  const read = given.map(readTagName)
  return {
    tags: read.flatMap((one) => ('name' in one ? [one.name] : [])),
    errors: read.flatMap((one, n) => ('fault' in one ? [{ pointer: `/tags/${n}`, detail: one.fault }] : [])),
  }
}

/** The same, throwing a 400 that names each that is none. */
export function readTags(given: readonly string[] | undefined): string[] {
  const { tags, errors } = checkTags(given)
  if (errors.length > 0) throw invalid(errors)
  return tags
}

export type TagsOfContact = { contactId: string; tags: readonly string[] }

/**
 * Gives contacts tags, made where nobody has them; with an audit entry for each, or as part of a longer work that has one. `known` are
 * the ids that names in lower case stand for by then, whatever they are called now; one that is gone is given to nobody.
 */
export async function giveTags(
  tx: Transaction,
  caller: Caller,
  given: readonly TagsOfContact[],
  { inPart = false, known = new Map<string, string>() } = {},
): Promise<void> {
  const wanted = given.flatMap(({ contactId, tags }) => tags.map((name) => ({ contactId, name })))
  if (wanted.length === 0) return
  // Backwards: a tag is spelt as it is first given.
  const names = new Map(wanted.toReversed().map(({ name }) => [name.toLowerCase(), name]))
  for (const name of known.keys()) names.delete(name)
  const ids = new Map([...known, ...(await ensureTags(tx, caller, [...names.values()]))])
  const pairs = wanted.map(({ name, contactId }) => ({ contactId, tagId: ids.get(name.toLowerCase())! }))
  if (inPart) await applyTagsInPart(tx, caller.workspaceId, pairs)
  else await applyTags(tx, caller, pairs)
}
