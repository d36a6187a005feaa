import { entityAt } from '../prose/characters.ts'
import { blockName } from './block-kinds.ts'
import {
  attributeOf,
  type Block,
  contentOf,
  holdsText,
  isBlock,
  type LiquidNode,
  type Mail,
  type Node,
} from './read-mail.ts'

/** A line of the list of blocks. */
export type BlockRow = { node: Block | LiquidNode; depth: number; name: string; words: string }

const WORDS_SHOWN = 60

/** Blocks of the mail, and the Liquid around them, as they follow each other. */
export function rowsOf(mail: Mail): BlockRow[] {
  return rowsBelow(mail, mail.body.children, 0)
}

function rowsBelow(mail: Mail, nodes: readonly Node[], depth: number): BlockRow[] {
  let bracket = 0
  return nodes.flatMap((node): BlockRow[] => {
    if (isBlock(node)) {
      const row = { node, depth: depth + bracket, name: blockName(node.name), words: wordsOf(mail, node) }
      return [row, ...(holdsText(node.name) ? [] : rowsBelow(mail, node.children, depth + bracket + 1))]
    }
    if (node.kind === 'comment') return []
    const isOpening = node.partner !== undefined && node.partner.begin > node.begin
    const isMiddle = ['else', 'elsif', 'when'].includes(node.word)
    if (node.partner !== undefined && !isOpening) bracket -= 1
    const at = depth + Math.max(0, bracket - (isMiddle ? 1 : 0))
    if (isOpening) bracket += 1
    return [{ node, depth: at, ...liquidWords(mail.source.slice(node.begin, node.end)) }]
  })
}

function wordsOf(mail: Mail, block: Block): string {
  const { name, children } = block
  if (name === 'mj-image' || name === 'mj-carousel-image') return plain(attributeOf(block, 'alt')?.value ?? '')
  if (holdsText(name)) return plain(contentOf(mail, block))
  const columns = children.filter((child) => isBlock(child) && child.name === 'mj-column').length
  return name === 'mj-section' && columns > 1 ? `${columns} columns` : ''
}

/** A block in a few words, by which it is found in the list: `Text “Hello Ada”`. */
export function nameOfRow(mail: Mail, block: Block): string {
  const words = wordsOf(mail, block)
  const begin = words.length > NAME_CHARS ? `${words.slice(0, NAME_CHARS).trimEnd()}…` : words
  return blockName(block.name) + (begin === '' ? '' : ` “${begin}”`)
}
const NAME_CHARS = 30

/** The words of contents that were shown before: with each key one of them is another. */
const PLAIN = new Map<string, string>()
const PLAIN_MAX = 4_000

function plain(html: string): string {
  const begin = html.slice(0, 1_000)
  let words = PLAIN.get(begin)
  if (words === undefined) {
    words = begin
      .replaceAll(/<[^<>]*>/g, ' ')
      .replaceAll(/&[#\w]+;/g, (written) => entityAt(written, 0)?.char ?? written)
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, WORDS_SHOWN)
    if (PLAIN.size >= PLAIN_MAX) PLAIN.clear()
    PLAIN.set(begin, words)
  }
  return words
}

const INSIDE = /^\{[{%]-?\s*(\w+)?\s*(.*?)\s*-?[%}]\}$/s

function liquidWords(source: string): { name: string; words: string } {
  const [, word = '', rest = ''] = INSIDE.exec(source) ?? []
  if (word === 'if') return { name: 'Only when', words: rest }
  if (word === 'unless') return { name: 'Unless', words: rest }
  if (word === 'for') return { name: 'For each', words: rest }
  if (word === 'else') return { name: 'Otherwise', words: '' }
  if (word.startsWith('end')) return { name: 'End', words: '' }
  return { name: 'Liquid', words: source.slice(0, WORDS_SHOWN) }
}

const NUMBER = /^-?\d+(?:\.\d+)?$/
const ORDERING = new Set(['>', '<', '>=', '<='])

/** A condition that a form can show; undefined for one that is more. */
export type Condition = { variable: string; operator: string; value: string; isNumber: boolean }
const SIMPLE =
  /^\{%-?\s*(?:if|unless)\s+([\w.]+)\s*(==|!=|contains|>=|<=|>|<)\s*("[^"]*"|'[^']*'|-?\d+(?:\.\d+)?)\s*-?%\}$/

export function conditionOf(source: string): Condition | undefined {
  const [, variable, operator, value] = SIMPLE.exec(source) ?? []
  if (variable === undefined || operator === undefined || value === undefined) return undefined
  return { variable, operator, value: value.replaceAll(/^["']|["']$/g, ''), isNumber: NUMBER.test(value) }
}

/** The condition as Liquid writes it; undefined while it cannot be written. */
export function conditionText({ variable, operator, value, isNumber }: Condition): string | undefined {
  if (!/^[\w.]+$/.test(variable) || /["'%{}\n]/.test(value)) return undefined
  const isBare = NUMBER.test(value) && (isNumber || ORDERING.has(operator))
  return `${variable} ${operator} ${isBare ? value : `"${value}"`}`
}
