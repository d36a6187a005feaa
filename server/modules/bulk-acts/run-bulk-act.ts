import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { withQueryTimeout } from '../../platform/db/query-timeout.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import { countFound, type FindDeps, findContacts } from '../contacts/find-contacts.ts'
import { holdSurvivors } from '../contacts/hold-contacts.ts'
import type { ContactFilter } from '../contacts/schemas.ts'
import { applyTagsInPart, nameOfTag, removeTagsInPart } from '../tags/apply-tags.ts'
import {
  addBulkProgress,
  type BulkActKey,
  type BulkActRow,
  bulkActByIdStatement,
  bulkActForChange,
  CHUNK_CONTACTS,
  countMerged,
  endBulkAct,
  nextSlice,
  noteForAct,
  taggedBefore,
} from './queries.ts'
import { tagOfName } from './tag-of-name.ts'

/** Contacts of a step: some 50 ms. */
const STEP_CONTACTS = 1_000

/** Contacts of a step that erases: each takes part in some ten statements. */
const ERASED_OF_STEP = 100

/** For a million people and ten thousand merges it took 0.6 s. */
const COUNT_MS_MAX = 20_000

/** Erases those of some contacts that exist, in the transaction; answers which they were. */
export type EraseSome = (tx: Transaction, by: AuditOrigin, ids: readonly string[]) => Promise<string[]>

export type RunDeps = FindDeps & {
  eraseSome: EraseSome
  /** Whether the run should end after the step it is at. */
  shouldYield: () => boolean
}

/**
 * The job `run_bulk_act`: notes whom the filter finds, then changes them, a step a transaction. It may die at any moment and
 * run twice: each step is committed together with how far the act has come and whom it has changed.
 */
export async function runBulkAct(deps: RunDeps, key: BulkActKey): Promise<'done' | 'more'> {
  let size: StepSize | undefined
  const work = async (tx: Transaction, contacts: number) => {
    const row = await bulkActForChange(tx, key)
    return row?.state === 'running' && row.gathered ? changeSome(deps, tx, { key, row, contacts }) : 'done'
  }
  for (;;) {
    const [row] = await queryInScope(deps.pool, key.workspaceId, bulkActByIdStatement(key))
    if (row?.state !== 'running') return 'done'
    size ??= new StepSize(row.act === 'erase' ? ERASED_OF_STEP : STEP_CONTACTS)
    if (!row.gathered) await gather(deps, key, row)
    else {
      const step = await boundedStep(deps.pool, key.workspaceId, { size, work })
      if (step === 'over') await end(deps.pool, key, row.act)
      if (step !== 'more') return 'done'
    }
    if (deps.shouldYield()) return 'more'
  }
}

/**
 * Ends an act that has come to everybody. Nobody is erased for what another one became part of them: how many were merged meanwhile is told.
 * They are counted before the act is locked: however long that takes, a transaction that has written nothing holds up no reader of the log.
 */
async function end(pool: pg.Pool, key: BulkActKey, act: BulkActRow['act']): Promise<void> {
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const merged = act === 'erase' ? await countMerged(withQueryTimeout(tx, COUNT_MS_MAX), key) : 0
    const row = await bulkActForChange(tx, key)
    if (row?.state === 'running') await endBulkAct(tx, key, endingOf(merged))
  })
}

function endingOf(merged: number): Parameters<typeof endBulkAct>[2] {
  if (merged === 0) return { state: 'done' }
  const [were, they] =
    merged === 1
      ? ['1 of them was merged into another contact', 'that one was']
      : [`${merged} of them were merged into other contacts`, 'these were']
  return { state: 'failed', failure: `${were} meanwhile: ${they} not erased. Everybody else was.` }
}

/** Gives an act up; whom it has changed stays so. */
export async function failBulkAct(pool: pg.Pool, key: BulkActKey, failure: string): Promise<void> {
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const row = await bulkActForChange(tx, key)
    if (row?.state === 'running') await endBulkAct(tx, key, { state: 'failed', failure })
  })
}

