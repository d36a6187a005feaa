import type pg from 'pg'
import { conflict, limitReached, notFound } from '../../catalogue/problems.ts'
import { readName } from '../../catalogue/read-name.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type Diff, diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { requireSound } from '../templates/manage-templates.ts'
import { mailOfBlock, requireOneElement } from './mail-of-block.ts'
import {
  deleteSavedBlockRow,
  insertSavedBlock,
  savedBlockForChange,
  savedBlockStatement,
  savedBlocksForAdding,
  savedBlocksPageStatement,
  savedBlocksTotalStatement,
  updateSavedBlock,
} from './saved-block-queries.ts'
import type { SavedBlock, SavedBlockBody, SavedBlockChange } from './schemas.ts'

export type SavedBlockDeps = { sql: pg.Pool; compiled: CompiledCache }

/** Of a workspace: a person looks through them all. */
const BLOCKS_MAX = 500

/** A page, by name. */
export async function listSavedBlocks({ sql }: SavedBlockDeps, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, savedBlocksPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, savedBlocksTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function readSavedBlock({ sql }: SavedBlockDeps, workspaceId: string, id: string): Promise<SavedBlock> {
  const [block] = await queryInScope(sql, workspaceId, savedBlockStatement(workspaceId, id))
  if (!block) throw notFound()
  return block
}

/** Keeps a block that a mail could be sent with. Throws 400 and 409 for its name, 409 as one too many, 422 for its body. */
export async function createSavedBlock(
  deps: SavedBlockDeps,
  caller: Caller,
  body: SavedBlockBody,
): Promise<SavedBlock> {
  const { workspaceId } = caller
  const content = { name: readName(body.name), ...(await soundBlock(deps, body.body)) }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if ((await savedBlocksForAdding(tx, workspaceId)) >= BLOCKS_MAX) {
      throw limitReached(`A workspace keeps at most ${BLOCKS_MAX} blocks.`)
    }
    const block = await insertSavedBlock(tx, workspaceId, content).catch(nameTaken)
    await record(tx, caller, { verb: 'create', block, diff: diffOf(undefined, content, HIDDEN) })
    return block
  })
}

type Target = { id: string; ifMatch?: string | undefined }

/** Absent fields stay; mails that have the block keep their text. Throws 404, 412, and as creating does. */
export async function changeSavedBlock(
  deps: SavedBlockDeps,
  caller: Caller,
  input: Target & { change: SavedBlockChange },
): Promise<SavedBlock> {
  const { workspaceId } = caller
  const { name, body } = input.change
  const change = {
    ...(name === undefined ? {} : { name: readName(name) }),
    ...(body === undefined ? {} : await soundBlock(deps, body)),
  }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await savedBlockForChange(tx, workspaceId, input.id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    const after = { ...before, ...change }
    const diff = diffOf(before, after, HIDDEN)
    if (Object.keys(diff).length === 0) return before
    const block = await updateSavedBlock(tx, workspaceId, after).catch(nameTaken)
    await record(tx, caller, { verb: 'update', block, diff })
    return block
  })
}

/** Mails that have the block keep their text. Throws 404, 412. */
export async function deleteSavedBlock(
  { sql }: SavedBlockDeps,
  caller: Caller,
  { id, ifMatch }: Target,
): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(sql, workspaceId, async (tx) => {
    const block = await savedBlockForChange(tx, workspaceId, id)
    if (!block) throw notFound()
    requireMatch(ifMatch, block)
    await deleteSavedBlockRow(tx, workspaceId, id)
    await record(tx, caller, { verb: 'delete', block, diff: diffOf({ name: block.name }, undefined) })
  })
}

/** The long text shows as changed only. */
const HIDDEN = { hidden: ['body'] }

async function soundBlock({ compiled }: SavedBlockDeps, text: string): Promise<{ element: string; body: string }> {
  const body = text.trim()
  const { element, mail } = mailOfBlock(body)
  await requireSound(compiled, { subject: '', body: mail, text: null })
  requireOneElement(body)
  return { element, body }
}

function nameTaken(error: unknown): never {
  throw brokenConstraint(error) === 'saved_blocks_name_key' ? conflict('name') : error
}

function record(
  tx: Transaction,
  caller: Caller,
  { verb, block, diff }: { verb: 'create' | 'update' | 'delete'; block: SavedBlock; diff: Diff },
): Promise<void> {
  const target = { type: 'saved_block', id: block.id, name: block.name }
  return recordAudit(tx, caller, { action: `saved_block.${verb}`, target, diff })
}
