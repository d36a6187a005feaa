import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { broadcastOf } from './broadcast-of.ts'
import { requireStatus } from './broadcast-status.ts'
import {
  type BroadcastContent,
  type BroadcastRow,
  broadcastForChange,
  deleteBroadcastRow,
  insertBroadcast,
  updateContent,
} from './queries.ts'
import { EMPTY, readAudience, readContent, requireReferences } from './read-content.ts'
import type { AudienceBody, Broadcast, BroadcastBody, BroadcastChange } from './schemas.ts'

type Deps = { sql: pg.Pool }

/** Creates a draft. Throws 400, and 422 for a segment or an integration that is not there. */
export async function createBroadcast(deps: Deps, caller: Caller, body: BroadcastBody): Promise<Broadcast> {
  const { workspaceId } = caller
  const content = readContent({ ...EMPTY, name: '' }, body)
  return broadcastOf(await inTransaction(deps.sql, workspaceId, (tx) => addBroadcast(tx, caller, { content, body })))
}

/** Stores a draft. `body` is where its segments were named. Throws 422 for what it refers to and is not there. */
export async function addBroadcast(
  tx: Transaction,
  caller: Caller,
  { content, body }: { content: BroadcastContent; body: Partial<AudienceBody> },
): Promise<BroadcastRow> {
  await requireReferences(tx, caller.workspaceId, content, body)
  const inserted = await insertBroadcast(tx, caller.workspaceId, content)
  await recordContent(tx, caller, { verb: 'create', after: inserted })
  return inserted
}

type Changing = { id: string; ifMatch?: string | undefined }

/** Changes a draft; absent fields stay. Throws 404, 409 when it is no draft any more, 412, 422. */
export async function updateBroadcast(
  deps: Deps,
  caller: Caller,
  input: Changing & { change: BroadcastChange },
): Promise<Broadcast> {
  const { change } = input
  return changeDraft(deps, caller, { ...input, body: change, changed: (before) => readContent(before, change) })
}

/** Says to whom a draft goes. Throws 404, 409 when it is no draft any more, 412, 422. */
export async function setAudience(
  deps: Deps,
  caller: Caller,
  input: Changing & { body: AudienceBody },
): Promise<Broadcast> {
  return changeDraft(deps, caller, { ...input, changed: (before) => ({ ...before, ...readAudience(input.body) }) })
}

type DraftChange = Changing & {
  body: Partial<AudienceBody>
  changed: (before: BroadcastContent) => BroadcastContent
}

async function changeDraft(deps: Deps, caller: Caller, change: DraftChange): Promise<Broadcast> {
  const { id, ifMatch, body, changed } = change
  const { workspaceId } = caller
  const key = { workspaceId, id }
  const row = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await broadcastForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, broadcastOf(before))
    requireStatus(before, ['draft'], 'is changed')
    const content = changed(before)
    if (Object.keys(diffOf(shown(before), shown(content))).length === 0) return before
    // One that is gone since it was chosen is for the preflight to tell: all else of the draft can be changed.
    const isChosen = content.integrationId !== before.integrationId
    await requireReferences(tx, workspaceId, isChosen ? content : { ...content, integrationId: null }, body)
    const after = await updateContent(tx, key, content)
    await recordContent(tx, caller, { verb: 'update', before, after })
    return after
  })
  return broadcastOf(row)
}

/** Deletes a broadcast that nothing was sent of. Throws 404, 409, 412. */
export async function deleteBroadcast(deps: Deps, caller: Caller, { id, ifMatch }: Changing): Promise<void> {
  const key = { workspaceId: caller.workspaceId, id }
  await inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const before = await broadcastForChange(tx, key)
    if (!before) throw notFound()
    requireMatch(ifMatch, broadcastOf(before))
    requireStatus(before, ['draft', 'failed'], 'is deleted')
    await deleteBroadcastRow(tx, key)
    await recordContent(tx, caller, { verb: 'delete', before })
  })
}

type Recorded =
  | { verb: 'create'; before?: undefined; after: BroadcastRow }
  | { verb: 'update'; before: BroadcastRow; after: BroadcastRow }
  | { verb: 'delete'; before: BroadcastRow; after?: undefined }

async function recordContent(tx: Transaction, caller: Caller, { verb, before, after }: Recorded): Promise<void> {
  const { id, name } = after ?? before
  // The text of a mail is not for the log; its sender and its audience are.
  const diff = diffOf(before && shown(before), after && shown(after), { hidden: ['subject', 'body', 'text'] })
  await recordAudit(tx, caller, { action: `broadcast.${verb}`, target: { type: 'broadcast', id, name }, diff })
}

function shown(content: BroadcastContent): Record<keyof BroadcastContent, unknown> {
  const { name, subject, fromName, fromEmail, body, text, integrationId, topicId } = content
  const { segmentIds, excludedSegmentIds } = content
  return { name, subject, fromName, fromEmail, body, text, integrationId, topicId, segmentIds, excludedSegmentIds }
}
