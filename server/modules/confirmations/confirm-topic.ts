import type { Transaction } from '../../platform/db/transaction.ts'
import { noteConsentChanges } from '../consents/note-consent-changes.ts'
import { markMessages } from '../sending/ledger/mark-messages.ts'
import { subscribeTo, topicSource } from '../topics/topics-of-person.ts'
import { resubscribe } from '../unsubscribes/unsubscribe.ts'
import { confirmRequest, type RequestRow } from './queries.ts'

/**
 * Notes that the owner of the address wants a topic, and nothing else: it is no consent to other marketing mail, and
 * takes back no other no: the link of somebody who wants nothing is not open.
 */
export async function confirmTopic(
  tx: Transaction,
  workspaceId: string,
  { request, ip }: { request: RequestRow & { topicId: string }; ip: string | null },
): Promise<void> {
  const { id, contactId, topicId, destination, messageId } = request
  const source = topicSource(topicId)
  const who = { destination, messageId, byWhom: 'person', ip } as const
  await confirmRequest(tx, workspaceId, id)
  await resubscribe(tx, workspaceId, { ...who, sources: [source] })
  await subscribeTo(tx, workspaceId, { topicIds: [topicId], contactId, byWhom: 'person' })
  const change = { contactId, change: 'confirmed', byWhom: 'person', ip, messageId } as const
  await noteConsentChanges(tx, workspaceId, [{ ...change, sendingSource: source }])
  await markMessages(tx, workspaceId, [{ messageId, kind: 'clicked' }])
}
