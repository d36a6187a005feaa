import { liquidOf, type Range, scanMail, type Token } from '../blocks/scan-mail.ts'
import { entityAt, writtenCharacter } from './characters.ts'
import { MARK_OF, type ProseAttributes, type ProseMark, type ProseNode } from './prose-node.ts'
import { writeProse } from './write-prose.ts'

/** A text as prose, with the space around it, which stays as it is. */
export type Prose = { lead: string; doc: ProseNode; tail: string }

/** Thrown for what prose has no form for. */
class NotProse extends Error {}

/**
 * Reads the words of a block as prose: lines, paragraphs, headings and lists, with Liquid and what is no prose as atoms. Only
 * what is written back to the same bytes is prose; undefined for all else. `isLine` allows one line alone.
 */
export function readProse(content: string, isLine = false): Prose | undefined {
  const lead = /^\s*/.exec(content)![0]
  const core = content.slice(lead.length).trimEnd()
  const prose = { lead, tail: content.slice(lead.length + core.length) }
  try {
    const liquid = liquidOf(core)
    const reading: Reading = { source: core, tokens: scanMail(core, liquid), liquid, next: 0 }
    const { blocks } = blocksIn(reading, undefined)
    if (isLine && blocks.some(({ type }) => type !== 'bare')) return undefined
    const doc = { type: 'doc', content: blocks.length === 0 ? [bare([])] : blocks }
    return writeProse(doc) === core ? { ...prose, doc } : undefined
  } catch (error) {
    if (error instanceof NotProse) return undefined
    throw error
  }
}

type Reading = { source: string; tokens: readonly Token[]; liquid: readonly Range[]; next: number }
/** A character or an atom of a line. */
type Unit = { node: ProseNode; marks: readonly ProseMark[]; space: string | undefined }
type OpenTag = Extract<Token, { kind: 'open' }>

const HEADING = /^h[1-6]$/
const VOID = new Set(['img', 'hr', 'wbr', 'input'])
const INLINE = new Set(
  'a b strong i em u s del ins sub sup small span font code mark strike big tt abbr cite q kbd'.split(' '),
)

const bare = (units: readonly Unit[], before = ''): ProseNode => ({
  type: 'bare',
  attrs: { before },
  content: nodesOf(units),
})

/** Blocks until the end of what holds them, and the space behind the last. */
function blocksIn(reading: Reading, within: string | undefined): { blocks: ProseNode[]; space: string } {
  const blocks: ProseNode[] = []
  let units: Unit[] = []
  let space = ''
  const flush = () => {
    const { before, between, behind } = trimmed(units)
    if (between.length > 0) blocks.push(bare(between, space + before))
    space = between.length > 0 ? behind : space + before + behind
    units = []
  }
  for (let token = reading.tokens[reading.next]; token !== undefined; token = reading.tokens[reading.next]) {
    if (token.kind === 'close') {
      if (token.name !== within) throw new NotProse()
      break
    }
    if (token.kind !== 'open' || !isBlockName(token.name)) {
      readInline(reading, [], units)
      continue
    }
    flush()
    const block = isList(token.name) ? listIn(reading, token) : textBlockIn(reading, token)
    blocks.push({ ...block, attrs: { ...block.attrs, before: space } })
    space = ''
  }
  flush()
  return { blocks, space }
}

const isList = (name: string) => name === 'ul' || name === 'ol'
const isBlockName = (name: string) => name === 'p' || isList(name) || HEADING.test(name)
const raw = ({ source }: Reading, { begin, end }: Range) => source.slice(begin, end)

function closingOf(reading: Reading, open: OpenTag): string {
  const token = reading.tokens[reading.next]
  if (token?.kind !== 'close' || token.name !== open.name) throw new NotProse()
  reading.next += 1
  return raw(reading, token)
}

