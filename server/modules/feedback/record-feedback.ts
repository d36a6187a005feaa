import type pg from 'pg'
import type { Provider } from '../../catalogue/providers.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { type DomainEvent, emitEvents } from '../domain-events/emit-events.ts'
import { addressEvent, emailEvent } from '../sending/ledger/email-events.ts'
import { type MarkedMessage, markMessages } from '../sending/ledger/mark-messages.ts'
import type { Cause, FeedbackItem } from './feedback-item.ts'
import { type AddressedMessage, contactsWithEmails, insertReports, messagesWithIds } from './queries.ts'

export type FeedbackDeps = {
  sql: pg.Pool
  /** Counts each bounce for good and each complaint that was new, once it is committed. */
  onFeedback: (told: { provider: Provider; status: 'bounce' | 'complaint' }) => void
}

/** Fates of items: `known` were told before, `unknown` are about nobody and nothing of the workspace's. */
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
  for (const one of told) {
    const { kind } = one.item
    if (kind === 'complaint' || one.bounceKind === 'permanent')
      deps.onFeedback({ provider: providerOf(one), status: kind })
  }
  return { recorded: told.length, known: items.length - unknown - told.length, unknown }
}

/** The provider that delivered it: Amazon speaks of what Amazon delivered, everybody else of what the message says. */
function providerOf({ item, message }: Told): Provider {
  return item.source === 'ses' ? 'ses' : (message?.provider ?? 'smtp')
}

/** An item with whom it is about; with the message only where it is the message's own address. */
type Placed = {
  item: FeedbackItem
  destination: string
  messageId: string | null
  cause: Cause | null
  /** When it came about, where that is known and can be; now otherwise. */
  at?: string
}

async function recordItems(tx: Transaction, workspaceId: string, items: readonly FeedbackItem[]) {
  const placed = await place(tx, workspaceId, items)
  const stored = await insertReports(
    tx,
    workspaceId,
    placed.map(({ item, ...about }) => ({ ...item, ...about, isUnread: item.isUnread ?? false })),
  )
  const byKey = new Map(placed.map((one) => [one.item.key, one]))
  const fresh = stored
    .map((report) => ({ ...report, ...byKey.get(report.key)! }))
    .filter(({ item }) => item.isHearsay === undefined)
  const [messages, contacts] = await Promise.all([
    markAll(tx, workspaceId, fresh),
    contactsWithEmails(
      tx,
      workspaceId,
      fresh.flatMap(({ messageId, destination }) => (messageId === null ? [destination] : [])),
    ),
  ])
  const told = fresh.flatMap(({ isKnown, isConfirmed, ...one }) => {
    const message = messages.get(nameOf(one))
    const isPermanent = one.cause === 'permanent' || isConfirmed
    const isNews = message === undefined || message.isFirst || (isPermanent && !isKnown)
    return isNews
      ? [{ ...one, message, bounceKind: isPermanent ? ('permanent' as const) : ('transient' as const) }]
      : []
  })
  const events = told.map((one) => feedbackEvent(workspaceId, one, contacts.get(one.destination) ?? null))
  await emitEvents(tx, workspaceId, events)
  return { told, unknown: items.length - placed.length }
}

const MARKS = { bounce: 'bounced', complaint: 'complained' } as const

/** Notes on the messages what came back of them; by message and kind. */
async function markAll(
  tx: Transaction,
  workspaceId: string,
  placed: readonly Placed[],
): Promise<Map<string, MarkedMessage>> {
  const marks = placed.flatMap(({ messageId, item, at }) =>
    messageId === null ? [] : [{ messageId, kind: MARKS[item.kind], ...(at !== undefined && { at }) }],
  )
  const marked = await markMessages(tx, workspaceId, marks)
  return new Map(marked.map((message) => [`${message.id} ${message.kind}`, message]))
}

function nameOf({ messageId, item }: Placed): string {
  return `${messageId} ${MARKS[item.kind]}`
}

/** Items with whom they are about, and when it came about. */
async function place(tx: Transaction, workspaceId: string, items: readonly FeedbackItem[]): Promise<Placed[]> {
  const ids = items.flatMap(({ messageId }) => messageId ?? [])
  const messages = new Map((await messagesWithIds(tx, workspaceId, ids)).map((message) => [message.id, message]))
  return items.flatMap((item) => {
    const at = timeOf(item, item.messageId === null ? undefined : messages.get(item.messageId))
    return placesOf(item, messages).map((one): Placed => (at === undefined ? one : { ...one, at }))
  })
}

/**
 * The time that a notice names, as far as it can be: not before its message, and not to come. By its clock a bounce may be from before the attempt
 * that is still under way, and count for nothing then: it is of the moment that it is told.
 */
function timeOf({ occurredAt }: FeedbackItem, message: AddressedMessage | undefined): string | undefined {
  if (occurredAt === undefined || message?.isSettled === false) return undefined
  const told = Date.parse(occurredAt)
  if (message !== undefined && told < Date.parse(message.createdAt)) return message.createdAt
  return told < Date.now() ? occurredAt : undefined
}

/**
 * The person that each item is about. A reporter whose word is trusted about addresses speaks of the address that it names. A mail
 * speaks of its message's address: when it names another one, a copy's or where the message was forwarded to, its bounce
 * is none for good, and its complaint counts only where there was no copy. Of a message with copies no bounce is for good,
 * whomever it names: it may be a copy's that hides its address, and each receiver knows the return path of all.
 */
function placesOf(item: FeedbackItem, messages: ReadonlyMap<string, AddressedMessage>): Placed[] {
  const { messageId, addresses } = item
  const cause = item.kind === 'bounce' ? item.cause : null
  const message = messageId === null ? undefined : messages.get(messageId)
  const own = messageId === null ? addresses[0] : message?.destination
  // Nothing is left of the message, or of the person.
  if (!own) return []
  const [other] = addresses
  if (item.source === 'mail' && message?.hasOthers) {
    if (item.kind === 'complaint') return addresses.includes(own) ? [{ item, destination: own, messageId, cause }] : []
    return [{ item, destination: own, messageId, cause: 'transient' }]
  }
  if (other === undefined || addresses.includes(own)) return [{ item, destination: own, messageId, cause }]
  if (item.source !== 'mail') return [{ item, destination: other, messageId: null, cause }]
  if (item.kind === 'complaint') return [{ item, destination: own, messageId, cause }]
  return [{ item, destination: own, messageId, cause: 'transient' }]
}

type Told = Placed & { message: MarkedMessage | undefined; bounceKind: 'permanent' | 'transient' }

/** `email.bounced` or `email.complained` (docs/guides/webhooks.md). */
function feedbackEvent(workspaceId: string, told: Told, contactId: string | null): DomainEvent {
  const { item, destination, message, bounceKind, at } = told
  const occurred = at === undefined ? {} : { occurredAt: at }
  const type = item.kind === 'bounce' ? 'email.bounced' : 'email.complained'
  const details = {
    provider: providerOf(told),
    sendingDomain: message?.sendingDomain ?? null,
    ...(item.kind === 'bounce' ? { bounceKind, reason: item.reason } : {}),
    detail: item.detail,
  }
  if (message) return { ...emailEvent(type, message, details), ...occurred }
  return { ...addressEvent(type, { workspaceId, contactId, destination }, details), ...occurred }
}
