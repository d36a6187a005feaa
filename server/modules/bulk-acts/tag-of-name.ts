import type { Transaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import { ensureTags, tagsNamed } from '../tags/apply-tags.ts'
import type { BulkActKind } from './schemas.ts'

/** The id of the tag of a name. One that is to be given is made where there is none; one to be taken off is undefined then. */
export async function tagOfName(
  tx: Transaction,
  caller: Caller,
  { act, tag }: { act: BulkActKind; tag: string },
): Promise<string | undefined> {
  if (act === 'tag') return (await ensureTags(tx, caller, [tag])).get(tag.toLowerCase())
  return (await tagsNamed(tx, caller.workspaceId, [tag]))[0]?.id
}
