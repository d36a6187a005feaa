import { parseExactJson } from '../../platform/json/exact-json.ts'
import { jsonErrorOffset } from '../../platform/json/json-error-position.ts'
import type { FieldError } from '../../platform/problem.ts'

export const DEFINITION_CHARS_MAX = 65_536
/** Groups within groups, the outermost included. */
export const DEPTH_MAX = 10
/** Rules of one definition; groups count as one each. */
export const RULES_MAX = 200

/** A rule as it is written; what its operator and value mean depends on the field. */
export type Rule = { field: string; operator: string; value: unknown; pointer: string }
export type RuleGroup = { combinator: 'and' | 'or'; not: boolean; rules: readonly (Rule | RuleGroup)[] }

const EVERYONE: RuleGroup = { combinator: 'and', not: false, rules: [] }
/** The value that the query builder has for a field or an operator that nobody has chosen yet. */
const UNCHOSEN = '~'

/**
 * Reads a definition: the JSON text of a rule group as react-querybuilder makes it. Blank text is everyone. `id`, `path`,
 * `disabled` and keys of the caller's own are passed over; muted rules and groups are left out, as in the library's own
 * exports. `faults` has every fault of the form; pointers begin with `/definition`.
 */
export function parseDefinition(text: string): { group: RuleGroup; faults: FieldError[] } {
  if (text.trim() === '') return { group: EVERYONE, faults: [] }
  const parsed = parseJson(text)
  if ('fault' in parsed) return { group: EVERYONE, faults: [{ pointer: '/definition', detail: parsed.fault }] }
  const reading: Reading = { nodes: 0, faults: [] }
  const { value } = parsed
  if (!isObject(value) || !('rules' in value)) {
    reading.faults.push({ pointer: '/definition', detail: 'must be a rule group: {"combinator": "and", "rules": […]}' })
    return { group: EVERYONE, faults: reading.faults }
  }
  const group = readGroup(reading, value, { pointer: '/definition', depth: 1 })
  return { group, faults: reading.faults }
}

type Reading = { nodes: number; faults: FieldError[] }
type Place = { pointer: string; depth: number }

function parseJson(text: string): { value: unknown } | { fault: string } {
  if (text.length > DEFINITION_CHARS_MAX) return { fault: `must have at most ${DEFINITION_CHARS_MAX} characters` }
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    const offset = jsonErrorOffset(text)
    if (offset !== undefined) return { fault: `must be JSON; it stops being that at position ${offset}` }
    const reason = error instanceof Error ? error.message.replace(/^The body/, 'it') : ''
    return { fault: `must be JSON that can be stored: ${reason}` }
  }
}

function readGroup(reading: Reading, value: Record<string, unknown>, place: Place): RuleGroup {
  const { combinator = 'and', not = false, rules } = value
  const { pointer, depth } = place
  const word = typeof combinator === 'string' ? combinator.toLowerCase() : combinator
  if (word !== 'and' && word !== 'or') {
    reading.faults.push({ pointer: `${pointer}/combinator`, detail: 'must be "and" or "or"' })
  }
  if (typeof not !== 'boolean' && not !== null) {
    reading.faults.push({ pointer: `${pointer}/not`, detail: 'must be true or false' })
  }
  if (depth > DEPTH_MAX) {
    reading.faults.push({ pointer, detail: `is nested too deeply: at most ${DEPTH_MAX} groups within each other` })
    return EVERYONE
  }
  if (!Array.isArray(rules)) {
    reading.faults.push({ pointer: `${pointer}/rules`, detail: 'must be a list of rules and groups' })
    return EVERYONE
  }
  const read: (Rule | RuleGroup)[] = []
  for (const [index, item] of rules.entries()) {
    if (reading.nodes === RULES_MAX) {
      reading.faults.push({ pointer: `${pointer}/rules/${index}`, detail: `is too much: at most ${RULES_MAX} rules` })
      reading.nodes++
    }
    if (reading.nodes > RULES_MAX) break
    if (isObject(item) && item.muted === true) continue
    reading.nodes++
    const node = readNode(reading, item, { pointer: `${pointer}/rules/${index}`, depth: depth + 1 })
    if (node) read.push(node)
  }
  return { combinator: word === 'or' ? 'or' : 'and', not: not === true, rules: read }
}

function readNode(reading: Reading, value: unknown, place: Place): Rule | RuleGroup | undefined {
  const { pointer } = place
  const refuse = (part: string, detail: string) => {
    reading.faults.push({ pointer: pointer + part, detail })
    return undefined
  }
  if (typeof value === 'string') return refuse('', 'must be a rule or a group; combinators belong to the group')
  if (!isObject(value)) return refuse('', 'must be a rule or a group')
  if ('rules' in value) return readGroup(reading, value, place)
  const { field, operator } = value
  if (typeof field !== 'string' || field === UNCHOSEN) return refuse('/field', 'must name a field')
  if (typeof operator !== 'string' || operator === UNCHOSEN) return refuse('/operator', 'must name an operator')
  if ((value.valueSource ?? 'value') !== 'value') {
    return refuse('/valueSource', 'must be "value": a rule compares with a value, not with another field')
  }
  if (isObject(value.match)) return refuse('/match', 'is not offered: use a group of rules')
  return { field, operator, value: value.value ?? '', pointer }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}
