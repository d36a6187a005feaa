import { randomUUID } from 'node:crypto'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { insertMail, newMailId } from './queries.ts'
import { type MailContent, oneLine, type RenderedMail, renderMail } from './render-mail.ts'

const SYSTEM_MAIL_KINDS = [
  'invitation',
  'password_reset',
  'account_notice',
  'domain_notice',
  'automation_notice',
  'team_notice',
  'form_notice',
] as const
export type SystemMailKind = (typeof SYSTEM_MAIL_KINDS)[number]

export type SystemMail = {
  kind: SystemMailKind
  recipient: string
  content: MailContent
  /** How long it is of use, and so tried. */
  lifeSeconds: number
}

/** The way for modules to write to people. */
export type SystemMailer = {
  /** Whether mail leaves this instance; otherwise it is kept for the operator. */
  readonly sends: boolean
  /** Queues a mail in the transaction of its cause: it is sent if and only if that commits. */
  queue(tx: Transaction, mail: SystemMail): Promise<void>
  /** Address of a dashboard page. The secret is its fragment, which browsers keep from servers, logs and referrers. */
  pageUrl(page: string, secret: string): string
  /** The same of a page that needs no secret, below `/app/`. */
  dashboardUrl(path: string): string
}

export type SystemMailerOptions = {
  secrets: SecretBox
  sends: boolean
  /** Where people reach the dashboard. Never taken from a request: its sender could choose where a secret goes. */
  baseUrl: URL
}

export const SEND_SYSTEM_MAIL = jobKind<{ mailId: string }>({ kind: 'send_system_mail', queue: 'default' })

export function createSystemMailer({ secrets, sends, baseUrl }: SystemMailerOptions): SystemMailer {
  return {
    sends,
    async queue(tx, { kind, recipient, content, lifeSeconds }) {
      const id = await newMailId(tx)
      const rendered: RenderedMail = renderMail(content)
      await insertMail(tx, {
        id,
        kind,
        recipient,
        subject: oneLine(content.subject),
        content: secrets.seal(JSON.stringify(rendered), mailRow(id)),
        messageId: `<${randomUUID()}@${messageDomain(baseUrl)}>`,
        state: sends ? 'waiting' : 'kept',
        lifeSeconds,
      })
      if (sends) await enqueue(tx, SEND_SYSTEM_MAIL, { mailId: id })
    },
    pageUrl(page, secret) {
      const url = new URL(`app/${page}`, baseUrl)
      url.hash = secret
      return url.href
    },
    dashboardUrl: (path) => new URL(`app/${path}`, baseUrl).href,
  }
}

/** The row that the sealed content of a mail is bound to. */
export function mailRow(id: string): string {
  return `system_mails/${id}/content`
}

/** RFC 5322 section 3.6.4: the right side of a message id; a domain of the instance keeps it unique. */
function messageDomain({ hostname }: URL): string {
  return hostname.startsWith('[') ? 'postroom.localhost' : hostname
}