function textBlockIn(reading: Reading, token: OpenTag): ProseNode {
  reading.next += 1
  const units: Unit[] = []
  while (reading.tokens[reading.next] !== undefined && reading.tokens[reading.next]!.kind !== 'close') {
    readInline(reading, [], units)
  }
  const close = closingOf(reading, token)
  const { before, between, behind } = trimmed(units)
  const attrs = { open: raw(reading, token) + before, close: behind + close }
  const level = HEADING.test(token.name) ? { level: Number(token.name[1]) } : {}
  return {
    type: token.name === 'p' ? 'paragraph' : 'heading',
    attrs: { ...attrs, ...level },
    content: nodesOf(between),
  }
}

function listIn(reading: Reading, token: OpenTag): ProseNode {
  reading.next += 1
  const content: ProseNode[] = []
  let before = ''
  for (let inner = reading.tokens[reading.next]; inner?.kind !== 'close'; inner = reading.tokens[reading.next]) {
    if (inner === undefined) throw new NotProse()
    if (inner.kind === 'open' && inner.name === 'li') {
      content.push(itemIn(reading, inner, before))
      before = ''
      continue
    }
    if (inner.kind !== 'text') throw new NotProse()
    reading.next += 1
    for (const piece of piecesOf(reading, inner)) {
      if (!piece.isLiquid && piece.text.trim() !== '') throw new NotProse()
      if (piece.isLiquid) content.push({ type: 'piece', attrs: { before, raw: piece.text } })
      before = piece.isLiquid ? '' : before + piece.text
    }
  }
  if (content.length === 0) throw new NotProse()
  const attrs = { open: raw(reading, token), close: before + closingOf(reading, token) }
  return { type: token.name === 'ul' ? 'bullets' : 'numbers', attrs, content }
}

function itemIn(reading: Reading, token: OpenTag, before: string): ProseNode {
  reading.next += 1
  const { blocks, space } = blocksIn(reading, 'li')
  const close = space + closingOf(reading, token)
  const first = blocks[0]
  const content = first === undefined || isListNode(first) ? [bare([]), ...blocks] : blocks
  return { type: 'item', attrs: { before, open: raw(reading, token), close }, content }
}

const isListNode = ({ type }: ProseNode) => type === 'bullets' || type === 'numbers'

/** The next token as a part of a line, with all that is in it. */
function readInline(reading: Reading, marks: readonly ProseMark[], units: Unit[]): void {
  const token = reading.tokens[reading.next]!
  reading.next += 1
  const atom = (type: string, text: string) =>
    units.push({ node: { type, attrs: { raw: text } }, marks, space: undefined })
  if (token.kind === 'text') {
    for (const { text, isLiquid } of piecesOf(reading, token)) {
      if (isLiquid) atom('value', text)
      else units.push(...unitsOf(text, marks))
    }
    return
  }
  if (token.kind === 'comment' || (token.kind === 'open' && VOID.has(token.name))) {
    atom('piece_in_line', raw(reading, token))
  } else if (token.kind !== 'open' || isBlockName(token.name) || token.name === 'li') throw new NotProse()
  else if (token.name === 'br') atom('break', raw(reading, token))
  else if (!INLINE.has(token.name)) atom('piece_in_line', wholeElement(reading, token))
  else readElement(reading, token, { marks, units })
}

function readElement(
  reading: Reading,
  token: OpenTag,
  { marks, units }: { marks: readonly ProseMark[]; units: Unit[] },
): void {
  if (token.isSelfClosing) throw new NotProse()
  const attrs: ProseAttributes = { open: raw(reading, token), close: '', at: token.begin }
  const type = MARK_OF[token.name] ?? 'other'
  const mark = { type, attrs }
  const before = units.length
  while (reading.tokens[reading.next] !== undefined && reading.tokens[reading.next]!.kind !== 'close') {
    readInline(reading, [...marks, mark], units)
  }
  attrs.close = closingOf(reading, token)
  const isWithinItsLike = type !== 'other' && marks.some((outer) => outer.type === type)
  if (units.length > before && isWithinItsLike) throw new NotProse()
  if (units.length === before)
    units.push({
      node: { type: 'piece_in_line', attrs: { raw: attrs.open! + attrs.close } },
      marks,
      space: undefined,
    })
}

