import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What a page lacks of the rules, or of those with one of the tags, or of all rules, a line each; frames are left out. A page keeps
 * axe, a megabyte and a half of script: to bring it for each look, twice as `AxeBuilder` does, takes as much of a processor as to look.
 */
export async function violationsOf(page: Page, rulesOrTags?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const only = rulesOrTags === undefined ? {} : { runOnly: rulesOrTags }
  const options = JSON.stringify({ resultTypes: ['violations'], ...only })
  const { violations } = await page.evaluate<AxeResults>(`axe.run({ exclude: ['iframe'] }, ${options})`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}
