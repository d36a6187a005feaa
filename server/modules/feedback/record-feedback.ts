import type pg from 'pg'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { type DomainEvent, emitEvents, integer } from '../domain-events/emit-events.ts'
import { emailEvent } from '../sending/email-events.ts'
import { type MarkedMessage, markMessages } from '../sending/mark-messages.ts'
import type { Cause, FeedbackItem } from './feedback-item.ts'
import { contactsWithEmails, insertReports, messagesWithIds } from './queries.ts'

export type FeedbackDeps = {
  sql: pg.Pool
  wakeOutbox: () => void
  /** Counts each bounce and complaint that was new, once it is committed. */
  onFeedback: (told: { provider: 'smtp' | 'ses'; status: 'bounce' | 'complaint' }) => void
}

/** What became of items: `known` were told before, `unknown` are about nobody and nothing of the workspace's. */
export type Recorded = { recorded: number; known: number; unknown: number }

/**
 * Records what came back, each once, however often it is told: the report, the mark on its message and the event, in one
 * transaction. Suppressing is the work of the event's consumer. Resolves once it is committed.
 */
export async function recordFeedback(
  deps: FeedbackDeps,
  workspaceId: string,
  items: readonly FeedbackItem[],
): Promise<Recorded> {
  if (items.length === 0) return { recorded: 0, known: 0, unknown: 0 }
  const { told, unknown } = await inTransaction(deps.sql, workspaceId, (tx) => recordItems(tx, workspaceId, items))
  if (told.length > 0) deps.wakeOutbox()
  for (const { item } of told) deps.onFeedback({ provider: item.provider, status: item.kind })
  return { recorded: told.length, known: items.length - unknown - told.length, unknown }
}

/** An item with whom it is about. */
type Placed = { item: FeedbackItem; destination: string; cause: Cause | null }

async function recordItems(tx: Transaction, workspaceId: string, items: readonly FeedbackItem[]) {
  const placed = await place(tx, workspaceId, items)
  const stored = await insertReports(
    tx,
    workspaceId,
    placed.map(({ item, destination, cause }) => ({ ...item, destination, cause })),
  )
  const byKey = new Map(placed.map((one) => [one.item.key, one]))
  const fresh = stored.map((report) => ({ ...report, ...byKey.get(report.key)! }))
  const marks = fresh.flatMap(({ item }) =>
    item.messageId === null
      ? []
      : [{ messageId: item.messageId, kind: item.kind === 'bounce' ? ('bounced' as const) : ('complained' as const) }],
  )
  const marked = await markMessages(tx, workspaceId, marks)
  const messages = new Map(marked.map((message) => [`${message.id} ${message.kind}`, message]))
  const contacts = await contactsWithEmails(
    tx,
    workspaceId,
    fresh.flatMap(({ item, destination }) => (item.messageId === null ? [destination] : [])),
  )
  const told = fresh.filter(({ item, isKnown, isConfirmed, cause }) => {
    const message = messages.get(markOf(item))
    const isPermanent = cause === 'permanent' || isConfirmed
    return message === undefined || message.isFirst || (isPermanent && !isKnown)
  })
  const events = told.map(({ item, destination, cause, isConfirmed }) => {
    const bounceKind = cause === 'permanent' || isConfirmed ? 'permanent' : 'transient'
    const message = messages.get(markOf(item))
    return feedbackEvent({ item, bounceKind, message, workspaceId, destination, contactId: contacts.get(destination) })
  })
  await emitEvents(tx, workspaceId, events)
  return { told, unknown: items.length - placed.length }
}

function markOf({ messageId, kind }: FeedbackItem): string {
  return `${messageId} ${kind === 'bounce' ? 'bounced' : 'complained'}`
}

/**
 * Whom each item is about: the message's address, or the one that a trusted sender names. A bounce of another address
 * than the message's, a copy's or one that it was forwarded to, says nothing of its own for good.
 */
async function place(tx: Transaction, workspaceId: string, items: readonly FeedbackItem[]): Promise<Placed[]> {
  const ids = items.flatMap(({ messageId }) => messageId ?? [])
  const messages = new Map(
    (await messagesWithIds(tx, workspaceId, ids)).map(({ id, destination }) => [id, destination]),
  )
  return items.flatMap((item): Placed[] => {
    const cause = item.kind === 'bounce' ? item.cause : null
    const own = item.messageId === null ? item.addresses[0] : messages.get(item.messageId)
    // Nothing is left of the message, or of the person.
    if (!own) return []
    const isOther = item.addresses.length > 0 && !item.addresses.includes(own)
    return [{ item, destination: own, cause: isOther && cause !== null ? 'transient' : cause }]
  })
}

type Telling = {
  item: FeedbackItem
  bounceKind: 'permanent' | 'transient'
  message: MarkedMessage | undefined
  workspaceId: string
  destination: string
  contactId: string | undefined
}

/** `email.bounced` or `email.complained` (docs/guides/webhooks.md). */
function feedbackEvent({ item, bounceKind, message, workspaceId, destination, contactId }: Telling): DomainEvent {
  const type = item.kind === 'bounce' ? 'email.bounced' : 'email.complained'
  const details = {
    provider: message?.provider ?? item.provider,
    sendingDomain: message?.sendingDomain ?? null,
    ...(item.kind === 'bounce' ? { bounceKind, reason: item.reason } : {}),
    detail: item.detail,
  }
  if (message) return emailEvent(type, message, details)
  return {
    type,
    subject: destination,
    contactId: contactId ?? null,
    email: destination,
    data: {
      workspaceId: integer(workspaceId),
      ...(contactId === undefined ? {} : { contactId: integer(contactId) }),
      email: destination,
      ...details,
    },
  }
}
