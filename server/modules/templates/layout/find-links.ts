import { scanHtml } from '../../../platform/html/scan-html.ts'

/** The value of an `href` in HTML, and where it stands. */
export type FoundLink = { href: string; begin: number; end: number }

export type HtmlPlaces = {
  links: FoundLink[]
  /** Where the body ends, or the HTML. */
  bodyEnd: number
  /** Where the body's content begins; 0 where there is no body element. */
  bodyBegin: number
}

/** Says of a link that it is not to be counted. */
const UNTRACKED = 'data-track'

/** The links of HTML in their order, without anchors inside the page, and the ends of its body. */
export function findPlaces(html: string): HtmlPlaces {
  const places: HtmlPlaces = { links: [], bodyEnd: html.length, bodyBegin: 0 }
  for (const token of scanHtml(html)) {
    if (token.kind === 'close' && token.name === 'body') places.bodyEnd = token.begin
    if (token.kind !== 'open') continue
    if (token.name === 'body') places.bodyBegin = token.end
    if (token.name !== 'a' && token.name !== 'area') continue
    const href = token.attributes.find(({ name }) => name === 'href')
    const counted = token.attributes.every(
      ({ name, valueBegin, valueEnd }) => name !== UNTRACKED || html.slice(valueBegin, valueEnd) !== 'off',
    )
    if (!href || !counted) continue
    const value = html.slice(href.valueBegin, href.valueEnd)
    if (value.trim() !== '' && !value.startsWith('#')) {
      places.links.push({ href: value, begin: href.valueBegin, end: href.valueEnd })
    }
  }
  return places
}
