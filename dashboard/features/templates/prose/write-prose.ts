import { writtenCharacter } from './characters.ts'
import type { ProseMark, ProseNode } from './prose-node.ts'

/** Between two lines without tags of their own. */
const LINE_BREAK = '<br />'

/** Prose as the text it stands for. */
export function writeProse(doc: ProseNode): string {
  return blocks(doc.content ?? [])
}

function blocks(nodes: readonly ProseNode[]): string {
  return nodes
    .map((node, index) => {
      const isNextLine = node.type === 'bare' && nodes[index - 1]?.type === 'bare'
      const { before = '', open = '', close = '', raw } = node.attrs ?? {}
      const inner = HOLDS_BLOCKS.has(node.type) ? blocks(node.content ?? []) : line(node.content ?? [])
      return (isNextLine ? LINE_BREAK : '') + before + (raw ?? open + inner + close)
    })
    .join('')
}

const HOLDS_BLOCKS = new Set(['bullets', 'numbers', 'item'])

/** The content of a line: tags are opened and closed where their marks begin and end. */
function line(nodes: readonly ProseNode[]): string {
  let text = ''
  let open: ProseMark[] = []
  for (const node of nodes) {
    const wanted = tagsOf(node)
    const kept = commonBegin(open, wanted)
    text += closing(open.slice(kept))
    text += wanted
      .slice(kept)
      .map(({ attrs }) => attrs.open)
      .join('')
    open = wanted
    text += node.type === 'text' ? characters(node) : (node.attrs?.raw ?? '')
  }
  return text + closing(open)
}

const closing = (marks: readonly ProseMark[]) =>
  marks
    .map(({ attrs }) => attrs.close)
    .reverse()
    .join('')

/** Marks that are tags, the outermost first: in the order in which they stood, new ones within those. */
function tagsOf({ marks = [] }: ProseNode): ProseMark[] {
  const at = ({ attrs }: ProseMark) => attrs.at ?? Number.POSITIVE_INFINITY
  return marks.filter(({ type }) => type !== 'written').sort((a, b) => (at(a) === at(b) ? 0 : at(a) - at(b)))
}

function commonBegin(some: readonly ProseMark[], others: readonly ProseMark[]): number {
  let count = 0
  while (count < some.length && count < others.length && isSameTag(some[count]!, others[count]!)) count += 1
  return count
}

const isSameTag = (a: ProseMark, b: ProseMark) => a.attrs.open === b.attrs.open && a.attrs.at === b.attrs.at

/** Each character as it was written, where it is still the one that was. */
function characters({ text = '', marks = [] }: ProseNode): string {
  const written = marks.find(({ type }) => type === 'written')?.attrs
  return [...text].map((char) => (written?.char === char ? (written.raw ?? char) : writtenCharacter(char))).join('')
}
