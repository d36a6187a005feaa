import type { Transaction } from '../../platform/db/transaction.ts'
import { SINGLE } from '../sending/ledger/create-messages.ts'
import { queueEmails } from './queue-emails.ts'

/** A rendered mail for somebody of the team to look at. The address is normalised. */
export type TestMail = {
  workspaceId: string
  destination: string
  subject: string
  html: string | null
  text: string | null
  /** Null: those of the integration. */
  fromEmail: string | null
  fromName: string | null
  /** RFC 8058, so that a test of marketing mail has the headers of the real one. */
  oneClickUrl: string | null
}

/**
 * Queues a test mail in the workspace's stream of single mail, in the caller's transaction; it goes out as it is, and to
 * whomever it names. Returns the message's id.
 */
export async function queueTestMail(tx: Transaction, mail: TestMail): Promise<string> {
  const { workspaceId, ...content } = mail
  const email = {
    ...content,
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
    scheduledAt: null,
    metadata: null,
  }
  const [message] = await queueEmails(tx, { workspaceId, origin: SINGLE.test, emails: [email] })
  return message!.id
}
