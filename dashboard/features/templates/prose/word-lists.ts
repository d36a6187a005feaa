const POINT = /(?:^|;)\s*mso-list:\s*(?!none|Ignore)\w/i
const SIGN = /(?:^|;)\s*mso-list:\s*Ignore/i
const NUMBER = /^\s*\(?(?:\d+|[a-z]{1,4})[.)]/i

const styleOf = (element: Element | null) => element?.getAttribute('data-style') ?? ''

/** Word copies the points of a list as paragraphs that begin with their sign or number: they become lists. */
export function listsOfWord(parsed: Document): void {
  let last: Element | undefined
  for (const point of parsed.querySelectorAll('p, div')) {
    if (!POINT.test(styleOf(point))) continue
    const sign = [...point.querySelectorAll('span')].find((span) => SIGN.test(styleOf(span)))
    const tag = NUMBER.test(sign?.textContent ?? '') ? 'ol' : 'ul'
    sign?.remove()
    const item = parsed.createElement('li')
    item.append(...point.childNodes)
    const isNext = last !== undefined && point.previousElementSibling === last && last.localName === tag
    const list: Element = isNext ? last! : parsed.createElement(tag)
    list.append(item)
    if (isNext) point.remove()
    else point.replaceWith(list)
    last = list
  }
}
