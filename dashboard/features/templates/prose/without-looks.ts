import { scanMail } from '../blocks/scan-mail.ts'
import { withStraightQuotes } from './value-text.ts'
import { listsOfWord } from './word-lists.ts'

const TAKEN = 'script,style,meta,link,title,template'
const WEIGHT = /(?:^|;)\s*font-weight:\s*(\w+)/

/**
 * Pasted HTML without how it looks: words, lists, bold, italic and links are taken over, and nothing that would run. One line
 * is a button or a link itself, and takes no link.
 */
export function withoutLooks(html: string, isLine: boolean): string {
  const parsed = new DOMParser().parseFromString(stylesAsData(html), 'text/html')
  for (const element of parsed.querySelectorAll(TAKEN)) element.remove()
  listsOfWord(parsed)
  const texts = parsed.createTreeWalker(parsed.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    text.nodeValue = withStraightQuotes(text.nodeValue ?? '')
  }
  // Google Docs puts all that is copied into a <b> of normal weight, and says in a span what is bold.
  for (const element of parsed.querySelectorAll('b, strong, span')) {
    const [, weight = ''] = WEIGHT.exec(element.getAttribute('data-style') ?? '') ?? []
    if (element.localName !== 'span') {
      if (/^(normal|400)$/.test(weight)) element.replaceWith(...element.childNodes)
    } else if (/^(bold|[6-9]00)$/.test(weight)) {
      const bold = parsed.createElement('b')
      bold.append(...element.childNodes)
      element.append(bold)
    }
  }
  for (const element of parsed.querySelectorAll('*')) {
    for (const { name } of [...element.attributes]) {
      if (!STAYS.has(name) || (isLine && name === 'href')) element.removeAttribute(name)
    }
  }
  return parsed.body.innerHTML
}

const STAYS = new Set(['href', 'data-liquid', 'data-pm-slice'])

/** Styles by other names: the policy of the page refuses and reports each that is read as one. */
function stylesAsData(html: string): string {
  let safe = ''
  let from = 0
  const put = (begin: number, text: string, end = begin) => {
    safe += html.slice(from, begin) + text
    from = end
  }
  for (const token of scanMail(html, [])) {
    if (token.kind !== 'open' && token.kind !== 'close') continue
    const nameBegin = token.begin + (token.kind === 'open' ? 1 : 2)
    if (token.name === 'style') put(nameBegin, 'template', nameBegin + token.name.length)
    if (token.kind === 'close') continue
    for (const { name, begin } of token.attributes) if (name === 'style') put(begin, 'data-')
  }
  return safe + html.slice(from)
}
