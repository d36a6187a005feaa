import type { Transaction } from '../../platform/db/transaction.ts'
import { noteConsentChanges } from '../consents/note-consent-changes.ts'
import { markMessages } from '../sending/ledger/mark-messages.ts'
import { subscribeTo, topicSource, topicsOfPerson } from '../topics/topics-of-person.ts'
import { sourcesOf } from '../unsubscribes/sources-of.ts'
import { resubscribe, unsubscribe } from '../unsubscribes/unsubscribe.ts'
import { confirmRequest, type RequestRow } from './queries.ts'

/**
 * Notes that the owner of the address wants a topic, and nothing else: it is no consent to other marketing mail. Nobody who
 * wanted nothing gets more by it than this.
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
  if ((await sourcesOf(tx, workspaceId, destination)).has('everything')) {
    const others = (await topicsOfPerson(tx, workspaceId, contactId)).filter((one) => one.isSubscribed)
    const left = others.map((one) => topicSource(one.id)).filter((one) => one !== source)
    for (const sendingSource of ['broadcasts', ...left]) await unsubscribe(tx, workspaceId, { ...who, sendingSource })
  }
  await resubscribe(tx, workspaceId, { ...who, sources: [source, 'everything'] })
  await subscribeTo(tx, workspaceId, { topicIds: [topicId], contactId, byWhom: 'person' })
  const change = { email: destination, change: 'confirmed', byWhom: 'person', ip, messageId } as const
  await noteConsentChanges(tx, workspaceId, [{ ...change, sendingSource: source }])
  await markMessages(tx, workspaceId, [{ messageId, kind: 'clicked' }])
}
