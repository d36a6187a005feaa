import { parseExactJson } from '../../platform/json/exact-json.ts'

const CUSTOM = 'custom:'

/** A rule as it is written, with whatever else its author has put into it. */
export type RewrittenRule = { field: string; operator?: unknown; value?: unknown }

/** A definition with the keys that fields have, by keys that they had before; the very same text where it names none of those. */
export function withKeys(definition: string, keys: ReadonlyMap<string, string>): string {
  const keyOf = (field: string) => (field.startsWith(CUSTOM) ? keys.get(field.slice(CUSTOM.length)) : undefined)
  return rewritten(definition, (rule) => {
    const key = keyOf(rule.field)
    return key === undefined ? rule : { ...rule, field: CUSTOM + key }
  })
}

/** The definition with its rules renamed; the very same text when none is another. */
export function rewritten(definition: string, rename: (rule: RewrittenRule) => RewrittenRule): string {
  if (definition.trim() === '') return definition
  const within = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node
    if ('rules' in node && Array.isArray(node.rules)) return { ...node, rules: node.rules.map(within) }
    return 'field' in node && typeof node.field === 'string' ? rename(node as RewrittenRule) : node
  }
  const parsed = parseExactJson(definition)
  const renamed = JSON.stringify(within(parsed))
  return renamed === JSON.stringify(parsed) ? definition : renamed
}
