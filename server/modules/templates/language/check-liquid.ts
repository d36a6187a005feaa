import { LiquidError, type TagToken, Tokenizer, TokenKind, type TopLevelToken } from 'liquidjs'
import type { TemplateFault, TemplateField } from '../template-fault.ts'
import { LIQUID_DEPTH_MAX, LIQUID_PART_CHARS_MAX, LIQUID_PARTS_MAX } from '../template-limits.ts'
import { htmlEngine, textEngine } from './liquid-engine.ts'
import { BLOCK_TAGS, OPENING_TAGS } from './liquid-tags.ts'

/** Tags that stand inside blocks. */
const INNER_TAGS = new Set(['else', 'elsif', 'when'])

export type LiquidCheck = { tokens: readonly TopLevelToken[]; faults: readonly TemplateFault[] }

/** The parts of a source (texts, outputs, tags) and what its author has to mend; with faults the parts are of no use. */
export function checkLiquid(field: TemplateField, source: string): LiquidCheck {
  try {
    const tokens = new Tokenizer(source).readTopLevelTokens(textEngine.options)
    const faults = partFaults(tokens).map((fault) => ({ field, ...fault }))
    if (faults.length > 0) return { tokens, faults }
    const engine = field === 'body' ? htmlEngine : textEngine
    engine.parse(source)
    return { tokens, faults }
  } catch (error) {
    return { tokens: [], faults: [{ field, ...liquidFault(error) }] }
  }
}

type Fault = Omit<TemplateFault, 'field'>

/** The library's complaint about a source, in one sentence with its line. Throws an error that is not the library's. */
export function liquidFault(error: unknown): Fault {
  if (error instanceof RangeError) return { line: null, detail: 'stands too deep in itself' }
  if (!LiquidError.is(error)) throw error
  const { token, message } = error as unknown as { token: TopLevelToken; message: string }
  return { line: token.getPosition()[0] ?? null, detail: message.replace(/, line:\d+, col:\d+$/, '') }
}

function partFaults(tokens: readonly TopLevelToken[]): Fault[] {
  if (tokens.length > LIQUID_PARTS_MAX) {
    return [{ line: null, detail: `has more than ${LIQUID_PARTS_MAX} Liquid tags, outputs and texts between them` }]
  }
  const faults: Fault[] = []
  let depth = 0
  let commented = false
  for (const token of tokens) {
    if (token.kind === TokenKind.HTML) continue
    const detail = partFault(token)
    const { name = '' } = token as TagToken
    commented = name === 'comment' || (commented && name !== 'endcomment')
    if (detail !== undefined && !(commented && name !== 'comment')) faults.push({ line: lineOf(token), detail })
    if (BLOCK_TAGS.has(name)) depth += 1
    if (name.startsWith('end')) depth -= 1
    if (depth > LIQUID_DEPTH_MAX) {
      return [{ line: lineOf(token), detail: `has more than ${LIQUID_DEPTH_MAX} Liquid blocks in each other` }]
    }
  }
  return faults
}

function partFault(token: TopLevelToken): string | undefined {
  if (token.end - token.begin > LIQUID_PART_CHARS_MAX) {
    return `has a Liquid tag or output of more than ${LIQUID_PART_CHARS_MAX} characters`
  }
  if (token.kind !== TokenKind.Tag) return undefined
  const { name } = token as TagToken
  const known = OPENING_TAGS.has(name) || INNER_TAGS.has(name) || BLOCK_TAGS.has(name.replace(/^end/, ''))
  return known ? undefined : `the tag “${name}” is not offered`
}

function lineOf(token: TopLevelToken): number {
  return token.getPosition()[0]!
}
