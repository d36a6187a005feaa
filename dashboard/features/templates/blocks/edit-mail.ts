import { mayHold } from './block-kinds.ts'
import {
  attributeOf,
  type Block,
  blocksOf,
  holdsText,
  isBlock,
  type LiquidNode,
  type Mail,
  type Node,
} from './read-mail.ts'
import { liquidOf, type Range, scanMail } from './scan-mail.ts'

export type Change = { from: number; to: number; insert: string }
/** An act on blocks as changes of the text, of which nothing else is touched, and where the block it leaves chosen begins. */
export type Edit = {
  changes: Change[]
  chosen: number | null
  /** One of many that undo takes back together. */
  isTyping?: true
}

/** Beside a node, or at the end of what a block holds. */
export type Place = { before: Node } | { after: Node } | { endOf: Block }

const INDENT = '  '

const lineBreakOf = (source: string) => (source.includes('\r\n') ? '\r\n' : '\n')

/** The whole lines of a range that stands alone on them; else the range. */
function linesOf(source: string, { begin, end }: Range): { from: number; to: number; indent: string | undefined } {
  const indent = indentAt(source, begin)
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(source.slice(end, source.indexOf('\n', end) + 1 || undefined))?.[0]
  if (indent === undefined || rest === undefined) return { from: begin, to: end, indent: undefined }
  return { from: begin - indent.length, to: end + rest.length, indent }
}

/** What stands before it on its line when that is nothing but spaces. */
function indentAt(source: string, offset: number): string | undefined {
  const head = source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset)
  return head.trim() === '' ? head : undefined
}

type Insertion = { change: Change; lead: number }

/** A text at a place: on lines of its own where its neighbours stand so. `lead` is how far into it the text begins. */
function insertion({ source }: Pick<Mail, 'source'>, place: Place, text: string): Insertion {
  const line = lineBreakOf(source)
  const put = (at: number, before: string, after: string, to = at): Insertion => ({
    change: { from: at, to, insert: before + text + after },
    lead: before.length,
  })
  if ('before' in place) {
    const { begin } = place.before
    const indent = indentAt(source, begin)
    return indent === undefined ? put(begin, '', '') : put(begin - indent.length, indent, line)
  }
  if ('after' in place) {
    const { to, indent } = linesOf(source, place.after)
    if (indent === undefined) return put(place.after.end, '', '')
    return source[to - 1] === '\n' ? put(to, indent, line) : put(to, line + indent, '')
  }
  const { endOf } = place
  const last = endOf.children.at(-1)
  if (last !== undefined) return insertion({ source }, { after: last }, text)
  const indent = indentAt(source, endOf.begin)
  const [open, close] = indent === undefined ? ['', ''] : [line + indent + INDENT, line + indent]
  if (!endOf.isSelfClosing) return put(endOf.openEnd, open, close, endOf.closeBegin)
  return put(endOf.openEnd - '/>'.length, `>${open}`, `${close}</${endOf.name}>`, endOf.openEnd)
}

/** A new block; its further lines are moved in as far as its first. */
export function insertBlock(mail: Mail, place: Place, text: string): Edit {
  const flat = insertion(mail, place, '')
  const indent = /[ \t]*$/.exec(flat.change.insert.slice(0, flat.lead))![0]
  const { change, lead } = insertion(mail, place, text.replaceAll('\n', lineBreakOf(mail.source) + indent))
  return { changes: [change], chosen: change.from + lead }
}

/** Without the block; the next one is chosen, or the one before it, or what held it. */
export function removeBlock({ source, body }: Mail, block: Block): Edit {
  const { from, to } = linesOf(source, block)
  const siblings = (block.parent?.children ?? []).filter(isBlock)
  const at = siblings.indexOf(block)
  const next = siblings[at + 1]
  const held = block.parent === body ? null : (block.parent?.begin ?? null)
  const chosen = next ? next.begin - (to - from) : (siblings[at - 1]?.begin ?? held)
  return { changes: [{ from, to, insert: '' }], chosen }
}

export function duplicateBlock(mail: Mail, block: Block): Edit {
  const { change, lead } = insertion(mail, { after: block }, mail.source.slice(block.begin, block.end))
  return { changes: [change], chosen: change.from + lead }
}

