import type { Transaction } from '../../platform/db/transaction.ts'
import type { Mailbox } from '../../platform/mail/compose-message.ts'
import { type CreatedMessage, SINGLE } from '../sending/ledger/create-messages.ts'
import type { TemplateRef } from '../templates/template-sources.ts'
import { contactsByEmails } from './queries.ts'
import { type NewEmail, queueEmails } from './queue-emails.ts'
import { keepSubmittedMail } from './submitted-mails.ts'

/** A mail as a program handed it over, with what its header says for lists and pages. Addresses are normalised. */
export type SubmittedMail = {
  raw: Buffer
  /** Of the envelope, each once: they alone decide who gets it. */
  recipients: readonly string[]
  from: Mailbox
  to: readonly Mailbox[]
  cc: readonly Mailbox[]
  replyTo: readonly Mailbox[]
  subject: string
  /** Its own Message-ID with its brackets, to find it by. */
  messageId: string | null
  scheduledAt: string | null
  /** The template it is made from in the place of its own content, with JSON of its variables; null: its bytes go out. */
  template: {
    ref: TemplateRef
    variables: string | null
    trackOpens: boolean
    trackClicks: boolean
  } | null
}

/**
 * Queues a mail for each of its recipients, in the caller's transaction: a message of the ledger with a fate of its own, so
 * that one who must not be mailed keeps it from nobody else. All of them are the same bytes, unless it asks for a template. In the
 * order of the recipients.
 */
export async function queueSubmittedMail(
  tx: Transaction,
  workspaceId: string,
  mail: SubmittedMail,
): Promise<CreatedMessage[]> {
  const contacts = await contactsByEmails(tx, workspaceId, mail.recipients)
  const emails = mail.recipients.map((destination) => emailTo(mail, destination, contacts.get(destination) ?? null))
  const messages = await queueEmails(tx, { workspaceId, origin: SINGLE.email, emails })
  if (mail.template === null) await keepSubmittedMail(tx, workspaceId, { raw: mail.raw, messages })
  return messages
}

function emailTo(mail: SubmittedMail, destination: string, contactId: string | null): NewEmail {
  const isThem = ({ address }: Mailbox) => address.toLowerCase() === destination
  const named = [...mail.to, ...mail.cc].find(isThem)
  const common = {
    contactId,
    destination,
    destinationName: named?.name ?? null,
    ...{ html: null, text: null, attachments: [], oneClickUrl: null, metadata: null },
    fromEmail: mail.from.address,
    fromName: mail.from.name,
    replyTo: mail.replyTo,
    scheduledAt: mail.scheduledAt,
  }
  if (mail.template !== null) {
    const { ref, ...made } = mail.template
    // Its header is made anew for each: others of the envelope have a message of their own.
    return { ...common, ...made, template: ref, subject: null, furtherTo: [], cc: [], bcc: [], headers: [] }
  }
  return {
    ...common,
    ...{ template: null, variables: null, trackOpens: false, trackClicks: false },
    subject: mail.subject,
    furtherTo: mail.to.filter((one) => !isThem(one)),
    cc: mail.cc.filter((one) => !isThem(one)),
    // One that the envelope has and the header has not, the others do not see.
    bcc: named === undefined ? [destination] : [],
    headers: mail.messageId === null ? [] : [['Message-ID', mail.messageId]],
  }
}
