import type pg from 'pg'
import {
  audienceChanged,
  invalid,
  limitReached,
  notFound,
  unprocessable,
  wrongStatus,
} from '../../catalogue/problems.ts'
import { brokenConstraint, errorCode } from '../../platform/db/errors.ts'
import { SQLSTATE } from '../../platform/db/sqlstates.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { contactsThatFit, type FilterDeps } from '../contacts/list-contacts.ts'
import { nameOfTag } from '../tags/apply-tags.ts'
import { holdTagOfFilter } from '../tags/hold-tags.ts'
import { readTagName } from '../tags/tag-name.ts'
import {
  type BulkActKey,
  type BulkActRow,
  bulkActByIdStatement,
  bulkActForChange,
  bulkActsPageStatement,
  bulkActsTotalStatement,
  copyChanged,
  countTaggedStatement,
  endBulkAct,
  insertBulkAct,
  type NewBulkAct,
  namedContacts,
  noteNamed,
  runningBulkActs,
} from './queries.ts'
import type { BulkActBody, BulkActPreview, BulkActPreviewBody, BulkErasureBody } from './schemas.ts'
import { tagOfName } from './tag-of-name.ts'

export type BulkActDeps = FilterDeps & { sql: pg.Pool }

/** Acts of a workspace that run at once. */
const RUNNING_MAX = 3
/** Counting is part of an answer that is due within 2 s. */
const COUNT_TIMEOUT_MS = 1_500
/** A number may move by so much between the page and the act. */
const MOVED_SHARE = 0.01
const MOVED_CONTACTS = 10
const NOT_TO_UNDO = 'It runs, has changed nobody, has erased them, is too long ago, or was taken back.'

type ActOfJob = { workspaceId: string; actId: string }
const ofWorkspace = { queue: 'default', groupKey: ({ workspaceId }: ActOfJob) => workspaceId } as const

export const RUN_BULK_ACT = jobKind<ActOfJob>({ kind: 'run_bulk_act', ...ofWorkspace })
/** The same for erasing, apart: a process of a version before, which cannot, leaves it alone. */
export const RUN_BULK_ERASURE = jobKind<ActOfJob>({ kind: 'run_bulk_erasure', ...ofWorkspace })

/**
 * Counts whom an act is about and whom it would change. Throws 400 for a name that is none or people stated in two ways or
 * none, 422 for a segment or what takes too long.
 */
export async function previewBulkAct(
  deps: BulkActDeps,
  workspaceId: string,
  body: BulkActPreviewBody,
): Promise<BulkActPreview> {
  requirePeople(body)
  const tag = body.act === 'erase' ? null : tagOf(body)
  return inTransaction(deps.sql, workspaceId, (tx) => countFor(deps, tx, { workspaceId, body, tag }))
}

/** Filters are never a way to say something else of named people; and whom to erase is never left out. */
function requirePeople({ act, filter, contactIds }: BulkActPreviewBody): void {
  if (filter !== undefined && contactIds !== undefined) {
    throw invalid([{ pointer: '/contactIds', detail: 'cannot stand beside a filter' }])
  }
  if (act === 'erase' && filter === undefined && contactIds === undefined) {
    throw invalid([{ pointer: '/filter', detail: 'is needed, or contactIds' }])
  }
}

type Counting = { workspaceId: string; body: BulkActPreviewBody; tag: string | null }

async function countFor(deps: BulkActDeps, tx: Transaction, { workspaceId, body, tag }: Counting) {
  const sets =
    body.contactIds === undefined
      ? await contactsThatFit(deps, tx, { workspaceId, filter: body.filter ?? {} })
      : [namedContacts(workspaceId, body.contactIds)]
  const counting = async () => {
    await tx.query(`set local statement_timeout = ${COUNT_TIMEOUT_MS}`)
    return tx.query(countTaggedStatement(workspaceId, { sets, tag }))
  }
  const { rows } = await counting().catch((error: unknown) => {
    if (errorCode(error) !== SQLSTATE.queryCanceled) throw error
    throw unprocessable([{ pointer: '/filter', detail: 'takes more than 1.5 s to look through: ask for less' }])
  })
  // Statements behind it in the transaction have the time that all others have.
  await tx.query('set local statement_timeout to default')
  const [total, tagged] = [Number(rows[0]?.total ?? 0), Number(rows[0]?.tagged ?? 0)]
  const changes = { tag: total - tagged, untag: tagged, erase: total }
  return { count: total, changes: changes[body.act] }
}

/**
 * Starts an act on everybody who fits. As `previewBulkAct`, 422 for a tag to be taken off that there is none of, and 409 when
 * the number has moved or too many run.
 */
export async function createBulkAct(deps: BulkActDeps, caller: Caller, body: BulkActBody): Promise<BulkActRow> {
  const { workspaceId } = caller
  requirePeople(body)
  const tag = tagOf(body)
  const { expectedCount, act, filter = {}, contactIds } = body
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    // Before they are counted: those who were counted are those whom the tag means when the act is noted.
    await holdTagOfFilter(tx, workspaceId, filter)
    const { count } = await countFor(deps, tx, { workspaceId, body, tag })
    if (expectedCount !== undefined && hasMoved(expectedCount, count)) throw audienceChanged(count)
    const tagId = await tagOfName(tx, caller, { act, tag })
    if (tagId === undefined) {
      throw unprocessable([{ pointer: '/tag', detail: 'is not a tag of this workspace: nobody has it' }])
    }
    return startAct(tx, caller, { act, tag, tagId, filter, contactIds, startedBy: originOf(caller), total: count })
  })
}