async function gather(deps: RunDeps, key: BulkActKey, row: BulkActRow): Promise<void> {
  const { workspaceId } = key
  const readFilter = async (tx: Transaction) => {
    const [now = row] = (await tx.query(bulkActByIdStatement(key))).rows
    return JSON.parse(now.filter) as ContactFilter
  }
  const found = await findContacts(deps, { workspaceId, readFilter, chunkMax: CHUNK_CONTACTS })
  await inTransaction(deps.pool, key.workspaceId, async (tx) => {
    const now = await bulkActForChange(tx, key)
    if (now?.state !== 'running' || now.gathered) return
    const count = countFound(found)
    const failure = `It is about ${count} people by now, and ${row.contactsTotal} were confirmed: nobody was erased.`
    if (row.act === 'erase' && count !== Number(row.contactsTotal))
      await endBulkAct(tx, key, { state: 'failed', failure })
    else await noteForAct(tx, key, found)
  })
}

type Step = { key: BulkActKey; row: BulkActRow; contacts: number }

async function changeSome(
  deps: RunDeps,
  tx: Transaction,
  { key, row, contacts }: Step,
): Promise<'done' | 'more' | 'over'> {
  const slice = await nextSlice(tx, key, { after: row.lastContactId, limit: contacts })
  if (slice === undefined) return 'over'
  if (row.act === 'erase') {
    const changed = await deps.eraseSome(tx, JSON.parse(row.startedBy), slice.contactIds)
    await addBulkProgress(tx, key, { slice, changed })
    return 'more'
  }
  const tagId = await tagThatIsThere(tx, key.workspaceId, row)
  if (tagId === undefined && row.act === 'tag') {
    await endBulkAct(tx, key, { state: 'failed', failure: `The tag "${row.tag}" was deleted.` })
    return 'done'
  }
  // Nobody has a tag that is gone: `sweep_tag` takes it off, and tells of it.
  const changed = tagId === undefined ? [] : await changeTag(tx, { key, row, tagId, noted: slice.contactIds })
  await addBulkProgress(tx, key, { slice, changed })
  return 'more'
}

type Changing = { key: BulkActKey; row: BulkActRow; tagId: string; noted: readonly string[] }

/**
 * Gives the noted contacts a tag or takes it off, and answers which of them it changed; of one that was merged meanwhile it is the contact that it
 * became part of. The tag that such a contact had by itself before the act that is taken back, it keeps.
 */
async function changeTag(tx: Transaction, { key, row, tagId, noted }: Changing): Promise<string[]> {
  const { workspaceId } = key
  const held = await holdSurvivors(tx, workspaceId, noted)
  const survivors = [...held].flatMap(([id, heldId]) => (id === heldId ? [] : [heldId]))
  const own =
    row.undoes === null || row.act === 'tag' || survivors.length === 0
      ? new Set<string>()
      : await taggedBefore(tx, workspaceId, { actId: row.undoes, tagId, contactIds: survivors })
  const notedOf = new Map<string, string>()
  for (const [id, heldId] of held)
    if (id === heldId || !(own.has(heldId) || notedOf.has(heldId))) notedOf.set(heldId, id)
  const pairs = [...notedOf.keys()].map((contactId) => ({ contactId, tagId }))
  const change = row.act === 'tag' ? applyTagsInPart : removeTagsInPart
  const changed = await change(tx, workspaceId, pairs)
  return changed.map(({ contactId }) => notedOf.get(contactId)!).toSorted(byNumber)
}

const byNumber = (one: string, other: string) => Number(BigInt(one) - BigInt(other))

/** The tag of an act, held until the transaction ends; undefined when it is gone. Where it is not known, the one of its name. */
async function tagThatIsThere(tx: Transaction, workspaceId: string, row: BulkActRow): Promise<string | undefined> {
  const { act, tag, tagId } = row
  if (tagId !== null) return (await nameOfTag(tx, workspaceId, tagId)) === undefined ? undefined : tagId
  if (tag === null) return undefined
  const starter = { ...(JSON.parse(row.startedBy) as AuditOrigin), scopes: new Set<never>() }
  return tagOfName(tx, starter, { act, tag })
}
