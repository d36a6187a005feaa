import type pg from 'pg'
import { conflict, inUse, notFound, unprocessable } from '../../catalogue/problems.ts'
import { readName } from '../../catalogue/read-name.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { Use } from '../../platform/problem.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { fieldsNamed } from '../custom-fields/fields-named.ts'
import { emitEvents, integer } from '../domain-events/emit-events.ts'
import { goneTagFaults, holdTags } from '../tags/hold-tags.ts'
import { holdTopics } from '../topics/hold-topics.ts'
import { parseDefinition } from './parse-definition.ts'
import {
  deleteSegmentRow,
  insertSegment,
  isNameTaken,
  lockSegments,
  replaceUses,
  segmentForChange,
  segmentOfDefinition,
  segmentsUsing,
  updateSegmentRow,
} from './queries.ts'
import { readRules } from './read-rules.ts'
import { referencesOf } from './references.ts'
import { withKeys } from './rewrite-rules.ts'
import type { Segment, SegmentBody, SegmentChange } from './schemas.ts'
import { loadFacts, requireSound, usedSegments } from './segment-facts.ts'

export type SegmentDeps = {
  sql: pg.Pool
  /** Everything else that needs a segment, each named for a person: it is then not deleted. */
  usedBy?: (tx: Transaction, workspaceId: string, id: string) => Promise<Use[]>
}

const NAME_TAKEN = 'segments_name_taken'
/** How many of the segments in the way a refusal names. */
const NAMED_USERS_MAX = 5

/** Creates a segment. Throws 409 for a name that is taken, 422 with a pointer to each rule that is wrong. */
export async function createSegment(deps: SegmentDeps, caller: Caller, body: SegmentBody): Promise<Segment> {
  const { workspaceId } = caller
  const name = readName(body.name)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await holdNamed(tx, workspaceId, body.definition)
    await lockSegments(tx, workspaceId)
    const definition = await withPresentKeys(tx, workspaceId, body.definition)
    return addSegment(tx, caller, { name, definition })
  }).catch(throwTakenName)
}

/**
 * The segment of a definition, which is created unless there is one: under `name`, or under `otherName` where another segment has that.
 */
export async function ensureSegment(
  tx: Transaction,
  caller: Caller,
  { name, otherName, definition }: SegmentBody & { otherName: string },
): Promise<Segment> {
  const { workspaceId } = caller
  await lockSegments(tx, workspaceId)
  const same = await segmentOfDefinition(tx, workspaceId, definition)
  if (same) return same
  const isTaken = await isNameTaken(tx, workspaceId, name)
  return addSegment(tx, caller, { name: isTaken ? otherName : name, definition }).catch(throwTakenName)
}

/** Segments of the workspace are locked. */
async function addSegment(tx: Transaction, caller: Caller, { name, definition }: SegmentBody): Promise<Segment> {
  const { workspaceId } = caller
  requireSound(definition, await loadFacts(tx, workspaceId, [definition]))
  const row = await insertSegment(tx, { workspaceId, name, definition })
  await replaceUses(tx, { workspaceId, id: row.id }, [...usedSegments(row.definition)])
  await recordSegment(tx, caller, { verb: 'create', after: row })
  return row
}

/** Changes a segment; absent fields stay. Throws 404, 409, 412, and 422 if it or a segment that refers to it would not hold. */
export async function updateSegment(
  deps: SegmentDeps,
  caller: Caller,
  input: { id: string; change: SegmentChange; ifMatch?: string | undefined },
): Promise<Segment> {
  const { workspaceId } = caller
  const key = { workspaceId, id: input.id }
  const name = input.change.name === undefined ? undefined : readName(input.change.name)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    if (input.change.definition !== undefined) await holdNamed(tx, workspaceId, input.change.definition)
    await lockSegments(tx, workspaceId)
    const before = await segmentForChange(tx, workspaceId, input.id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    const definition = await withPresentKeys(tx, workspaceId, input.change.definition ?? before.definition)
    const after = { ...key, name: name ?? before.name, definition }
    if (after.name === before.name && definition === before.definition) return before
    if (definition !== before.definition) {
      requireSound(definition, await loadFacts(tx, workspaceId, [definition]), input.id)
      await replaceUses(tx, key, [...usedSegments(definition)])
    }
    const row = await updateSegmentRow(tx, after)
    if (definition !== before.definition) await requireSoundUsers(tx, workspaceId, input.id)
    await recordSegment(tx, caller, { verb: 'update', before, after: row })
    return row
  }).catch(throwTakenName)
}

