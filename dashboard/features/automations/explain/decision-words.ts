import { type FlowNode, list, record, text } from '../flow-node.ts'
import { fieldText, type NameOf, ruleText } from '../rule-words.ts'

type Json = Readonly<Record<string, unknown>>

/** A rule that was asked of somebody, and whether it held. */
export type AskedRule = { rule: string; holds: boolean }

/** The rules of a step in the order in which they were asked, up to the first that held. */
export function rulesAsked(node: FlowNode | undefined, seen: Json, nameOf?: NameOf): AskedRule[] {
  const holds = Array.isArray(seen.holds) ? seen.holds : []
  const rules = (node?.type === 'wait' ? list(node.for).filter((way) => 'if' in way) : list(node?.ways)).map(
    (way) => way.if,
  )
  return holds.map((held, at) => ({ rule: ruleText(rules[at], nameOf), holds: held === true }))
}

/** `plan: free`, `the event’s total: 12`: what somebody had of that which rules asked for. */
export function valuesText(values: unknown): string {
  return Object.entries(record(values))
    .map(([field, value]) => `${field === 'tag' ? 'tags among these' : fieldText(field)}: ${valueText(value)}`)
    .join(', ')
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(text).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Variables that a step has set, or could not. */
export function variablesText({ set, notSet }: Json): string {
  const parts = Object.entries(record(set)).map(([name, value]) => `${name} = ${valueText(value)}`)
  const not = Array.isArray(notSet) && notSet.length > 0 ? [`not set: ${notSet.map(text).join(', ')}`] : []
  return [...parts, ...not].join(', ')
}
