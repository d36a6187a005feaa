/** Something of Liquid, or the text before the next of it. */
const PIECE = /\{\{-?([\s\S]*?)-?\}\}|\{%-?\s*(\w+)[\s\S]*?-?%\}|[\s\S]/g
const FIRST_NAME = /^\s*(?:"([^"]*)"|'([^']*)'|[\w.-]*?([\w-]+)\s*(?:\||$))/
const OPENS = ['if', 'unless', 'case', 'for', 'comment', 'capture']
const ALTERNATIVE = ['else', 'elsif', 'when']
/** Of these nothing is read in a subject. */
const UNREAD = ['comment', 'capture']

type Block = { isRead: boolean; wasRead: boolean }

/**
 * A subject as somebody reads it who knows no Liquid: `{{ first_name }}` is ‹first name›, and of what is written for some people and for
 * others the first stands for all. One without Liquid stays as it is.
 */
export function subjectWords(subject: string): string {
  const blocks: Block[] = []
  const isRead = () => blocks.every((block) => block.isRead)
  const words: string[] = []
  for (const [piece, value, tag] of subject.matchAll(PIECE)) {
    if (tag !== undefined) follow(blocks, tag)
    else if (isRead()) words.push(value === undefined ? piece : nameOf(value))
  }
  return words.join('').replace(/\s+/g, ' ').trim()
}

function follow(blocks: Block[], tag: string): void {
  const block = blocks.at(-1)
  if (tag.startsWith('end')) blocks.pop()
  else if (OPENS.includes(tag)) {
    const isRead = tag !== 'case' && !UNREAD.includes(tag)
    blocks.push({ isRead, wasRead: isRead || UNREAD.includes(tag) })
  } else if (block !== undefined && ALTERNATIVE.includes(tag)) {
    block.isRead = !block.wasRead
    block.wasRead = true
  }
}

function nameOf(value: string): string {
  const [, double, single, name] = FIRST_NAME.exec(value) ?? []
  return double ?? single ?? `‹${(name ?? value.trim()).replaceAll(/[_-]+/g, ' ')}›`
}