/** Deletes a segment. Throws 404, 412, and 409 naming what refers to it. */
export async function deleteSegment(
  deps: SegmentDeps,
  caller: Caller,
  input: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    await lockSegments(tx, workspaceId)
    const before = await segmentForChange(tx, workspaceId, input.id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    const users = await segmentsUsing(tx, workspaceId, input.id)
    const uses = users.map(({ id, name }) => ({ type: 'segment', id, name }))
    const others = (await deps.usedBy?.(tx, workspaceId, input.id)) ?? []
    if (uses.length + others.length > 0) throw inUse([...uses, ...others])
    await deleteSegmentRow(tx, workspaceId, input.id)
    await recordSegment(tx, caller, { verb: 'delete', before })
  })
}

/**
 * Tags and topics that a definition names are neither renamed nor deleted until the transaction ends; taken before the segments, as who
 * does so takes them. Throws a 422 for a tag that is gone meanwhile, and for a topic that there is not.
 */
async function holdNamed(tx: Transaction, workspaceId: string, definition: string): Promise<void> {
  const { tags, topicIds } = referencesOf([parseDefinition(definition).group])
  const gone = await holdTags(tx, workspaceId, [...tags])
  const unknown = await holdTopics(tx, workspaceId, [...topicIds])
  const faults = [
    ...goneTagFaults(gone, '/definition'),
    ...unknown.map((id) => ({ pointer: '/definition', detail: `names the topic ${id}, which there is not` })),
  ]
  if (faults.length > 0) throw unprocessable(faults)
}

/**
 * A definition that names fields by keys that they had before, as it would be if it had been there when they were renamed. Segments are
 * locked, so that it is there for the next rename.
 */
async function withPresentKeys(tx: Transaction, workspaceId: string, definition: string): Promise<string> {
  const { group, faults } = parseDefinition(definition)
  if (faults.length > 0) return definition
  const fields = await fieldsNamed(tx, workspaceId, [...referencesOf([group]).keys])
  const former = [...fields].filter(([given, { key, deleting }]) => key !== given && !deleting)
  return former.length === 0
    ? definition
    : withKeys(definition, new Map(former.map(([given, { key }]) => [given, key])))
}

/** A change here may make a segment that refers to this one too deep or too large. */
async function requireSoundUsers(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  const users = await segmentsUsing(tx, workspaceId, id)
  if (users.length === 0) return
  const definitions = users.map((user) => user.definition)
  const facts = await loadFacts(tx, workspaceId, definitions)
  for (const user of users) {
    const read = readRules(user.definition, facts, user.id)
    if (!('faults' in read)) continue
    const [fault] = read.faults
    const detail = `is not possible while ${named([user])} refers to it: there ${fault?.pointer} ${fault?.detail}`
    throw unprocessable([{ pointer: '/definition', detail }])
  }
}

function named(segments: readonly Segment[]): string {
  const names = segments.slice(0, NAMED_USERS_MAX).map(({ id, name }) => `“${name}” (${id})`)
  const more = segments.length > NAMED_USERS_MAX ? ` and ${segments.length - NAMED_USERS_MAX} more` : ''
  return `the segment${segments.length > 1 ? 's' : ''} ${names.join(', ')}${more}`
}

function throwTakenName(error: unknown): never {
  if (brokenConstraint(error) === NAME_TAKEN) throw conflict('name', 'belongs to another segment of this workspace')
  throw error
}

type Change =
  | { verb: 'create'; before?: undefined; after: Segment }
  | { verb: 'update'; before: Segment; after: Segment }
  | { verb: 'delete'; before: Segment; after?: undefined }

const EVENT = { create: 'segment.created', update: 'segment.updated', delete: 'segment.deleted' } as const

/**
 * The event and the audit entry of a change. A definition may hold addresses and phone numbers, so that an entry says only
 * that it changed.
 */
export async function recordSegment(tx: Transaction, caller: Caller, { verb, before, after }: Change): Promise<void> {
  const segment = after ?? before
  const shown = (row: Segment | undefined) => row && { name: row.name, definition: row.definition }
  const diff = diffOf(shown(before), shown(after), { hidden: ['definition'] })
  const { workspaceId } = caller
  const data = {
    workspaceId: integer(workspaceId),
    segmentId: integer(segment.id),
    name: segment.name,
    ...(verb === 'update' ? { changed: Object.keys(diff) } : {}),
  }
  await emitEvents(tx, workspaceId, [{ type: EVENT[verb], subject: '', contactId: null, email: null, data }])
  const target = { type: 'segment', id: segment.id, name: segment.name }
  await recordAudit(tx, caller, { action: `segment.${verb}`, target, diff })
}
