import { assertNever } from '../../platform/assert-never.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { MessageIds } from '../sending/ledger/message-ids.ts'
import type { FeedbackItem } from './feedback-item.ts'
import { messagesOfProvider } from './queries.ts'
import { readSesNotification, type SesNotification } from './read-ses-notification.ts'
import { type FeedbackDeps, type Recorded, recordFeedback } from './record-feedback.ts'
import { isSubscribeUrl, readSnsMessage, type SnsMessage, topicRegion } from './sns-message.ts'
import { type SnsFault, type SnsVerifier, verifySns } from './verify-sns.ts'

export type SnsDeps = FeedbackDeps &
  SnsVerifier & {
    client: Pick<GuardedClient, 'send'>
    messageIds: Pick<MessageIds, 'read'>
  }

/** Why a message is not taken. */
export type SnsRefusal = SnsFault | 'subscribe_url'

export type SnsOutcome =
  | { outcome: 'malformed' }
  | { outcome: 'refused'; fault: SnsRefusal }
  | ({ outcome: 'taken' } & Recorded)
  | { outcome: 'confirmed' }
  | { outcome: 'unconfirmed' }
  /** Believed, and nothing to do for it. */
  | { outcome: 'ignored' }

/** Takes in what Amazon SNS posts for a workspace, once it is proven to be theirs and from a topic of the workspace's. */
export async function takeInSns(
  deps: SnsDeps,
  hook: { workspaceId: string; sesTopics: readonly string[] },
  body: string,
): Promise<SnsOutcome> {
  const message = readSnsMessage(body)
  if (message === undefined) return { outcome: 'malformed' }
  const fault = await verifySns(deps, message, hook.sesTopics)
  if (fault !== null) return { outcome: 'refused', fault }
  switch (message.Type) {
    case 'SubscriptionConfirmation':
      return confirm(deps, message)
    case 'UnsubscribeConfirmation':
      return { outcome: 'ignored' }
    case 'Notification': {
      const notification = readSesNotification(message.Message)
      if (notification === null) return { outcome: 'ignored' }
      return { outcome: 'taken', ...(await record(deps, hook.workspaceId, { message, notification })) }
    }
    default:
      return assertNever(message.Type)
  }
}

const CONFIRM_DEADLINE_MS = 10_000

/** Asks for the URL that a signed message names, if it is what it should be: SNS's own, for this topic. */
async function confirm(
  { client }: SnsDeps,
  { SubscribeURL: url = '', TopicArn: topic }: SnsMessage,
): Promise<SnsOutcome> {
  const { host = '' } = topicRegion(topic) ?? {}
  if (!isSubscribeUrl(url, { host, topic })) return { outcome: 'refused', fault: 'subscribe_url' }
  const answer = await client.send({ method: 'GET', url, headers: {}, deadlineMs: CONFIRM_DEADLINE_MS })
  const isConfirmed = answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300
  return { outcome: isConfirmed ? 'confirmed' : 'unconfirmed' }
}

type Told = { message: SnsMessage; notification: SesNotification }

async function record(deps: SnsDeps, workspaceId: string, { message, notification }: Told): Promise<Recorded> {
  const { recipients, occurredAt } = notification
  const ids = await inTransaction(deps.sql, workspaceId, (tx) => messagesOf(deps, tx, { workspaceId, notification }))
  const items = recipients.map(
    ({ address, ...told }): FeedbackItem => ({
      ...told,
      key: `sns ${message.MessageId} ${address}`,
      source: 'ses',
      messageId: ids.get(address) ?? null,
      addresses: [address],
      ...(occurredAt !== null && { occurredAt }),
    }),
  )
  return recordFeedback(deps, workspaceId, items)
}

type Sought = { workspaceId: string; notification: SesNotification }

/** The message of each address: by our own name for it, else by what SES called it. */
async function messagesOf(
  { messageIds }: SnsDeps,
  tx: Transaction,
  { workspaceId, notification }: Sought,
): Promise<Map<string, string>> {
  const { messageIdHeader, providerMessageId, recipients } = notification
  const addresses = recipients.map(({ address }) => address)
  const named = messageIdHeader === null ? null : messageIds.read(messageIdHeader)
  if (named?.workspaceId === workspaceId) return new Map(addresses.map((address) => [address, named.messageId]))
  if (providerMessageId === null) return new Map()
  const found = await messagesOfProvider(tx, workspaceId, { providerMessageId, addresses })
  return new Map(found.map(({ id, destination }) => [destination, id]))
}
