import { html } from '../../platform/html.ts'
import { MAIL_BUTTON_COLORS, mailButton, mailDocument, mailParagraph } from '../../platform/mail/mail-document.ts'

/** The words of a mail of the system. It has one link at most, and nothing is fetched when it is read. */
export type MailContent = {
  subject: string
  paragraphs: readonly string[]
  link?: { label: string; url: string }
  /** Below the link. */
  closing?: readonly string[]
}

export type RenderedMail = { text: string; html: string }

const LINE_CHARS_MAX = 76

/** The mail's two parts. Names that people chose, of themselves and of workspaces, are text in both of them. */
export function renderMail({ subject, paragraphs, link, closing = [] }: MailContent): RenderedMail {
  const text = [...paragraphs.map(wrap), ...(link ? [`${link.label}:\n${link.url}`] : []), ...closing.map(wrap)]
  const content = html`${paragraphs.map(mailParagraph)}${link && mailButton(link, MAIL_BUTTON_COLORS)}${closing.map(mailParagraph)}`
  return {
    text: `${text.join('\n\n')}\n`,
    html: mailDocument({ title: oneLine(subject), language: 'en', content }),
  }
}

/** Also against a subject or body that goes on where it should end. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function wrap(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of oneLine(text).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > LINE_CHARS_MAX) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
