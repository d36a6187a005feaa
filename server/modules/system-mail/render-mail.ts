import { escapeHtml } from '../../platform/html.ts'

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
export function renderMail({ paragraphs, link, closing = [] }: MailContent): RenderedMail {
  const text = [...paragraphs.map(wrap), ...(link ? [`${link.label}:\n${link.url}`] : []), ...closing.map(wrap)]
  const html = [
    ...paragraphs.map(paragraph),
    ...(link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`] : []),
    ...closing.map(paragraph),
  ]
  return {
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family: sans-serif">\n${html.join('\n')}\n</body></html>\n`,
  }
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
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
