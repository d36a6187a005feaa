import { scanHtml } from '../../../platform/html/scan-html.ts'
import { checkLiquid } from '../language/check-liquid.ts'
import { withoutLiquid } from './mark-elements.ts'
import { holdsText } from './prepare-mjml.ts'

/** The name of the one element that a text of MJML with sound Liquid is, from its first character to its last; undefined for any other. */
export function singleElement(text: string): string | undefined {
  const { tokens, faults } = checkLiquid('body', text)
  if (faults.length > 0) return undefined
  const open: string[] = []
  let single: string | undefined
  for (const token of scanHtml(withoutLiquid(text, tokens))) {
    const within = open.at(-1)
    if (within === undefined && (single !== undefined || token.kind !== 'open')) return undefined
    if (token.kind === 'close' && token.name === within) open.pop()
    else if (token.kind === 'open' && (within === undefined || !holdsText(within))) {
      single ??= token.name
      if (!token.selfClosing) open.push(token.name)
    }
  }
  return open.length === 0 ? single : undefined
}
