import { type Context, defaultOperators, Liquid, type Operators } from 'liquidjs'
import { escapeHtml } from '../../../platform/html.ts'
import type { BoundedContext } from './bounded-context.ts'
import { linkTag, pixelTag } from './link-tag.ts'
import { liquidFilters, searchCost } from './liquid-filters.ts'
import { liquidTags } from './liquid-tags.ts'
import { SafeHtml } from './safe-html.ts'
import { textOf } from './text-of.ts'
import { quickenTexts } from './text-tokens.ts'
import { quickenPositions } from './token-position.ts'

quickenPositions()
quickenTexts()

/**
 * Liquid as templates may use it: our lists of tags and filters and nothing else, own properties only, no files, the same
 * dates and languages on every machine. In `html` values are escaped where they are written; `text` writes them as they are.
 */
export const htmlEngine = createEngine('html')
export const textEngine = createEngine('text')

function createEngine(kind: 'html' | 'text'): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    relativeReference: false,
    templates: {},
    locale: 'en-US',
    timezoneOffset: 0,
    operators: chargedOperators(),
    ...(kind === 'html' ? { outputEscape: escapeOutput } : {}),
  })
  replaceAll(engine.filters, [])
  replaceAll(engine.tags, liquidTags())
  for (const [name, filter] of liquidFilters(kind)) engine.registerFilter(name, filter as never)
  if (kind === 'html') {
    engine.registerTag(linkTag.name, linkTag.tag)
    engine.registerTag(pixelTag.name, pixelTag.tag)
  }
  return engine
}

/** Without a prototype no name but ours is found: not `constructor` either. */
function replaceAll<T>(table: Record<string, T>, entries: readonly [string, T][]): void {
  for (const name of Object.keys(table)) delete table[name]
  Object.setPrototypeOf(table, null)
  Object.assign(table, Object.fromEntries(entries))
}

function escapeOutput(value: unknown): string {
  return value instanceof SafeHtml ? value.html : escapeHtml(textOf(value))
}

type Binary = (left: unknown, right: unknown, context: Context) => unknown

/** Comparing costs as much as what is compared is long. */
function chargedOperators(): Operators {
  const charged = Object.entries(defaultOperators as Record<string, Binary>).map(([name, compare]) => {
    const operator: Binary =
      name === 'not'
        ? compare
        : (left, right, context) => {
            const { budget } = context as BoundedContext
            budget.takeSteps(1)
            budget.takeValue(left)
            budget.takeValue(right)
            if (name === 'contains' && typeof left === 'string') budget.takeChars(searchCost(left, right))
            return compare(left, right, context)
          }
    return [name, operator]
  })
  return Object.fromEntries(charged) as Operators
}