/**
 * Starts to erase everybody who fits. As `createBulkAct`, but the number has to be exactly the one that was confirmed: here,
 * and again where the filter is applied.
 */
export async function createBulkErasure(deps: BulkActDeps, caller: Caller, body: BulkErasureBody): Promise<BulkActRow> {
  const { workspaceId } = caller
  const { expectedCount, ...people } = body
  const { filter = {}, contactIds } = people
  const erasing = { act: 'erase' as const, ...people }
  requirePeople(erasing)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await holdTagOfFilter(tx, workspaceId, filter)
    const { count } = await countFor(deps, tx, { workspaceId, body: erasing, tag: null })
    if (count !== expectedCount) throw audienceChanged(count)
    const origin = { startedBy: originOf(caller), total: count }
    return startAct(tx, caller, { act: 'erase', tag: null, tagId: null, filter, contactIds, ...origin })
  })
}

const hasMoved = (expected: number, count: number) =>
  Math.abs(expected - count) > Math.max(MOVED_CONTACTS, expected * MOVED_SHARE)

async function startAct(tx: Transaction, caller: Caller, given: NewBulkAct): Promise<BulkActRow> {
  const { workspaceId } = caller
  if ((await runningBulkActs(tx, workspaceId)) >= RUNNING_MAX) {
    throw limitReached(`A workspace may have ${RUNNING_MAX} bulk acts run at once: wait until one is done.`)
  }
  const row = await insertBulkAct(tx, workspaceId, given)
  const key = { workspaceId, id: row.id }
  if (given.undoes !== undefined) await copyChanged(tx, workspaceId, { from: given.undoes, to: row.id })
  // Somebody may have been erased, or merged into others, since they were counted.
  const total = given.contactIds === undefined ? given.total : await noteNamed(tx, key, given.contactIds)
  if (given.act === 'erase' && total !== given.total) throw audienceChanged(total)
  await enqueue(tx, given.act === 'erase' ? RUN_BULK_ERASURE : RUN_BULK_ACT, { workspaceId, actId: row.id })
  await recordAudit(tx, caller, {
    action: `contact.${given.act}`,
    target: { type: 'bulk_act', id: row.id, name: given.tag },
    diff: {
      contacts: { from: null, to: total },
      ...Object.fromEntries(Object.keys(given.filter).map((name) => [name, 'changed' as const])),
      ...(given.contactIds === undefined ? {} : { contactIds: 'changed' as const }),
    },
  })
  return { ...row, contactsTotal: String(total) }
}

/** Takes back what an act has changed, and nothing else. Throws 404, 409. */
export async function undoBulkAct(deps: BulkActDeps, caller: Caller, id: string): Promise<BulkActRow> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const done = await bulkActForChange(tx, { workspaceId, id })
    if (!done) throw notFound()
    if (!done.canBeUndone || done.tag === null) throw wrongStatus(NOT_TO_UNDO)
    return startAct(tx, caller, {
      act: done.act === 'tag' ? 'untag' : 'tag',
      tag: (done.tagId && (await nameOfTag(tx, workspaceId, done.tagId))) ?? done.tag,
      tagId: done.tagId,
      filter: {},
      startedBy: originOf(caller),
      total: Number(done.contactsChanged),
      undoes: id,
    })
  }).catch((error: unknown) => {
    throw brokenConstraint(error) === 'bulk_acts_undoes_key' ? wrongStatus(NOT_TO_UNDO) : error
  })
}

/** Ends an act where it is: whom it has changed stays so. Throws 404, 409. */
export async function cancelBulkAct(deps: BulkActDeps, caller: Caller, id: string): Promise<BulkActRow> {
  const key = { workspaceId: caller.workspaceId, id }
  return inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const row = await bulkActForChange(tx, key)
    if (!row) throw notFound()
    if (row.state !== 'running') throw wrongStatus(`It is ${row.state}.`)
    await endBulkAct(tx, key, { state: 'canceled' })
    await recordAudit(tx, caller, { action: 'bulk_act.cancel', target: { type: 'bulk_act', id, name: row.tag } })
    return (await bulkActForChange(tx, key))!
  })
}

/** Throws 404. */
export async function readBulkAct({ sql }: BulkActDeps, key: BulkActKey): Promise<BulkActRow> {
  const [row] = await queryInScope(sql, key.workspaceId, bulkActByIdStatement(key))
  if (!row) throw notFound()
  return row
}

/** A page, the newest first. */
export async function listBulkActs({ sql }: BulkActDeps, workspaceId: string, page: PageQuery) {
  const [rows, totals] = await Promise.all([
    queryInScope(sql, workspaceId, bulkActsPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, bulkActsTotalStatement(workspaceId)),
  ])
  return { rows, total: Number(totals[0]?.total ?? 0) }
}

function originOf({ workspaceId, actor, requestId, ip, userAgent }: Caller): AuditOrigin {
  return { workspaceId, actor, requestId, ip, userAgent }
}

function tagOf({ tag }: { tag?: string | undefined }): string {
  if (tag === undefined) throw invalid([{ pointer: '/tag', detail: 'is needed' }])
  const read = readTagName(tag)
  if ('fault' in read) throw invalid([{ pointer: '/tag', detail: read.fault }])
  return read.name
}
