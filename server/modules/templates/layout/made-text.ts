import { findPlaces } from './find-links.ts'
import type { LiquidMask } from './mask-liquid.ts'

/** A cell of a table begins with a space of its own, beside those between the cells. */
const SPACES_INSIDE = /(?<=\S) {2,}/g
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
  for (const line of text.split('\n')) {
    if (isTagsOnly(line, mask)) tags += line.replaceAll(' ', '')
    else {
      lines.push(tags + line.replace(SPACES_INSIDE, ' ').replace(BRACKET, '{{ "{" }}'))
      tags = ''
    }
  }
  return lines.join('\n') + tags
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