/** The block at another place, its bytes as they are; undefined where it stands already. */
export function moveBlock(mail: Mail, block: Block, place: Place): Edit | undefined {
  if (isWhereItIs(block, place)) return undefined
  const { from, to } = linesOf(mail.source, block)
  const { change, lead } = insertion(mail, place, mail.source.slice(block.begin, block.end))
  const begins = change.from + lead
  const removal = { from, to, insert: '' }
  return change.from >= to
    ? { changes: [removal, change], chosen: begins - (to - from) }
    : { changes: [change, removal], chosen: begins }
}

function isWhereItIs(block: Block, place: Place): boolean {
  const siblings = block.parent?.children ?? []
  const at = siblings.indexOf(block)
  if ('before' in place) return place.before === block || place.before === siblings[at + 1]
  if ('after' in place) return place.after === block || place.after === siblings[at - 1]
  return place.endOf === block.parent && siblings.at(-1) === block
}

/** The place beside a node, or in it, where the block may stand; undefined where it may not. */
export function placeAt(mail: Mail, block: Block, node: Node, side: 'before' | 'after' | 'into'): Place | undefined {
  const isInside = node.begin >= block.begin && node.end <= block.end
  if (isInside) return undefined
  if (side === 'into') {
    return isBlock(node) && mayHold(node.name, block.name) && !holdsText(node.name) ? { endOf: node } : undefined
  }
  const mayStand = placesFor(mail, block.name, block).some(({ place }) => 'before' in place && place.before === node)
  return mayStand ? ({ [side]: node } as Place) : undefined
}

/** Everywhere a block of this name may stand, in the order of the source. */
export function placesFor(mail: Mail, name: string, except?: Block): { place: Place; offset: number }[] {
  const isInside = (block: Block) => except !== undefined && block.begin >= except.begin && block.end <= except.end
  return [mail.body, ...blocksOf(mail)]
    .filter((block) => mayHold(block.name, name) && !holdsText(block.name) && !isInside(block))
    .flatMap((within) => [
      ...within.children.map((before) => ({ place: { before }, offset: before.begin })),
      { place: { endOf: within }, offset: within.closeBegin },
    ])
    .sort((a, b) => a.offset - b.offset)
}

/** One place up or down, over the end of what holds it into the next that may. */
export function stepBlock(mail: Mail, block: Block, by: 'up' | 'down'): Edit | undefined {
  const places = placesFor(mail, block.name, block).filter(({ place }) => !isWhereItIs(block, place))
  const found =
    by === 'up'
      ? places.findLast(({ offset }) => offset < block.begin)
      : places.find(({ offset }) => offset >= block.end)
  return found && moveBlock(mail, block, found.place)
}

/** Sets an attribute, or takes it away. */
export function setAttribute(
  block: Pick<Block, 'begin' | 'name' | 'attributes'>,
  name: string,
  value: string | null,
): Edit {
  const found = attributeOf(block, name)
  const edit = (from: number, to: number, insert: string): Edit => ({
    changes: [{ from, to, insert }],
    chosen: block.begin,
  })
  const nameEnd = block.begin + 1 + block.name.length
  if (value === null) {
    if (found === undefined) return { changes: [], chosen: block.begin }
    const before = block.attributes.findLast(({ end }) => end <= found.begin)?.end ?? nameEnd
    return edit(before, found.end, '')
  }
  if (found && found.quote !== '') return edit(found.valueBegin, found.valueEnd, quoted(value, found.quote))
  if (found) return edit(found.begin, found.end, `${name}="${quoted(value, '"')}"`)
  const last = block.attributes.at(-1)?.end ?? nameEnd
  return edit(last, last, ` ${name}="${quoted(value, '"')}"`)
}

/** A value between these quotes: those that stand outside of Liquid become entities. */
function quoted(value: string, quote: string): string {
  const entity = quote === '"' ? '&quot;' : '&#39;'
  let safe = ''
  let from = 0
  for (const { begin, end } of [...liquidOf(value), { begin: value.length, end: value.length }]) {
    safe += value.slice(from, begin).replaceAll(quote, entity) + value.slice(begin, end)
    from = end
  }
  return safe
}

