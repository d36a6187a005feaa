import type { Transaction } from '../../platform/db/transaction.ts'
import { holdForConsentByEmail } from '../consents/hold-for-consent.ts'
import { type ConsentChange, noteConsentChanges, withdrawConsents } from '../consents/note-consent-changes.ts'
import { type DomainEvent, emitEvents } from '../domain-events/emit-events.ts'
import { addressEvent, emailEvent } from '../sending/ledger/email-events.ts'
import { markMessages } from '../sending/ledger/mark-messages.ts'
import { endSubscriptions, endSubscriptionsForEveryone, isTopic } from '../topics/topics-of-person.ts'
import { deleteUnsubscribes, endKept, insertUnsubscribe } from './queries.ts'
import type { Unsubscribe } from './schemas.ts'
import { topicIdOf } from './source-ids.ts'

/** A wish for no more mail of a kind, and who says so. The address is normalised. */
export type Wish = {
  destination: string
  sendingSource: string
  /** The message whose link was used, if one was. */
  messageId: string | null
  /** With all automations: the one that is wanted still. */
  except?: string | undefined
} & Pick<ConsentChange, 'byWhom' | 'ip'>

/** With the contact that has the address, held. */
type HeldWish = Wish & { contactId: string | null }

/**
 * Unsubscribes an address from a source: from the commit on nothing of it is sent there. Emits `email.unsubscribed`,
 * notes it on the message and in the contact's history; who wants nothing more has no consent left. An address that was
 * unsubscribed already changes nothing but a yes said since. A reader who leaves a topic that is no more leaves the newsletters,
 * which is all that the topic's mail can be of now.
 */
export async function unsubscribe(
  tx: Transaction,
  workspaceId: string,
  wish: Wish,
): Promise<{ row: Unsubscribe; isNew: boolean }> {
  const { destination, sendingSource, messageId } = wish
  const contactId = await holdForConsentByEmail(tx, workspaceId, destination)
  const made = await insertUnsubscribe(tx, workspaceId, wish)
  await endSubscription(tx, workspaceId, { ...wish, contactId })
  await endKept(tx, workspaceId, wish)
  if (!made.isNew) return made
  await emitEvents(tx, workspaceId, await unsubscribedEvents(tx, workspaceId, { ...wish, contactId }))
  if (contactId === null) return made
  const change = { contactId, change: 'unsubscribed', byWhom: wish.byWhom, ip: wish.ip, messageId } as const
  await noteConsentChanges(tx, workspaceId, [{ ...change, sendingSource: sourceOf(sendingSource) }])
  if (sendingSource === 'everything') await withdrawConsents(tx, workspaceId, [contactId])
  return made
}

/**
 * A yes ends with the no: whoever takes the no back has said nothing. A no to all newsletters ends the yes to those of them
 * that go to everyone; what was asked for by itself stays.
 */
async function endSubscription(tx: Transaction, workspaceId: string, { contactId, ...wish }: HeldWish): Promise<void> {
  const { sendingSource } = wish
  const topicId = topicIdOf(sendingSource)
  if (topicId === undefined && sendingSource.startsWith('automation')) return
  if (topicId === undefined) {
    if (contactId !== null) await endSubscriptionsForEveryone(tx, workspaceId, [contactId])
    return
  }
  if (contactId !== null) await endSubscriptions(tx, workspaceId, { topicIds: [topicId], contactId })
  if (wish.byWhom === 'person' && !(await isTopic(tx, workspaceId, topicId))) {
    await unsubscribe(tx, workspaceId, { ...wish, sendingSource: 'broadcasts' })
  }
}

/** Takes back what an address has unsubscribed from, and says so in the contact's history; returns what it had. */
export async function resubscribe(
  tx: Transaction,
  workspaceId: string,
  { destination, sources, ...who }: Omit<Wish, 'sendingSource'> & { sources: readonly string[] },
): Promise<string[]> {
  const contactId = await holdForConsentByEmail(tx, workspaceId, destination)
  const had = await deleteUnsubscribes(tx, workspaceId, { destination, sources })
  // A no to everything, whoever noted it, was also one to the series that was kept.
  if (had.includes('everything')) await endKept(tx, workspaceId, { destination, sendingSource: 'everything' })
  if (contactId === null) return had
  const change = { contactId, change: 'resubscribed', ...who } as const
  await noteConsentChanges(
    tx,
    workspaceId,
    had.map((source) => ({ ...change, sendingSource: sourceOf(source) })),
  )
  return had
}

/** The message tells whose it was, unless it is no more: then the address does. Of somebody who was erased meanwhile nobody is told. */
async function unsubscribedEvents(tx: Transaction, workspaceId: string, wish: HeldWish): Promise<DomainEvent[]> {
  const { contactId, destination, sendingSource, messageId, except } = wish
  const data = { sendingSource, ...(except !== undefined && { except }) }
  const marks = messageId === null ? [] : [{ messageId, kind: 'unsubscribed' as const }]
  const [message] = await markMessages(tx, workspaceId, marks)
  if (message?.destination === '') return []
  if (message?.destination === destination) return [emailEvent('email.unsubscribed', message, data)]
  return [addressEvent('email.unsubscribed', { workspaceId, contactId, destination }, data)]
}

function sourceOf(sendingSource: string): string | null {
  return sendingSource === 'everything' ? null : sendingSource
}
