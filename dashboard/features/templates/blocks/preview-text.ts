import { entityAt } from '../prose/characters.ts'
import { type Change, insertBlock, removeBlock, setContent } from './edit-mail.ts'
import { type Block, contentOf, isBlock, type Mail } from './read-mail.ts'
import { liquidOf } from './scan-mail.ts'

const NAME = 'mj-preview'
const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const elementOf = ({ head }: Mail) => head?.children.find((node): node is Block => isBlock(node) && node.name === NAME)

/** What an inbox shows behind the subject, as it is read. */
export function previewTextOf(mail: Mail): string {
  const element = elementOf(mail)
  // Lines of its own are no words; a space that was typed last is one.
  const written = element ? contentOf(mail, element).replaceAll(/^\s*\n\s*|\s*\n\s*$/g, '') : ''
  return outsideLiquid(written, (part) => part.replaceAll(/&[#\w]+;/g, (entity) => entityAt(entity, 0)?.char ?? entity))
}

/** The mail with these words there; with none, an inbox shows the first of the mail. */
export function setPreviewText(mail: Mail, words: string): readonly Change[] {
  const element = elementOf(mail)
  if (words.trim() === '') return element ? removeBlock(mail, element).changes : []
  const written = outsideLiquid(words, (part) => part.replaceAll(/[&<>]/g, (sign) => WRITTEN[sign]!))
  if (element) return setContent(mail, element, written).changes
  const text = `<${NAME}>${written}</${NAME}>`
  if (mail.head) return insertBlock(mail, { endOf: mail.head }, text).changes
  return insertBlock(mail, { before: mail.body }, `<mj-head>\n  ${text}\n</mj-head>`).changes
}

function outsideLiquid(text: string, made: (part: string) => string): string {
  let result = ''
  let from = 0
  for (const { begin, end } of [...liquidOf(text), { begin: text.length, end: text.length }]) {
    result += made(text.slice(from, begin)) + text.slice(begin, end)
    from = end
  }
  return result
}
