import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import { ELEMENTS } from './mjml-elements.ts'

/** Names that every template knows. */
export const ALWAYS = ['first_name', 'last_name', 'email', 'unsubscribe_url', 'preferences_url', 'postal_address']
const FILTERS = ['default', 'upcase', 'downcase', 'capitalize', 'date', 'escape', 'raw', 'size', 'join', 'truncate']
const TAGS = [
  'if',
  'elsif',
  'else',
  'endif',
  'unless',
  'endunless',
  'for',
  'endfor',
  'assign',
  'case',
  'when',
  'endcase',
]

const options = (labels: readonly string[], type: string): Completion[] => labels.map((label) => ({ label, type }))

/** Completes Liquid within its brackets, elements behind `<`, and attributes within a tag. */
export function mergeCompletions(variables: () => readonly string[]): CompletionSource {
  return (context) => inLiquid(context, variables()) ?? inTag(context)
}

function inLiquid(context: CompletionContext, variables: readonly string[]): CompletionResult | null {
  const open = context.matchBefore(/\{\{[^{}]*|\{%[^{}%]*/)
  if (open === null) return null
  const from = context.matchBefore(/[\w.]*/)?.from ?? context.pos
  const before = open.text.slice(0, open.text.length - (context.pos - from))
  if (/\|\s*$/.test(before)) return { from, options: options(FILTERS, 'function') }
  if (/^\{%-?\s*$/.test(before)) return { from, options: options(TAGS, 'keyword') }
  return { from, options: options([...new Set([...ALWAYS, ...variables])], 'variable') }
}

function inTag(context: CompletionContext): CompletionResult | null {
  const tag = context.matchBefore(/<[^<>]*/)
  if (tag === null) return null
  const name = /^<(\/?)([\w-]*)$/.exec(tag.text)
  if (name)
    return {
      from: context.pos - name[2]!.length,
      options: options(
        ELEMENTS.map((one) => one.name),
        'type',
      ),
    }
  const word = context.matchBefore(/[\w-]*/)
  const known = ELEMENTS.find((one) => tag.text.startsWith(`<${one.name} `))
  if (!known || word === null || /=\s*["'][^"']*$/.test(tag.text)) return null
  return {
    from: word.from,
    options: known.attributes.map(({ name: label }) => ({ label, type: 'property', apply: `${label}=""` })),
  }
}
