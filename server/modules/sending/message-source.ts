import type { Transaction } from '../../platform/db/transaction.ts'
import type { Mailbox } from '../../platform/mail/compose-message.ts'
import type { MailText } from '../../platform/mail/mail-text.ts'
import type { Attachment } from '../../platform/mail/mime-parts.ts'

/** The end a message is sent for: with where it comes from that decides whom it may go to (ledger/refusal.ts). */
export const PURPOSES = ['marketing', 'service', 'transactional', 'system'] as const
export type Purpose = (typeof PURPOSES)[number]

/** Where messages come from. Broadcasts and automations have ids; single mails, confirmations and tests are the workspace's. */
export type SourceKind = 'broadcast' | 'automation' | 'email' | 'confirmation' | 'test'

/** A source with messages, and a stream, of its own. */
export type Source = { kind: 'broadcast' | 'automation'; id: string }

/** The origin of a message, wherever it goes. `sourceId` is null for what is of the workspace itself. */
export type Origin = { purpose: Purpose; sourceKind: SourceKind; sourceId: string | null }

/** SQL, for `messages m`: its origin, and what the program that sent it says of it for itself. */
export const ORIGIN =
  'm.purpose, m.source_kind as "sourceKind", m.source_id as "sourceId", m.topic_id as "topicId", m.metadata'

/**
 * SQL, for `messages m`: those of contacts, by both indexes that have them. `which` is an operator with its operand, of
 * ids that are known before: a join with them would read all messages.
 */
export const ofContact = (which: string) => `((m.source_kind = 'broadcast' and m.contact_id ${which})
  or (m.source_kind <> 'broadcast' and m.contact_id ${which}))`

/**
 * SQL, for `messages m` or what it is called: the contact that a message is to by now. A second mail of one broadcast to a person who was
 * merged stays, in the ledger, with the contact that it went to.
 */
export const personOf = (message = 'm') => `coalesce((select w.survivor_id from contact_merges w
    where w.workspace_id = ${message}.workspace_id and w.merged_id = ${message}.contact_id), ${message}.contact_id)`

/** A message that a turn has claimed. Ids are decimal strings, times RFC 3339. */
export type ClaimedMessage = Origin & {
  workspaceId: string
  id: string
  createdAt: string
  contactId: string | null
  destination: string
  /** Of its broadcast; null: of none. */
  topicId: string | null
  /** JSON; null without any. */
  metadata: string | null
  attempt: number
}

/** The part of a message that its source decides. The engine adds Message-ID, Date, return path, signature. */
export type MessageContent = {
  from: Mailbox
  to: readonly Mailbox[]
  cc?: readonly Mailbox[]
  /** In the envelope only. */
  bcc?: readonly string[]
  replyTo?: readonly Mailbox[]
  subject: string
  html: MailText | null
  text: string | null
  headers?: readonly (readonly [name: string, value: string])[]
  attachments?: readonly Attachment[]
  /** RFC 8058: becomes List-Unsubscribe and List-Unsubscribe-Post, inside the signature. Marketing mail always has one. */
  oneClickUrl?: string
  /** A mail that goes out as it came, whatever stands above; `to` has its recipients, `from` whose domain signs it. */
  whole?: Buffer
}

/** Why a message has no content: it fails as `render_failed`, and the detail stands in its timeline; of a broadcast or an automation, whoever is gone is skipped. */
export type ContentFault = { fault: 'render_failed' | 'contact_gone'; detail: string }

/** A claimed batch as its kind of source has prepared it. */
export type PreparedMessages = {
  /**
   * Once, before any content is asked for and after the transaction has ended: what takes other than the database's time,
   * templates' layout above all. The server ends a transaction that stands still for seconds.
   */
  finish?(): Promise<void>
  /** Renders one message, and changes nothing: it runs while others are on the wire. */
  contentOf(message: ClaimedMessage): Promise<MessageContent | ContentFault>
}

/** The way that the messages of a source go: integration and from address. */
export type StreamSender = {
  /** The integration its owner chose; null: the channel's default. */
  integrationId: string | null
  /** From address, whose domain must be verified and signs; null: the integration's own `from`. */
  fromEmail: string | null
  fromName: string | null
}

/** The engine's way to a kind of source. One for each; registered in compose.ts. */
export type MessageSource = {
  kind: SourceKind
  /** Once a turn: who sends the messages of this stream. `sourceId` is that of the broadcast or automation, null for single mail. */
  senderOf(tx: Transaction, workspaceId: string, sourceId: string | null): Promise<StreamSender>
  /** Once a claim, a few statements for all of them: everything `contentOf` needs. `sender` is resolved: never null. */
  prepare(
    tx: Transaction,
    batch: { workspaceId: string; messages: readonly ClaimedMessage[]; sender: { email: string; name: string | null } },
  ): Promise<PreparedMessages>
  /** In the transaction that settles the stream's last message: nothing of it is queued any more. */
  drained?(tx: Transaction, workspaceId: string, sourceId: string): Promise<void>
}
