import { asLiquid, type Converted } from './as-liquid.ts'

const EXPRESSION = /\{\{[^{}]{1,500}\}\}|\{%[^{}%]{1,500}%\}/g
const FIELD = /\bcontact\.data\.([A-Za-z_]\w{0,99})/g
const NAME = /\bcontact\.(first_name|last_name|email)\b/g
const LEAVE = /\bunsubscribe_link\b/g
/** Names that only Keila knows: whatever else it says of a contact, and the campaign's own data. */
const FOREIGN = /\b(?:contact|campaign|message|signature|json_body)\b/

/** Texts in Keila's Liquid as ours: only the names differ. */
export function fromKeilaLiquid(text: string): Converted {
  return asLiquid(text, EXPRESSION, (expression) => {
    const ours = expression.replaceAll(FIELD, '$1').replaceAll(NAME, '$1').replaceAll(LEAVE, 'unsubscribe_url')
    return FOREIGN.test(ours) ? undefined : ours
  })
}

const OPENING = '<keila-content'
const CLOSING = '</keila-content>'
const SLOT_NAME = /\bname="([^"]{1,100})"/

/** A layout with contents in its places; a place that nobody filled has its own. */
export function inSlots(layout: string, contents: Readonly<Record<string, unknown>> = {}): string {
  let filled = ''
  for (let at = 0; ; ) {
    const from = layout.indexOf(OPENING, at)
    const inner = from === -1 ? -1 : layout.indexOf('>', from) + 1
    const to = inner <= 0 ? -1 : layout.indexOf(CLOSING, inner)
    if (to === -1) return filled + layout.slice(at)
    const name = SLOT_NAME.exec(layout.slice(from, inner))?.[1] ?? ''
    const content = Object.hasOwn(contents, name) ? contents[name] : undefined
    filled += layout.slice(at, from) + (typeof content === 'string' ? content : layout.slice(inner, to))
    at = to + CLOSING.length
  }
}
