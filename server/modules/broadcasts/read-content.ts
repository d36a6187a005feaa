import { invalid, unprocessable } from '../../catalogue/problems.ts'
import { nameFault } from '../../catalogue/read-name.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { FieldError } from '../../platform/problem.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { identifierFault, normaliseText } from '../contacts/aliases.ts'
import { holdTopic } from '../topics/topics-of-person.ts'
import { type BroadcastContent, hasIntegration, holdSegments } from './queries.ts'
import type { AudienceBody, BroadcastChange } from './schemas.ts'

export const EMPTY: Omit<BroadcastContent, 'name'> = {
  subject: '',
  fromName: null,
  fromEmail: null,
  body: '',
  text: null,
  integrationId: null,
  topicId: null,
  segmentIds: [],
  excludedSegmentIds: [],
}

/**
 * The content after a change; absent fields stay. A draft may be incomplete and may not render yet: what keeps it from
 * being sent is for the preflight to say. Throws 400 naming the fields at fault.
 */
export function readContent(before: BroadcastContent, change: BroadcastChange): BroadcastContent {
  const faults: FieldError[] = []
  const take = (pointer: string, value: string | null, fault: string | undefined) => {
    if (fault !== undefined) faults.push({ pointer, detail: fault })
    return value
  }
  const after = { ...before }
  if (change.name !== undefined) {
    const name = change.name.trim()
    after.name = take('/name', name, nameFault(name)) ?? ''
  }
  if (change.fromName !== undefined) {
    const fromName = normaliseText(change.fromName)
    after.fromName = take('/fromName', fromName, identifierFault(fromName ?? '', (fromName ?? '').length))
  }
  if (change.fromEmail !== undefined) {
    const given = normaliseText(change.fromEmail)
    const address = given === null ? null : normaliseEmail(given)
    after.fromEmail = take(
      '/fromEmail',
      address ?? null,
      address === undefined ? 'must be an email address' : undefined,
    )
  }
  if (change.subject !== undefined) {
    after.subject = take('/subject', change.subject, identifierFault(change.subject, change.subject.length)) ?? ''
  }
  if (change.body !== undefined) after.body = change.body
  if (change.text !== undefined) after.text = change.text
  if (change.integrationId !== undefined) after.integrationId = change.integrationId
  if (change.topicId !== undefined) after.topicId = change.topicId
  if (faults.length > 0) throw invalid(faults)
  const { segmentId, segmentIds, excludedSegmentIds } = change
  if (segmentId === undefined && segmentIds === undefined && excludedSegmentIds === undefined) return after
  // `segmentId` alone is the whole audience; of the lists, each is a field of its own.
  const stays = segmentId === undefined ? before : EMPTY
  const audience = readAudience({
    ...(segmentId === undefined ? {} : { segmentId }),
    segmentIds: segmentIds ?? stays.segmentIds,
    excludedSegmentIds: excludedSegmentIds ?? stays.excludedSegmentIds,
  })
  return { ...after, ...audience }
}

/** The audience of a body. Throws 400 for one that names nothing, and 422 for a segment both included and excluded. */
export function readAudience(body: AudienceBody): Pick<BroadcastContent, 'segmentIds' | 'excludedSegmentIds'> {
  const { segmentId, segmentIds, excludedSegmentIds = [] } = body
  if (segmentId === undefined && segmentIds === undefined && body.excludedSegmentIds === undefined) {
    throw invalid([{ pointer: '', detail: 'must have segmentId, segmentIds or excludedSegmentIds' }])
  }
  const included = distinct([...(segmentId ? [segmentId] : []), ...(segmentIds ?? [])])
  const excluded = distinct(excludedSegmentIds)
  const both = excluded.findIndex((id) => included.includes(id))
  if (both !== -1) throw unprocessable([{ pointer: `/excludedSegmentIds/${both}`, detail: 'is included as well' }])
  return { segmentIds: included, excludedSegmentIds: excluded }
}

/** `007` and `7` are one id. */
function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids.map(plainId))]
}

const plainId = (id: string) => (isBeyondIds(id) ? id : BigInt(id).toString())

type SegmentList = 'segmentIds' | 'excludedSegmentIds'

/** The pointer to a segment of the audience in the body that brought it: `segmentId` is an entry of the list under another name. */
function placeIn(body: Partial<AudienceBody>, list: SegmentList, id: string): string {
  if (list === 'segmentIds' && body.segmentId && plainId(body.segmentId) === id) return '/segmentId'
  const at = body[list]?.findIndex((one) => plainId(one) === id) ?? -1
  return at === -1 ? `/${list}` : `/${list}/${at}`
}

/** Throws 422 for a segment or an integration that the workspace does not have, at its place in the body. */
export async function requireReferences(
  tx: Transaction,
  workspaceId: string,
  content: BroadcastContent,
  body: Partial<AudienceBody>,
): Promise<void> {
  const { segmentIds, excludedSegmentIds, integrationId, topicId } = content
  const sound = [...segmentIds, ...excludedSegmentIds].filter((id) => !isBeyondIds(id))
  const held = sound.length === 0 ? new Set<string>() : await holdSegments(tx, workspaceId, sound)
  const unknown = (list: SegmentList) =>
    content[list].flatMap((id) =>
      held.has(id) ? [] : [{ pointer: placeIn(body, list, id), detail: 'is not a segment of this workspace' }],
    )
  const faults = [...unknown('segmentIds'), ...unknown('excludedSegmentIds')]
  if (
    integrationId !== null &&
    (isBeyondIds(integrationId) || !(await hasIntegration(tx, workspaceId, integrationId)))
  ) {
    faults.push({ pointer: '/integrationId', detail: 'is not an integration of this workspace' })
  }
  if (topicId !== null && (isBeyondIds(topicId) || !(await holdTopic(tx, workspaceId, topicId)))) {
    faults.push({ pointer: '/topicId', detail: 'is not a topic of this workspace' })
  }
  if (faults.length > 0) throw unprocessable(faults)
}
