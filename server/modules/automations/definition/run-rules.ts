import type { FieldError } from '../../../platform/problem.ts'
import { parseDefinition, type Rule, type RuleGroup } from '../../segments/parse-definition.ts'
import { readPropertyTests } from '../../segments/read-event-rule.ts'
import { RuleFault } from '../../segments/rule-fault.ts'
import { type RuleText, TRIGGER, VARIABLE, type WrittenTest } from './definition.ts'
import { isVariableName } from './read-variables.ts'

/** Mails of the automation itself that the person has clicked in: beside `event.` and `var.` what only a run has. */
const CLICKED = 'clicked'
const CLICKED_OPERATORS: readonly string[] = ['has', 'doesNotHave']

/**
 * A rule about a run. `contact` are the parts that segments understand by themselves, as large as they can be; each of the
 * others asks one thing, and all of them hold or do not.
 */
export type RunRule =
  | { kind: 'all' | 'any'; of: readonly RunRule[] }
  | { kind: 'not'; of: RunRule }
  | { kind: 'contact'; group: RuleGroup }
  | { kind: 'trigger'; test: WrittenTest; pointer: string }
  | { kind: 'variable'; test: WrittenTest; pointer: string }
  | { kind: 'clicked'; node: string; pointer: string }
export type RunLeaf = Extract<RunRule, { kind: 'contact' | 'trigger' | 'variable' | 'clicked' }>

/** Takes a rule group apart. `faults` are those of its form and of the fields of runs; pointers begin with `/definition`. */
export function readRunRule(text: RuleText): { rule: RunRule; faults: FieldError[] } {
  const { group, faults } = parseDefinition(text)
  const found = [...faults]
  const rule = ofGroup(group, found)
  return { rule, faults: found }
}

/** Rules that were read last, by their text: whoever asks one of a million people reads it once. */
const kept = new Map<RuleText, RunRule>()
const KEPT_MAX = 500

/** The same of a rule that was sound when it was written. */
export function storedRunRule(text: RuleText): RunRule {
  const found = kept.get(text)
  if (found) return found
  const { rule } = readRunRule(text)
  if (kept.size >= KEPT_MAX) kept.clear()
  kept.set(text, rule)
  return rule
}

/** The questions of a rule, from left to right. */
export function leavesOf(rule: RunRule): RunLeaf[] {
  if (rule.kind === 'not') return leavesOf(rule.of)
  return 'of' in rule ? rule.of.flatMap(leavesOf) : [rule]
}

/** Whether a rule holds, given what holds of its questions. */
export function ruleHolds(rule: RunRule, leafHolds: (leaf: RunLeaf) => boolean): boolean {
  switch (rule.kind) {
    case 'all':
      return rule.of.every((part) => ruleHolds(part, leafHolds))
    case 'any':
      return rule.of.some((part) => ruleHolds(part, leafHolds))
    case 'not':
      return !ruleHolds(rule.of, leafHolds)
    default:
      return leafHolds(rule)
  }
}

function ofGroup(group: RuleGroup, faults: FieldError[]): RunRule {
  if (isOfContacts(group)) return { kind: 'contact', group }
  const ofContacts = group.rules.filter(isOfContacts)
  const parts: RunRule[] = group.rules
    .filter((node) => !isOfContacts(node))
    .map((node) => ('rules' in node ? ofGroup(node, faults) : ofRun(node, faults)))
  if (ofContacts.length > 0) parts.unshift({ kind: 'contact', group: { ...group, not: false, rules: ofContacts } })
  const joined: RunRule = { kind: group.combinator === 'or' ? 'any' : 'all', of: parts }
  return group.not ? { kind: 'not', of: joined } : joined
}

function isOfContacts(node: Rule | RuleGroup): boolean {
  if ('rules' in node) return node.rules.every(isOfContacts)
  return node.field !== CLICKED && !node.field.startsWith(TRIGGER) && !node.field.startsWith(VARIABLE)
}

function ofRun(rule: Rule, faults: FieldError[]): RunRule {
  const { field, operator, value, pointer } = rule
  if (field === CLICKED) {
    if (!CLICKED_OPERATORS.includes(operator)) {
      faults.push({
        pointer: `${pointer}/operator`,
        detail: `must be one of ${CLICKED_OPERATORS.join(', ')} for ${CLICKED}`,
      })
    }
    if (typeof value !== 'string')
      faults.push({ pointer: `${pointer}/value`, detail: 'must be the id of an email node' })
    const clicked: RunRule = { kind: 'clicked', node: String(value), pointer }
    return operator === 'doesNotHave' ? { kind: 'not', of: clicked } : clicked
  }
  const kind = field.startsWith(VARIABLE) ? 'variable' : 'trigger'
  const test = { property: field.slice(kind === 'variable' ? VARIABLE.length : TRIGGER.length), operator, value }
  if (kind === 'variable' && !isVariableName(test.property)) {
    faults.push({ pointer: `${pointer}/field`, detail: 'must name a variable behind “var.”' })
  }
  try {
    readPropertyTests([test], new Date().toISOString())
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error
    const part = error.pointer.replace('/value/where/0', '').replace('/property', '/field')
    faults.push({ pointer: pointer + part, detail: error.detail })
  }
  return { kind, test, pointer }
}
