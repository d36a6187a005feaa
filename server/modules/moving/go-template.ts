import { asLiquid, type Converted } from './as-liquid.ts'

const EXPRESSION = /\{\{-?([^{}]{1,500})-?\}\}/g
const CONTENT = /\{\{-?\s{0,20}template\s{1,20}"content"\s{1,20}\.\s{0,20}-?\}\}/
const ATTRIBUTE = /^\.Subscriber\.Attribs\.([A-Za-z_]\w{0,99})$/
const DATA = /^\.Tx\.Data\.([A-Za-z_]\w{0,99})$/
const LINK = /^TrackLink\s{1,20}"([^"]{1,2000})"(?:\s{1,20}\.)?$/
const PAGE = /^(?:UnsubscribeURL|ManageURL)(?:\s{1,20}\.)?$/
const NOTHING = /^TrackView(?:\s{1,20}\.)?$/

const NAMES: Readonly<Record<string, string>> = {
  '.Subscriber.Email': '{{ email }}',
  '.Subscriber.FirstName': '{{ first_name }}',
  '.Subscriber.LastName': '{{ last_name }}',
  '.Subscriber.Name': '{{ first_name }} {{ last_name }}',
}

/** A layout of listmonk with a campaign's content in its place. */
export function inLayout(layout: string, content: string): string {
  return CONTENT.test(layout) ? layout.replace(CONTENT, () => content) : content
}

/** Go's templates as listmonk has them, as Liquid. Pictures that count opens are gone: we count by our own means. */
export function fromGoTemplate(text: string): Converted {
  const converted = asLiquid(text, EXPRESSION, (expression) =>
    liquidOf(expression.replaceAll(/^\{\{-?|-?\}\}$/g, '').trim()),
  )
  return 'text' in converted ? { text: converted.text.replaceAll('@TrackLink', ''), gone: [] } : converted
}

function liquidOf(expression: string): string | undefined {
  const [, attribute] = ATTRIBUTE.exec(expression) ?? []
  const [, data] = DATA.exec(expression) ?? []
  if (attribute !== undefined || data !== undefined) return `{{ ${attribute ?? data} }}`
  const [, url] = LINK.exec(expression) ?? []
  if (url !== undefined) return url
  if (PAGE.test(expression)) return '{{ unsubscribe_url }}'
  return NOTHING.test(expression) ? '' : NAMES[expression]
}
