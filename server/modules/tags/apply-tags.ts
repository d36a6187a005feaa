import type { Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { Cause } from '../domain-events/cause.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import {
  addContactTags,
  addTags,
  removeContactTags,
  type TagChange,
  type TagName,
  type TagPair,
  tagsNamed,
} from './queries.ts'
import { tagEvent } from './tag-events.ts'

export { nameOfTag, type TagPair, tagsNamed } from './queries.ts'

/**
 * The ids of tags by their lower-case names; unknown ones are created, spelled as they are first given. Names are as
 * `readTagName` gives them. None of them is deleted until the transaction ends. One statement, three with unknown names.
 */
export async function ensureTags(
  tx: Transaction,
  caller: Caller,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { workspaceId } = caller
  const ids = new Map<string, string>()
  const note = (found: readonly { given: string; id: string }[]) => {
    for (const { given, id } of found) ids.set(given.toLowerCase(), id)
  }
  let unknown = names
  while (unknown.length > 0) {
    if (unknown !== names) await auditNewTags(tx, caller, await addTags(tx, workspaceId, unknown))
    note(await tagsNamed(tx, workspaceId, unknown))
    unknown = unknown.filter((name) => !ids.has(name.toLowerCase()))
  }
  return ids
}

/** Sent together: a file may bring a thousand new tags at once. */
async function auditNewTags(tx: Transaction, caller: Caller, added: readonly TagName[]): Promise<void> {
  const entryOf = ({ id, name }: TagName) => ({
    action: 'tag.create',
    target: { type: 'tag', id, name },
    diff: { name: { from: null, to: name } },
  })
  await Promise.all(added.map((tag) => recordAudit(tx, caller, entryOf(tag))))
}

/** Gives contacts tags and emits `contact.tagged` for those that did not have them; answers these. */
export async function applyTags(tx: Transaction, caller: Caller, pairs: readonly TagPair[]): Promise<TagChange[]> {
  if (pairs.length === 0) return []
  const added = await addContactTags(tx, caller.workspaceId, pairs)
  await recordChanges(tx, caller, { type: 'contact.tagged', changes: added })
  return added
}

/**
 * The same for a part of a longer work, which has an audit entry for all of it: a million tagged contacts would be
 * thousands of entries.
 */
export async function applyTagsInPart(
  tx: Transaction,
  workspaceId: string,
  pairs: readonly TagPair[],
): Promise<TagChange[]> {
  if (pairs.length === 0) return []
  const added = await addContactTags(tx, workspaceId, pairs)
  await emitEvents(
    tx,
    workspaceId,
    added.map((change) => tagEvent('contact.tagged', workspaceId, change)),
  )
  return added
}

/** The same for taking them off. */
export async function removeTagsInPart(
  tx: Transaction,
  workspaceId: string,
  pairs: readonly TagPair[],
): Promise<TagChange[]> {
  if (pairs.length === 0) return []
  const removed = await removeContactTags(tx, workspaceId, pairs)
  await emitEvents(
    tx,
    workspaceId,
    removed.map((change) => tagEvent('contact.untagged', workspaceId, change)),
  )
  return removed
}

/** Gives or takes tags as part of runs: as `applyTagsInPart`, with the run of each contact in its event. */
export async function changeTagsInRuns(
  tx: Transaction,
  workspaceId: string,
  { add, remove, causes }: { add: readonly TagPair[]; remove: readonly TagPair[]; causes: ReadonlyMap<string, Cause> },
): Promise<void> {
  const added = add.length === 0 ? [] : await addContactTags(tx, workspaceId, add)
  const removed = remove.length === 0 ? [] : await removeContactTags(tx, workspaceId, remove)
  const caused = (change: TagChange) => ({ ...change, cause: causes.get(change.contactId) })
  await emitEvents(tx, workspaceId, [
    ...added.map((change) => tagEvent('contact.tagged', workspaceId, caused(change))),
    ...removed.map((change) => tagEvent('contact.untagged', workspaceId, caused(change))),
  ])
}

/** Takes tags off contacts and emits `contact.untagged` for those that had them; answers these. */
export async function removeTags(tx: Transaction, caller: Caller, pairs: readonly TagPair[]): Promise<TagChange[]> {
  if (pairs.length === 0) return []
  const removed = await removeContactTags(tx, caller.workspaceId, pairs)
  await recordChanges(tx, caller, { type: 'contact.untagged', changes: removed })
  return removed
}

type Changes = { type: 'contact.tagged' | 'contact.untagged'; changes: readonly TagChange[] }

/** One audit entry for a tag of one contact; for a set, one a tag with the number of its contacts. */
async function recordChanges(tx: Transaction, caller: Caller, { type, changes }: Changes): Promise<void> {
  const { workspaceId } = caller
  await emitEvents(
    tx,
    workspaceId,
    changes.map((change) => tagEvent(type, workspaceId, change)),
  )
  const action = type === 'contact.tagged' ? 'contact.tag' : 'contact.untag'
  const sides = (value: unknown) => (type === 'contact.tagged' ? { from: null, to: value } : { from: value, to: null })
  for (const [tagId, { tag, contacts }] of byTag(changes)) {
    const [contactId, ...more] = contacts
    const entry =
      more.length === 0
        ? { target: { type: 'contact', id: contactId!, name: null }, diff: { tag: sides(tag) } }
        : { target: { type: 'tag', id: tagId, name: tag }, diff: { contacts: sides(contacts.length) } }
    await recordAudit(tx, caller, { action, ...entry })
  }
}

function byTag(changes: readonly TagChange[]) {
  const tags = new Map<string, { tag: string; contacts: string[] }>()
  for (const { tagId, tag, contactId } of changes) {
    const known = tags.get(tagId)
    if (known) known.contacts.push(contactId)
    else tags.set(tagId, { tag, contacts: [contactId] })
  }
  return tags
}
