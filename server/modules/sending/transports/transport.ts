import type { Provider } from '../../../catalogue/providers.ts'
import type { SmtpReply } from '../../../platform/mail/classify-reply.ts'

/**
 * `MAIL FROM` and `RCPT TO`: bare addresses, as they go over the wire. The first of `to` is who the message is for: when
 * it is refused, the message is; others that are refused are told of in the reply.
 */
export type Envelope = { from: string; to: readonly string[] }

/** One message, ready to go. */
export type Handing = {
  envelope: Envelope
  /** The whole signed message, CRLF lines, not dot-stuffed. */
  bytes: Buffer
  /**
   * Called when the provider is ready for the content (SMTP: after 354; SES: before the request), and awaited before the
   * end of the content can reach it. On false nothing more is sent and the outcome is `withdrawn`. Called again only when
   * the provider has said that it has not taken the content and the message is offered anew.
   */
  beforeContent(): Promise<boolean>
  /** Called when the message is accepted and nobody reads `bytes` any more; not at all if that is not certain. */
  onSpent?(): void
}

/** How handing over ended. Every ending is a value. */
export type Handover =
  | { outcome: 'accepted'; providerMessageId: string | null; reply: string }
  /** The provider said no, to one of the commands or to the content; `classifyReply` says what that means. */
  | { outcome: 'refused'; reply: SmtpReply }
  | { outcome: 'withdrawn' }
  /** The connection could not be opened or broke before the content's end: it is safe to repeat. `cause` is a stable code. */
  | { outcome: 'unsent'; cause: string; message: string }
  /** The content's end was written and no answer came: nobody can know. */
  | { outcome: 'unanswered'; cause: string }

/** A way out for messages of one integration, shared by all turns of this process. */
export type Transport = {
  provider: Provider
  /** Messages under way at once, at most; `send` queues what is beyond it. */
  concurrency: number
  send(handing: Handing): Promise<Handover>
  /** Lets what is under way end, then closes; after `withinMs` what is still under way is torn down. */
  close(withinMs?: number): Promise<void>
}
