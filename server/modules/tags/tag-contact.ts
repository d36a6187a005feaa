import { notFound } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { Caller } from '../auth/caller.ts'
import { applyTags, ensureTags, removeTags } from './apply-tags.ts'
import { requireTagName, type TagDeps } from './manage-tags.ts'
import { tagsNamed } from './queries.ts'
import { readTagName } from './tag-name.ts'
import { holdContact, type TagRow, tagByIdStatement } from './tag-queries.ts'

type ContactTag = { contactId: string; name: string }
type TaggingDeps = Pick<TagDeps, 'sql'>

/**
 * Gives a contact the tag of a name, creating it when there is none; the same again changes nothing. Throws 400 for a
 * name that is none, 404 for a contact that is not there.
 */
export async function tagContact(deps: TaggingDeps, caller: Caller, { contactId, name }: ContactTag): Promise<TagRow> {
  const { workspaceId } = caller
  const given = requireTagName(name)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if (!(await holdContact(tx, workspaceId, contactId))) throw notFound()
    const tagId = (await ensureTags(tx, caller, [given])).get(given.toLowerCase())!
    await applyTags(tx, caller, [{ contactId, tagId }])
    return (await tx.query(tagByIdStatement(workspaceId, tagId))).rows[0]!
  })
}

/** Takes the tag of a name off a contact; without it nothing changes. Throws 404 for a contact that is not there. */
export async function untagContact(deps: TaggingDeps, caller: Caller, { contactId, name }: ContactTag): Promise<void> {
  const { workspaceId } = caller
  const read = readTagName(name)
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    if (!(await holdContact(tx, workspaceId, contactId))) throw notFound()
    const found = 'name' in read ? await tagsNamed(tx, workspaceId, [read.name]) : []
    await removeTags(
      tx,
      caller,
      found.map(({ id: tagId }) => ({ contactId, tagId })),
    )
  })
}
