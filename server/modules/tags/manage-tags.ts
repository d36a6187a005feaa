import type pg from 'pg'
import { conflict, inUse, invalid, notFound } from '../../catalogue/problems.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { Use } from '../../platform/problem.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdTagsAlone } from './hold-tags.ts'
import type { SweptTag } from './sweep-tag.ts'
import { readTagName } from './tag-name.ts'
import { deleteTagRow, insertTag, renameTagRow, type TagRow, tagForChange } from './tag-queries.ts'

/** A tag, by the name that it had, gets another one, which may be the same in letters of another case. */
export type TagRename = { id: string; from: string; to: string }

export type TagDeps = {
  sql: pg.Pool
  /** Puts a `sweep_tag` job into the queue, in the caller's transaction. */
  enqueueSweep: (tx: Transaction, tag: SweptTag) => Promise<void>
  /** Definitions of others that name a tag follow it, in the transaction that renames it. */
  onRename: (tx: Transaction, caller: Caller, change: TagRename) => Promise<void>
  /** Work that runs and names a tag gives it to nobody any more, in the transaction that deletes it. */
  onDelete: (tx: Transaction, caller: Caller, tag: Pick<TagRow, 'id' | 'name'>) => Promise<void>
  /** Everything that would mean others without the tag of a name: it is not deleted while there is any. */
  usedBy: (tx: Transaction, workspaceId: string, name: string) => Promise<Use[]>
}

/** Creates a tag that no contact has yet. Throws 400 for a name that is none, 409 when there is one of that name. */
export async function createTag(deps: TagDeps, caller: Caller, name: string): Promise<TagRow> {
  const given = requireTagName(name)
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const row = await insertTag(tx, caller.workspaceId, given)
    await auditTag(tx, caller, { action: 'tag.create', tag: row, diff: diffOf(undefined, { name: row.name }) })
    return row
  }).catch(throwTakenName)
}

type Target = { id: string; ifMatch?: string | undefined }

/** Renames a tag; its contacts keep it, and what names it follows. Throws 404, 412, 422 while an automation names it, and what creating throws. */
export async function renameTag(
  deps: TagDeps,
  caller: Caller,
  { id, ifMatch, name }: Target & { name: string | undefined },
): Promise<TagRow> {
  const { workspaceId } = caller
  const given = name === undefined ? undefined : requireTagName(name)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await heldTag(tx, workspaceId, { id, ifMatch })
    if (given === undefined || given === before.name) return before
    await deps.onRename(tx, caller, { id, from: before.name, to: given })
    const row = await renameTagRow(tx, { workspaceId, id }, given)
    await auditTag(tx, caller, { action: 'tag.update', tag: row, diff: { name: { from: before.name, to: given } } })
    return row
  }).catch(throwTakenName)
}

/** Deletes a tag at once, and takes it off its contacts in the background (`sweepTag`). Throws 404, 412, and 409 naming what uses it. */
export async function deleteTag(deps: TagDeps, caller: Caller, { id, ifMatch }: Target): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const tag = await heldTag(tx, workspaceId, { id, ifMatch })
    const usedBy = await deps.usedBy(tx, workspaceId, tag.name)
    if (usedBy.length > 0) throw inUse(usedBy)
    await deps.onDelete(tx, caller, tag)
    await deleteTagRow(tx, workspaceId, id)
    await deps.enqueueSweep(tx, { workspaceId, tagId: id, name: tag.name })
    await auditTag(tx, caller, { action: 'tag.delete', tag, diff: diffOf({ name: tag.name }, undefined) })
  })
}

/** The tag, locked, and nothing that names it being saved. */
async function heldTag(tx: Transaction, workspaceId: string, { id, ifMatch }: Target): Promise<TagRow> {
  await holdTagsAlone(tx, workspaceId)
  const tag = await tagForChange(tx, workspaceId, id)
  if (!tag) throw notFound()
  requireMatch(ifMatch, tag)
  return tag
}

export function requireTagName(given: string): string {
  const read = readTagName(given)
  if ('fault' in read) throw invalid([{ pointer: '/name', detail: read.fault }])
  return read.name
}

type Recorded = { action: string; tag: TagRow; diff: ReturnType<typeof diffOf> }

async function auditTag(tx: Transaction, caller: Caller, { action, tag, diff }: Recorded): Promise<void> {
  await recordAudit(tx, caller, { action, target: { type: 'tag', id: tag.id, name: tag.name }, diff })
}

function throwTakenName(error: unknown): never {
  if (brokenConstraint(error) === 'tags_name_taken') throw conflict('name')
  throw error
}
