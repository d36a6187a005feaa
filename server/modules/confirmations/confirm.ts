import type pg from 'pg'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordConsents } from '../consents/record-consents.ts'
import { emitEvents, integer } from '../domain-events/emit-events.ts'
import { type Brand, brandOf } from '../readers/brand.ts'
import { markMessages } from '../sending/ledger/mark-messages.ts'
import { isSuppressed } from '../suppression/is-suppressed.ts'
import { sourcesOf } from '../unsubscribes/sources-of.ts'
import { resubscribe } from '../unsubscribes/unsubscribe.ts'
import { confirmTopic } from './confirm-topic.ts'
import { confirmRequest, type NamedRequest, type RequestRow, requestById, requestForChange } from './queries.ts'
import { askAgain } from './request-confirmations.ts'

/** The contents of a confirmation link's token. */
export type ConfirmLink = { workspaceId: string; requestId: string; untilMs: number }

export function confirmLinkOf([workspaceId = '', requestId = '', until]: readonly string[]): ConfirmLink {
  return { workspaceId, requestId, untilMs: Number(until) * 1_000 }
}

export type ConfirmDeps = { sql: pg.Pool }

/**
 * How a confirmation link stands; `gone`: its contact or its topic is no more, the contact has another address now, or it is about a
 * topic and its owner wants nothing. That was said after the mail was sent, which nobody gets who wants nothing.
 */
export type ConfirmState =
  | { state: 'open' | 'expired'; brand: Brand; destination: string; topicName: string | null }
  /** `isSuppressed`: no mail comes nevertheless. */
  | { state: 'confirmed'; brand: Brand; destination: string; topicName: string | null; isSuppressed: boolean }
  | { state: 'gone' }

export function readConfirmation(deps: Pick<ConfirmDeps, 'sql'>, link: ConfirmLink): Promise<ConfirmState> {
  return inTransaction(deps.sql, link.workspaceId, async (tx) => {
    const request = await requestById(tx, link.workspaceId, link.requestId)
    return stateOf(tx, request, link)
  })
}

async function stateOf(
  tx: Transaction,
  request: (NamedRequest & { isCurrent: boolean }) | undefined,
  { workspaceId, untilMs }: ConfirmLink,
): Promise<ConfirmState> {
  const brand = await brandOf(tx, workspaceId)
  if (!request?.isCurrent || brand === undefined) return { state: 'gone' }
  const { destination, confirmedAt, topicName, topicId } = request
  const about = { brand, destination, topicName }
  if (confirmedAt !== null)
    return { state: 'confirmed', ...about, isSuppressed: await isSuppressed(tx, workspaceId, destination) }
  if (topicId !== null && (await sourcesOf(tx, workspaceId, destination)).has('everything')) return { state: 'gone' }
  return { state: Date.now() < untilMs ? 'open' : 'expired', ...about }
}

/**
 * Confirms that the owner of the address wants marketing mail, or one topic: from the commit on they get it, also after an
 * earlier unsubscribe. Emits `marketing.confirmed`, unless it is about a topic. A second time changes nothing.
 */
export async function confirm(deps: ConfirmDeps, link: ConfirmLink, ip: string | null): Promise<ConfirmState> {
  const act = async (tx: Transaction): Promise<ConfirmState> => {
    const request = await requestForChange(tx, link.workspaceId, link.requestId)
    const before = await stateOf(tx, request, link)
    if (request === undefined || before.state !== 'open') return before
    const { topicId } = request
    if (topicId === null) await recordConfirmation(tx, link.workspaceId, { request, ip })
    else await confirmTopic(tx, link.workspaceId, { request: { ...request, topicId }, ip })
    const { brand, destination, topicName } = before
    const suppressed = await isSuppressed(tx, link.workspaceId, destination)
    return { state: 'confirmed', brand, destination, topicName, isSuppressed: suppressed }
  }
  return retrying(() => inTransaction(deps.sql, link.workspaceId, act))
}

async function recordConfirmation(
  tx: Transaction,
  workspaceId: string,
  { request, ip }: { request: RequestRow; ip: string | null },
): Promise<void> {
  const { id, contactId, destination, messageId, requestedAt } = request
  await confirmRequest(tx, workspaceId, id)
  const who = { destination, messageId, byWhom: 'person', ip } as const
  await resubscribe(tx, workspaceId, { ...who, sources: ['broadcasts', 'everything'] })
  const facts = {
    optedInAt: requestedAt,
    confirmedAt: new Date().toISOString(),
    ...(ip === null ? {} : { confirmIp: ip }),
  }
  await recordConsents(tx, workspaceId, [{ contactId, provenance: 'double_opt_in', facts }])
  await markMessages(tx, workspaceId, [{ messageId, kind: 'clicked' }])
  const data = {
    workspaceId: integer(workspaceId),
    contactId: integer(contactId),
    email: destination,
    provenance: 'double_opt_in',
    ...(ip === null ? {} : { ip }),
  }
  const about = { subject: destination, byAddress: true, contactId, email: destination } as const
  await emitEvents(tx, workspaceId, [{ ...about, type: 'marketing.confirmed', data }])
}

/** Sends another mail to whom an expired link belongs. Throws 422 and 429 as asking does. */
export async function askForNewLink(deps: ConfirmDeps, link: ConfirmLink): Promise<ConfirmState> {
  const { workspaceId, requestId } = link
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const request = await requestForChange(tx, workspaceId, requestId)
    const now = await stateOf(tx, request, link)
    if (request === undefined || now.state !== 'expired') return now
    await askAgain(tx, { workspaceId, contactId: request.contactId, byWhom: 'person', topicId: request.topicId })
    return now
  })
}
