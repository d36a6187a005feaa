import { scanMail } from '../blocks/scan-mail.ts'

const TAKEN = 'script,style,meta,link,title,template'
const WEIGHT = /(?:^|;)\s*font-weight:\s*(\w+)/

/**
 * Pasted HTML without how it looks: words, lists, bold, italic and links are taken over, and nothing that would run. One line
 * is a button or a link itself, and takes no link.
 */
export function withoutLooks(html: string, isLine: boolean): string {
  const parsed = new DOMParser().parseFromString(stylesAsData(html), 'text/html')
  for (const element of parsed.querySelectorAll(TAKEN)) element.remove()
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

/** Styles by another name: the policy of the page refuses and reports each that is read as one. */
function stylesAsData(html: string): string {
  let safe = ''
  let from = 0
  for (const token of scanMail(html, [])) {
    const styles = token.kind === 'open' ? token.attributes.filter(({ name }) => name.toLowerCase() === 'style') : []
    for (const { begin } of styles) {
      safe += `${html.slice(from, begin)}data-`
      from = begin
    }
  }
  return safe + html.slice(from)
}
