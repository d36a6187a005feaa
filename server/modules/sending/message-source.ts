import type { Transaction } from '../../platform/db/transaction.ts'
import type { Attachment, Mailbox } from '../../platform/mail/compose-message.ts'
import type { MailText } from '../../platform/mail/mail-text.ts'

export type Surface = 'broadcast' | 'transactional' | 'confirmation' | 'test'

/** A message that a turn has claimed. Ids are decimal strings, times RFC 3339. */
export type ClaimedMessage = {
  workspaceId: string
  id: string
  createdAt: string
  surface: Surface
  broadcastId: string | null
  contactId: string | null
  destination: string
  attempt: number
}

/** What of a message its surface decides. The engine adds Message-ID, Date, return path, signature. */
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
}

/** Why a message has no content: it fails as `render_failed`, and the detail stands in its timeline; of a broadcast, whoever is gone is skipped. */
export type ContentFault = { fault: 'render_failed' | 'contact_gone'; detail: string }

/** What a surface prepared for a claimed batch. */
export type PreparedMessages = {
  /** Renders one message; pure and synchronous: it runs while others are on the wire. */
  contentOf(message: ClaimedMessage): MessageContent | ContentFault
}

/** What the messages of a source go through. */
export type StreamSender = {
  /** The integration its owner chose; null: the channel's default. */
  integrationId: string | null
  /** From address, whose domain must be verified and signs; null: the integration's own `from`. */
  fromEmail: string | null
  fromName: string | null
}

/** What a surface gives the engine. One per surface; registered in compose.ts. */
export type MessageSource = {
  surface: Surface
  /** Once a turn: who sends the messages of this stream. `sourceId` is the broadcast's id, null for transactional mail. */
  senderOf(tx: Transaction, workspaceId: string, sourceId: string | null): Promise<StreamSender>
  /** Once a claim, a few statements for all of them: everything `contentOf` needs. `sender` is resolved: never null. */
  prepare(
    tx: Transaction,
    batch: { workspaceId: string; messages: readonly ClaimedMessage[]; sender: { email: string; name: string | null } },
  ): Promise<PreparedMessages>
  /** In the transaction that settles the stream's last message: nothing of it is queued any more. */
  drained?(tx: Transaction, workspaceId: string, sourceId: string): Promise<void>
}
