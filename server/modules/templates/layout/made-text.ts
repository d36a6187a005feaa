import { findPlaces } from './find-links.ts'
import type { LiquidMask } from './mask-liquid.ts'

/** Character between the cells of a row, until their words are known. */
export const CELL = '\u001f'
/** Also those that fill a space in HTML. */
const SPACES_INSIDE = /(?<=\S)[ \u00a0\u200a]{2,}/g
/** A bracket that would begin Liquid: none does while Liquid is masked, so the body has it as a character (`&#123;{`). */
const BRACKET = /\{(?=[{%])/g
const ASSIGNMENT = /^\{%-?\s*assign\s/

/**
 * The text part that is made from a body, its Liquid still masked: `text` are the words of `html`. Those come from the
 * body element alone; what the head assigns must hold for them too. A line of nothing but tags goes with the next one,
 * so that a list made in a loop has no empty lines.
 */
export function madeText({ html, text }: { html: string; text: string }, mask: LiquidMask): string {
  const lines: string[] = []
  let tags = assignmentsBeforeBody(html, mask)
  for (const line of withoutRepeated(text.split('\n').map(withoutBlanks))) {
    if (isTagsOnly(line, mask)) tags += line.replaceAll(' ', '')
    else {
      lines.push(tags + line.replace(SPACES_INSIDE, ' ').replace(BRACKET, '{{ "{" }}'))
      tags = ''
    }
  }
  return lines.join('\n') + tags
}

/** A line without cells that have no words, and without anything when it is nothing but blanks. */
function withoutBlanks(line: string): string {
  if (line.trim() === '') return ''
  if (!line.includes(CELL)) return line
  const cells = line.split(CELL).filter((cell) => cell.trim() !== '')
  return cells.map((cell) => cell.trim()).join(' ')
}

/** Without the address of a picture that nothing is said about, where the words behind it lead there as well. */
function withoutRepeated(lines: readonly string[]): string[] {
  let below = ''
  const kept: string[] = []
  for (const line of lines.toReversed()) {
    if (line !== '' && below.endsWith(`<${line}>`)) continue
    kept.push(line)
    if (line !== '') below = line
  }
  return kept.reverse()
}

function isTagsOnly(line: string, mask: LiquidMask): boolean {
  const marks = [...line.matchAll(mask.marks)]
  return (
    marks.length > 0 &&
    line.replace(mask.marks, '').trim() === '' &&
    marks.every(([, index]) => mask.behind(Number(index)).isTag)
  )
}

function assignmentsBeforeBody(html: string, mask: LiquidMask): string {
  const assignments = [...html.matchAll(mask.marks)].filter(([, index]) => {
    const { source, isTag } = mask.behind(Number(index))
    return isTag && ASSIGNMENT.test(source)
  })
  // A long mail is not read through for where its body begins when it assigns nothing.
  if (assignments.length === 0) return ''
  const { bodyBegin } = findPlaces(html)
  return assignments
    .filter(({ index }) => index < bodyBegin)
    .map(([mark]) => mark)
    .join('')
}
