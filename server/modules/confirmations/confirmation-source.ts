import type { ReaderLanguage } from '../../catalogue/reader-languages.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { DAY_SECONDS } from '../../platform/durations.ts'
import { html } from '../../platform/html.ts'
import {
  MAIL_BUTTON_COLORS,
  mailButton,
  mailDocument,
  mailParagraph,
  softParagraph,
} from '../../platform/mail/mail-document.ts'
import { type Brand, brandOf } from '../readers/brand.ts'
import { readableOn } from '../readers/readable-on.ts'
import { fillText, readerTexts } from '../readers/reader-texts.ts'
import { senderName } from '../readers/sender-name.ts'
import type { MessageContent, MessageSource } from '../sending/message-source.ts'
import type { LinkKey, LinkKeys } from '../tracking/link-keys.ts'
import { makeToken } from '../tracking/link-token.ts'
import { LINK_PATHS } from '../tracking/message-links.ts'
import { type RequestRow, requestsOfMessages } from './queries.ts'
import { CONFIRM_WITHIN_DAYS } from './request-confirmations.ts'
import { sendingSettingsOf } from './sending-settings.ts'

/** A mail of this kind that is not about a contact's request: where its link leads, below the service's address, and in which words. */
export type OtherConfirmation = { messageId: string; pathOf(key: LinkKey): string; language: ReaderLanguage | null }

export type ConfirmationSourceDeps = {
  keys: LinkKeys
  baseUrl: URL
  /** Those of these messages that forms have asked to be sent. */
  ofForms(tx: Transaction, workspaceId: string, messageIds: readonly string[]): Promise<readonly OtherConfirmation[]>
}

/** Gives the engine the mails that ask whether somebody wants marketing mail. */
export function confirmationSource({ keys, baseUrl, ofForms }: ConfirmationSourceDeps): MessageSource {
  return {
    kind: 'confirmation',
    senderOf: async () => ({ integrationId: null, fromEmail: null, fromName: null }),
    async prepare(tx, { workspaceId, messages, sender }) {
      const ids = messages.map(({ id }) => id)
      const [requests, others, brand, { postalAddress }] = await Promise.all([
        requestsOfMessages(tx, workspaceId, ids),
        ofForms(tx, workspaceId, ids),
        brandOf(tx, workspaceId),
        sendingSettingsOf(tx, workspaceId),
      ])
      const asked = new Map<string, Omit<OtherConfirmation, 'messageId'> & { topicName: string | null }>([
        ...others.map(({ messageId, ...other }) => [messageId, { ...other, topicName: null }] as const),
        ...requests.map((request) => {
          const pathOf = (key: LinkKey) => confirmPath(key, workspaceId, request)
          return [request.messageId, { pathOf, language: null, topicName: request.topicName }] as const
        }),
      ])
      const from = { address: sender.email, name: sender.name ?? brand?.name ?? null }
      return {
        finish: () => keys.ready(),
        async contentOf(message) {
          const one = asked.get(message.id)
          if (one === undefined || brand === undefined)
            return { fault: 'contact_gone', detail: 'the contact is no more' }
          const url = `${baseUrl.href}${one.pathOf(keys.current())}`
          const content = contentOf({
            topicName: one.topicName,
            brand: { ...brand, language: one.language ?? brand.language },
            url,
            postalAddress,
          })
          const to = [{ address: message.destination, name: null }]
          // RFC 3834 section 5: nobody's absence notice answers it.
          return { from, to, headers: [['Auto-Submitted', 'auto-generated']], ...content }
        },
      }
    },
  }
}

/** Below the service's address; the token says until when it works. */
export function confirmPath(key: LinkKey, workspaceId: string, { id, requestedAt }: RequestRow): string {
  const until = Math.floor(Date.parse(requestedAt) / 1_000) + CONFIRM_WITHIN_DAYS * DAY_SECONDS
  return `${LINK_PATHS.confirm}/${makeToken(key, 'confirm', [workspaceId, id, String(until)])}`
}

type Wording = { brand: Brand; topicName: string | null; url: string; postalAddress: string | null }

function contentOf({
  brand,
  topicName,
  url,
  postalAddress,
}: Wording): Pick<MessageContent, 'subject' | 'html' | 'text'> {
  const { name, language, logoUrl, color } = brand
  const texts = readerTexts(language)
  const fill = (text: string) =>
    fillText(text, { name: senderName(brand, topicName), days: String(CONFIRM_WITHIN_DAYS) })
  const [intro, outro] = [fill(texts.mailIntro), fill(texts.mailOutro)]
  const text = [intro, url, outro, postalAddress].filter((part) => part !== null).join('\n\n')
  const colors = color === null ? MAIL_BUTTON_COLORS : { back: color, text: readableOn(color) }
  const content = html`${
    logoUrl !== null &&
    html`<p style="margin:0 0 16px"><img class="logo" src="${logoUrl}" alt="${name}" style="max-width:100%;max-height:64px"></p>`
  }${mailParagraph(intro)}${mailButton({ label: texts.confirmButton, url }, colors)}${softParagraph(outro)}${
    postalAddress !== null && softParagraph(postalAddress)
  }`
  const subject = fill(texts.mailSubject)
  return { subject, html: mailDocument({ title: subject, language, content }), text: `${text}\n` }
}
