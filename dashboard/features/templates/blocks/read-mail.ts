import { type Attribute, liquidOf, type Range, scanMail, type Token } from './scan-mail.ts'

/** An element of MJML: a block of the mail, or what holds blocks. */
export type Block = Range & {
  kind: 'block'
  name: string
  attributes: readonly Attribute[]
  /** Where its opening tag ends, and its closing tag begins; the same for one that closes itself. */
  openEnd: number
  closeBegin: number
  isSelfClosing: boolean
  parent: Block | undefined
  /** Empty where `holdsText`. */
  children: Node[]
}
/** A tag or output of Liquid between blocks; of those that open or close something, the other end. */
export type LiquidNode = Range & { kind: 'liquid'; word: string; partner: LiquidNode | undefined }
export type Node = Block | LiquidNode | (Range & { kind: 'comment' })

export type Mail = { source: string; body: Block; head: Block | undefined }
export type MailReading =
  | { is: 'blocks'; mail: Mail }
  /** No mail yet; HTML; elements that do not close as they open. */
  | { is: 'empty' }
  | { is: 'html' }
  | { is: 'broken' }

/** Elements that hold elements: all others hold text, which may be any HTML. */
const HOLDS_ELEMENTS = new Set(
  'mjml mj-head mj-body mj-wrapper mj-section mj-group mj-column mj-hero mj-navbar mj-social mj-accordion mj-accordion-element mj-attributes mj-html-attributes mj-selector mj-carousel mj-class mj-all'.split(
    ' ',
  ),
)
export const holdsText = (name: string): boolean => !HOLDS_ELEMENTS.has(name)

let last: { source: string; reading: MailReading } | undefined

/**
 * Reads a mail into its blocks, each with its place in the source. Nothing of the source is kept beside it. The last one is
 * remembered: with a key, what acts on the mail and what shows it ask for the same.
 */
export function readMail(source: string): MailReading {
  if (last?.source !== source) last = { source, reading: readAnew(source) }
  return last.reading
}

function readAnew(source: string): MailReading {
  if (source.trim() === '') return { is: 'empty' }
  const liquid = liquidOf(source)
  const tokens = scanMail(source, liquid)
  const first = tokens.find((token) => token.kind === 'open')
  if (first?.kind !== 'open' || !first.name.startsWith('mj')) return { is: 'html' }
  const roots = treeOf(source, tokens, liquid)
  const mjml = roots?.find((node) => node.kind === 'block')
  const ofMjml = (name: string) => mjml?.children.find((node): node is Block => isBlock(node) && node.name === name)
  const body = ofMjml('mj-body')
  if (roots === undefined || mjml?.name !== 'mjml' || body === undefined) return { is: 'broken' }
  return { is: 'blocks', mail: { source, body, head: ofMjml('mj-head') } }
}

export const isBlock = (node: Node): node is Block => node.kind === 'block'

/** The tree of elements; undefined where they do not close as they open. */
function treeOf(source: string, tokens: readonly Token[], liquid: readonly Range[]): Node[] | undefined {
  const roots: Node[] = []
  const open: Block[] = []
  let nextLiquid = 0
  for (const token of tokens) {
    const within = open.at(-1)
    const siblings = within?.children ?? roots
    const isInText = within !== undefined && holdsText(within.name)
    if (token.kind === 'close' && token.name === within?.name) {
      within.closeBegin = token.begin
      within.end = token.end
      open.pop()
      pairLiquid(within.children)
    } else if (isInText) continue
    else if (token.kind === 'open') {
      const block = blockOf(token, within)
      siblings.push(block)
      if (!token.isSelfClosing) open.push(block)
    } else if (token.kind === 'comment') siblings.push({ kind: 'comment', begin: token.begin, end: token.end })
    else if (token.kind === 'close') return undefined
    else {
      while ((liquid[nextLiquid]?.begin ?? Number.POSITIVE_INFINITY) < token.begin) nextLiquid += 1
      for (; (liquid[nextLiquid]?.begin ?? Number.POSITIVE_INFINITY) < token.end; nextLiquid += 1) {
        siblings.push(liquidNode(source, liquid[nextLiquid]!))
      }
    }
  }
  return open.length > 0 ? undefined : roots
}

function blockOf(token: Extract<Token, { kind: 'open' }>, parent: Block | undefined): Block {
  const { name, begin, end, attributes, isSelfClosing } = token
  return {
    ...{ kind: 'block', name, begin, end, attributes, isSelfClosing, parent },
    ...{ openEnd: end, closeBegin: end, children: [] },
  }
}

const WORD = /^\{%-?\s*(\w+)/

function liquidNode(source: string, { begin, end }: Range): LiquidNode {
  return { kind: 'liquid', begin, end, word: WORD.exec(source.slice(begin, end))?.[1] ?? '', partner: undefined }
}

/** Joins what opens with what closes it: `if` with `endif`. */
function pairLiquid(nodes: readonly Node[]): void {
  const open: LiquidNode[] = []
  for (const node of nodes) {
    if (node.kind !== 'liquid') continue
    if (OPENING.has(node.word)) open.push(node)
    const opening = node.word.startsWith('end') ? open.at(-1) : undefined
    if (opening === undefined || node.word !== `end${opening.word}`) continue
    opening.partner = node
    node.partner = opening
    open.pop()
  }
}

const OPENING = new Set(['if', 'unless', 'for', 'case', 'capture', 'comment', 'raw', 'tablerow'])

/** Every block of the body, in the order of the source. */
export function blocksOf({ body }: Mail): Block[] {
  const below = (block: Block): Block[] =>
    block.children.filter(isBlock).flatMap((child) => [child, ...(holdsText(child.name) ? [] : below(child))])
  return below(body)
}

export function blockAt(mail: Mail, begin: number | null): Block | undefined {
  return begin === null ? undefined : blocksOf(mail).find((block) => block.begin === begin)
}

export function attributeOf(block: Pick<Block, 'attributes'>, name: string): Attribute | undefined {
  return block.attributes.find((attribute) => attribute.name === name)
}

/** What stands between its tags. */
export function contentOf({ source }: Mail, block: Block): string {
  return source.slice(block.openEnd, block.closeBegin)
}
