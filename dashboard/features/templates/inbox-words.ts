import { scanMail } from './blocks/scan-mail.ts'
import { entityAt } from './prose/characters.ts'

const WORDS_SHOWN = 120
/** What holds no words of the mail. */
const SILENT = new Set(['head', 'style', 'script', 'title'])

/** The words that an inbox shows behind the subject: the first of the HTML, those that the opened mail hides among them. */
export function inboxWords(html: string): string {
  let words = ''
  let silent: string | undefined
  for (const token of scanMail(html, [])) {
    if (silent !== undefined) {
      if (token.kind === 'close' && token.name === silent) silent = undefined
    } else if (token.kind === 'open') {
      if (SILENT.has(token.name) && !token.isSelfClosing) silent = token.name
      else if (!INLINE.has(token.name)) words += ' '
    } else if (token.kind === 'text') {
      words += html
        .slice(token.begin, token.end)
        .replaceAll(/&[#\w]+;/g, (entity) => entityAt(entity, 0)?.char ?? entity)
      if (words.length > 10 * WORDS_SHOWN) break
    }
  }
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, WORDS_SHOWN)
}

/** Elements that part no words. */
const INLINE = new Set(['a', 'b', 'strong', 'i', 'em', 'u', 's', 'span', 'small', 'sup', 'sub', 'font'])
