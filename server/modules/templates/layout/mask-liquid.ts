import { randomBytes } from 'node:crypto'
import { type TagToken, TokenKind, type TopLevelToken } from 'liquidjs'

/** Its characters pass through MJML, CSS, attributes and texts unchanged. */
export type LiquidMask = {
  masked: string
  /** Finds the marks, each with its number as the first group. */
  marks: RegExp
  /** The Liquid that stands behind the mark of this number. */
  behind(index: number): { source: string; isTag: boolean }
  restore(text: string): string
}

/** The mark of a tag, by which those who know a text alone tell it from that of an output. */
export const TAG_MARK = /lq[0-9a-f]{8}x\d+t/g
const DELIMITERS = /\{\{|\}\}|\{%|%\}/g

/**
 * Puts a word in the place of each Liquid tag and output, so that what knows nothing of Liquid can work on the rest and
 * does not trip over the quotes and angle brackets in it. The lines stay the same.
 */
export function maskLiquid(source: string, tokens: readonly TopLevelToken[]): LiquidMask {
  const word = unusedWord(source)
  const hidden: { source: string; isTag: boolean }[] = []
  const hide = (text: string, isTag: boolean) => {
    hidden.push({ source: text, isTag })
    return `${word}${hidden.length - 1}${isTag ? 't' : 'z'}${'\n'.repeat(text.split('\n').length - 1)}`
  }
  let raw = false
  const masked = tokens.map((token) => {
    const text = source.slice(token.begin, token.end)
    if (token.kind !== TokenKind.HTML) {
      raw = (token as TagToken).name === 'raw'
      return hide(text, token.kind === TokenKind.Tag)
    }
    return raw ? text.replace(DELIMITERS, (delimiter) => hide(delimiter, false)) : text
  })
  const marks = new RegExp(`${word}(\\d+)[tz](?:="")?`, 'g')
  return {
    masked: masked.join(''),
    marks,
    behind: (index) => hidden[index]!,
    restore: (text) => text.replace(marks, (_mark, index: string) => hidden[Number(index)]!.source),
  }
}

function unusedWord(source: string): string {
  for (;;) {
    const word = `lq${randomBytes(4).toString('hex')}x`
    if (!source.includes(word)) return word
  }
}
