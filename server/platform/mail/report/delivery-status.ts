import type { SmtpReply } from '../classify-reply.ts'

/** The fate of a message for one recipient (RFC 3464 section 2.3), from whatever form of report. */
export type DeliveryStatus = {
  /** In lower case, as the report has it; null where it hides or lacks it. */
  finalRecipient: string | null
  originalRecipient: string | null
  /** Null where the report leaves open even whether it failed. */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded' | null
  /** The refusal as a mail server would have said it; null when it says nothing that can be read. */
  reply: SmtpReply | null
}