/** An element with all that is in it, as it is. */
function wholeElement(reading: Reading, token: OpenTag): string {
  let depth = token.isSelfClosing ? 0 : 1
  let { end } = token
  while (depth > 0) {
    const inner = reading.tokens[reading.next]
    if (inner === undefined) throw new NotProse()
    reading.next += 1
    end = inner.end
    if (inner.kind === 'open' && inner.name === token.name && !inner.isSelfClosing) depth += 1
    if (inner.kind === 'close' && inner.name === token.name) depth -= 1
  }
  return reading.source.slice(token.begin, end)
}

/** Liquid and what stands between it. */
function piecesOf({ source, liquid }: Reading, { begin, end }: Range): { text: string; isLiquid: boolean }[] {
  const inside = liquid.filter((range) => range.begin >= begin && range.end <= end)
  let from = begin
  const pieces = [...inside, { begin: end, end }].flatMap((range) => {
    const text = source.slice(from, range.begin)
    from = range.end
    return [
      { text, isLiquid: false },
      { text: source.slice(range.begin, range.end), isLiquid: true },
    ]
  })
  return pieces.filter(({ text }) => text !== '')
}

const SPACE = /^[ \t\r\n\f]+/

/** Characters of a text: space in one, an entity as what it shows, both with how they were written. */
function unitsOf(text: string, marks: readonly ProseMark[]): Unit[] {
  const units: Unit[] = []
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + SPACE_CHARS_MAX)
    const space = SPACE.exec(rest)?.[0]
    const found = space ? { char: ' ', raw: space } : (entityAt(text, at) ?? alone(text, at))
    const isAsWritten = found.raw === writtenCharacter(found.char)
    const own = isAsWritten ? marks : [...marks, { type: 'written', attrs: found }]
    units.push({ node: { type: 'text', text: found.char }, marks: own, space })
    at += found.raw.length
  }
  return units
}

const SPACE_CHARS_MAX = 500

/** A character that is itself; what is typed behind an open bracket would make a tag of it. */
function alone(text: string, at: number): { char: string; raw: string } {
  const char = text[at]!
  if (char === '<') throw new NotProse()
  return { char, raw: char }
}

/** A line without the space at its ends, where that stands in no mark. */
function trimmed(units: readonly Unit[]): { before: string; between: Unit[]; behind: string } {
  const isOuter = ({ space, marks }: Unit) => space !== undefined && marks.every(({ type }) => type === 'written')
  let begin = 0
  let end = units.length
  while (begin < end && isOuter(units[begin]!)) begin += 1
  while (end > begin && isOuter(units[end - 1]!)) end -= 1
  const spaces = (some: readonly Unit[]) => some.map(({ space }) => space).join('')
  return { before: spaces(units.slice(0, begin)), between: units.slice(begin, end), behind: spaces(units.slice(end)) }
}

/** Nodes of a line: characters of the same marks in one. */
function nodesOf(units: readonly Unit[]): ProseNode[] {
  const nodes: (ProseNode & { marks: ProseMark[] })[] = []
  for (const { node, marks } of units) {
    const last = nodes.at(-1)
    if (node.type === 'text' && last?.type === 'text' && isSame(last.marks, marks)) last.text += node.text!
    else nodes.push({ ...node, marks: [...marks] })
  }
  return nodes
}

function isSame(some: readonly ProseMark[], others: readonly ProseMark[]): boolean {
  return (
    some.length === others.length &&
    some.every((mark, index) => {
      const other = others[index]!
      if (mark === other) return true
      return mark.type === 'written' && other.type === 'written' && mark.attrs.raw === other.attrs.raw
    })
  )
}