/** Other words in a block: what they have in common with those before is not touched. */
export function setContent({ source }: Pick<Mail, 'source'>, block: Block, content: string): Edit {
  const { openEnd, closeBegin, begin, name } = block
  const edit = (from: number, to: number, insert: string): Edit => ({
    changes: [{ from, to, insert }],
    chosen: begin,
    isTyping: true,
  })
  if (block.isSelfClosing) return edit(openEnd - '/>'.length, openEnd, `>${content}</${name}>`)
  const before = source.slice(openEnd, closeBegin)
  const shorter = Math.min(before.length, content.length)
  let same = 0
  while (same < shorter && before[same] === content[same]) same += 1
  let sameEnd = 0
  while (sameEnd < shorter - same && before.at(-1 - sameEnd) === content.at(-1 - sameEnd)) sameEnd += 1
  return edit(openEnd + same, closeBegin - sameEnd, content.slice(same, content.length - sameEnd))
}

/** Whether each piece of Liquid in it ends: what is half written would take in what follows it. */
export function isWhole(text: string): boolean {
  return endlessAt(text) === -1
}

/** Where the first piece of Liquid begins that does not end; -1 when each does. */
function endlessAt(text: string): number {
  let rest = text
  for (const { begin, end } of liquidOf(text)) rest = rest.slice(0, begin) + ' '.repeat(end - begin) + rest.slice(end)
  return rest.search(/\{[{%]/)
}

/** A text in which the brackets of Liquid that does not end are mere characters. */
export function withEndlessAsWords(text: string): string {
  let whole = text
  for (let at = endlessAt(whole); at !== -1; at = endlessAt(whole)) {
    whole = `${whole.slice(0, at)}&#x7b;${whole.slice(at + 1)}`
  }
  return whole
}

/** Whether a content can stand in an element: it closes nothing but what it opens, and leaves no tag or comment open. */
export function isWholeContent(name: string, content: string): boolean {
  const source = `<${name}>${content}</${name}>`
  const tokens = scanMail(source, liquidOf(source))
  const last = tokens.at(-1)
  const closing = tokens.filter((token) => token.kind === 'close' && token.name === name)
  return (
    isWhole(content) &&
    closing.length === 1 &&
    last?.end === source.length &&
    last.kind === 'close' &&
    last.name === name
  )
}

/** Shows a block to some alone, `plan == "gold"`; the condition is chosen. */
export function addCondition(mail: Mail, block: Block, condition: string): Edit {
  const { from, to, indent } = linesOf(mail.source, block)
  const [open, close] = [`{% if ${condition} %}`, '{% endif %}']
  const line = lineBreakOf(mail.source)
  const changes =
    indent === undefined
      ? [
          { from: block.begin, to: block.begin, insert: open },
          { from: block.end, to: block.end, insert: close },
        ]
      : [
          { from, to: from, insert: indent + open + line },
          mail.source[to - 1] === '\n'
            ? { from: to, to, insert: indent + close + line }
            : { from: to, to, insert: line + indent + close },
        ]
  return { changes, chosen: changes[0]!.from + (indent ?? '').length }
}

export function setCondition(tag: LiquidNode, condition: string): Edit {
  return { changes: [{ from: tag.begin, to: tag.end, insert: `{% ${tag.word} ${condition} %}` }], chosen: null }
}

/** Takes a condition away and leaves what stood in it. */
export function removeCondition({ source }: Mail, tag: LiquidNode): Edit {
  const tags = tag.partner ? [tag, tag.partner] : [tag]
  return {
    changes: tags.map((one) => linesOf(source, one)).map(({ from, to }) => ({ from, to, insert: '' })),
    chosen: null,
  }
}

/** The attributes and the content of the first of its kind, so that a new block looks as its like do. */
export function likeOthers(mail: Mail, name: string, kept: readonly string[]): string | undefined {
  const like = blocksOf(mail).find((block) => block.name === name)
  if (like === undefined) return undefined
  const attributes = like.attributes.filter((attribute) => kept.includes(attribute.name))
  return attributes.map(({ begin, end }) => ` ${mail.source.slice(begin, end)}`).join('')
}
