import type { Transaction } from '../../platform/db/transaction.ts'
import { SINGLE } from '../sending/ledger/create-messages.ts'
import { queueEmails } from './queue-emails.ts'

/** A rendered mail for somebody of the team to look at. The address is normalised. */
export type TestMail = {
  destination: string
  subject: string
  html: string | null
  text: string | null
  /** Null: those of the integration. */
  fromEmail: string | null
  fromName: string | null
  /** RFC 8058, so that a test of marketing mail has the headers of the real one. */
  oneClickUrl: string | null
  /** RFC 3339; at once when absent. */
  scheduledAt?: string
}

/**
 * Queues test mails in the workspace's stream of single mail, in the caller's transaction; they go out as they are, and to
 * whomever they name. Returns the messages' ids, in the order given.
 */
export async function queueTestMails(
  tx: Transaction,
  workspaceId: string,
  mails: readonly TestMail[],
): Promise<string[]> {
  const emails = mails.map((mail) => ({
    ...mail,
    contactId: null,
    destinationName: null,
    template: null,
    variables: null,
    furtherTo: [],
    cc: [],
    bcc: [],
    replyTo: [],
    headers: [],
    attachments: [],
    trackOpens: false,
    trackClicks: false,
    scheduledAt: mail.scheduledAt ?? null,
    metadata: null,
  }))
  const messages = await queueEmails(tx, { workspaceId, origin: SINGLE.test, emails })
  return messages.map(({ id }) => id)
}
