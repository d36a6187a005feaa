import type { FieldError } from '../../platform/problem.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { type Condition, EVERYONE, NOBODY, type Subject, type ValueType } from './conditions.ts'
import { parseDefinition, type Rule, type RuleGroup } from './parse-definition.ts'
import { readComparison } from './read-comparison.ts'
import { readEventRule } from './read-event-rule.ts'
import { RuleFault } from './rule-fault.ts'
import { EVENT_OPERATORS, MEMBERSHIP_OPERATORS, OPERATORS, readField, requireOperator } from './rule-fields.ts'
import { readFilledText, readList } from './rule-values.ts'

/** Segments that refer to segments: how many may follow each other. */
export const SEGMENT_DEPTH_MAX = 5
/**
 * Rules of a definition and of all segments it refers to, each counted as often as it is referred to; a reference counts
 * as well, for a segment without rules costs its reading too.
 */
export const RULES_IN_ALL_MAX = 500
/** Of these, rules about events: each is a look into the largest table there is. */
export const EVENT_RULES_MAX = 20
/** And rules about tags: each is a join, and with 190 of them planning took longer than any look. `in` takes a thousand. */
export const TAG_RULES_MAX = 50

/** Its type, and the keys that values may stand under: the one that it has, and behind it another while it is being renamed. */
export type CustomField = { type: ValueType; keys: readonly string[] }

/** Facts of a workspace that definitions speak of. */
export type SegmentFacts = {
  /** RFC 3339, UTC: "now" for everything that counts days back. */
  now: string
  /** Custom fields by the key that the definition writes; one that is missing here is one that nobody has. */
  fields: ReadonlyMap<string, CustomField>
  /** Ids of tags by name as the definition writes it. */
  tagIds: ReadonlyMap<string, string>
  /** Segments by id that the definition refers to, directly or through others. */
  segments: ReadonlyMap<string, { name: string; definition: string }>
}

/**
 * The condition that a definition states, or everything that is wrong with it: pointers begin with `/definition`. `self`
 * is the id of the segment whose definition it is to be, for it must not lead back to itself.
 */
export function readRules(
  definition: string,
  facts: SegmentFacts,
  self?: string,
): { condition: Condition } | { faults: FieldError[] } {
  const { group, faults } = parseDefinition(definition)
  return faults.length > 0 ? { faults } : readRuleGroup(group, facts, self)
}

/** The same of a group that was read already. */
export function readRuleGroup(
  group: RuleGroup,
  facts: SegmentFacts,
  self?: string,
): { condition: Condition } | { faults: FieldError[] } {
  const reading: Reading = {
    facts,
    rules: 0,
    eventRules: 0,
    tagRules: 0,
    faults: [],
    path: self === undefined ? [] : [self],
  }
  const condition = readGroup(reading, group)
  return reading.faults.length > 0 ? { faults: reading.faults } : { condition }
}

/** A rule of a definition, and the condition that it states by itself. */
export type ReadRule = { rule: Rule; condition: Condition }

/** The rules of a sound definition one by one, in the order they are written, whatever joins them. */
export function readEachRule(definition: string, facts: SegmentFacts, self: string): ReadRule[] {
  const rulesOf = (group: RuleGroup): Rule[] =>
    group.rules.flatMap((node) => ('rules' in node ? rulesOf(node) : [node]))
  return rulesOf(parseDefinition(definition).group).map((rule) => {
    const reading: Reading = { facts, rules: 0, eventRules: 0, tagRules: 0, faults: [], path: [self] }
    return { rule, condition: readRule(reading, rule) }
  })
}

type Reading = {
  facts: SegmentFacts
  rules: number
  eventRules: number
  tagRules: number
  faults: FieldError[]
  /** Ids of the segments being read, the outermost first. */
  path: readonly string[]
}

function readGroup(reading: Reading, group: RuleGroup): Condition {
  const of = group.rules.map((node) => ('rules' in node ? readGroup(reading, node) : readRule(reading, node)))
  // An empty group is everyone, whatever would have joined its rules.
  const joined: Condition = of.length === 0 ? EVERYONE : { kind: group.combinator === 'or' ? 'any' : 'all', of }
  return group.not ? { kind: 'not', of: joined } : joined
}

function readRule(reading: Reading, rule: Rule): Condition {
  try {
    countRule(reading, '')
    return conditionOf(reading, rule)
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error
    reading.faults.push({ pointer: rule.pointer + error.pointer, detail: error.detail })
    return NOBODY
  }
}

function countRule(reading: Reading, pointer: string): void {
  if (++reading.rules <= RULES_IN_ALL_MAX) return
  throw new RuleFault(pointer, `is too much: at most ${RULES_IN_ALL_MAX} rules, referred segments and theirs included`)
}

function conditionOf(reading: Reading, rule: Rule): Condition {
  const field = readField(rule.field)
  switch (field.kind) {
    case 'column':
      return valueCondition(rule, { column: field.column }, field.type, reading.facts.now)
    case 'custom': {
      const { type, keys } = reading.facts.fields.get(field.key) ?? { type: 'text', keys: [field.key] }
      return valueCondition(rule, { custom: keys }, type, reading.facts.now)
    }
    case 'event':
      requireOperator(rule.operator, EVENT_OPERATORS, 'events')
      if (++reading.eventRules > EVENT_RULES_MAX) {
        throw new RuleFault('', `is too much: at most ${EVENT_RULES_MAX} rules about events`)
      }
      return readEventRule(field.name, rule, reading.facts.now)
    case 'tag':
      if (++reading.tagRules > TAG_RULES_MAX) {
        throw new RuleFault('', `is too much: at most ${TAG_RULES_MAX} rules about tags; in and notIn take many`)
      }
      return membership(rule, 'tags', (names) => {
        const ids = names.map(({ text }) => reading.facts.tagIds.get(text))
        return { kind: 'tagged', tagIds: ids.filter((id) => id !== undefined) }
      })
    case 'topic':
      // Each is a join as well.
      if (++reading.tagRules > TAG_RULES_MAX) {
        throw new RuleFault('', `is too much: at most ${TAG_RULES_MAX} rules about tags and topics`)
      }
      return membership(rule, 'topics', (ids) => ({
        kind: 'subscribed',
        topicIds: ids.map(({ text, pointer }) => {
          if (!/^[0-9]{1,19}$/.test(text) || isBeyondIds(text))
            throw new RuleFault(pointer, 'must be the id of a topic')
          return text
        }),
      }))
    case 'segment':
      return membership(rule, 'segments', (ids) => ({
        kind: 'any',
        of: ids.map(({ text, pointer }) => segmentCondition(reading, text, pointer)),
      }))
  }
}

function valueCondition(rule: Rule, subject: Subject, type: ValueType, now: string): Condition {
  requireOperator(rule.operator, OPERATORS[type], `a ${type} field`)
  if (rule.operator === 'notNull') return { kind: 'present', subject }
  if (rule.operator === 'null') return { kind: 'not', of: { kind: 'present', subject } }
  const isColumn = 'column' in subject
  const context = { now, isEmail: isColumn && subject.column === 'email', blankIsValue: !isColumn }
  return { kind: 'compares', subject, comparison: readComparison(type, rule, context) }
}

type Named = { text: string; pointer: string }

function membership(rule: Rule, what: string, among: (named: readonly Named[]) => Condition): Condition {
  requireOperator(rule.operator, MEMBERSHIP_OPERATORS, what)
  const condition = among(namesOf(rule))
  return ['doesNotHave', '!=', 'notIn'].includes(rule.operator) ? { kind: 'not', of: condition } : condition
}

/** The tags or segments that a rule names: one, or a list behind `in` and `notIn`. */
export function namesOf(rule: Pick<Rule, 'operator' | 'value'>): Named[] {
  const given = { value: rule.value, pointer: '/value' }
  const items = rule.operator === 'in' || rule.operator === 'notIn' ? readList(given) : [given]
  return items.map((item) => ({ text: readFilledText(item).trim(), pointer: item.pointer }))
}

/** The condition of another segment, put in where it is referred to. */
function segmentCondition(reading: Reading, id: string, pointer: string): Condition {
  const { facts, path } = reading
  countRule(reading, pointer)
  if (path.includes(id)) {
    throw new RuleFault(pointer, `leads back to itself: ${[...path.slice(path.indexOf(id)), id].join(' → ')}`)
  }
  const segment = facts.segments.get(id)
  if (!segment) throw new RuleFault(pointer, 'must be the id of a segment of this workspace')
  if (path.length >= SEGMENT_DEPTH_MAX) {
    throw new RuleFault(pointer, `is nested too deeply: at most ${SEGMENT_DEPTH_MAX} segments behind each other`)
  }
  const { group, faults } = parseDefinition(segment.definition)
  const inner: Reading = { ...reading, path: [...path, id], faults: [...faults] }
  const condition = readGroup(inner, group)
  reading.rules = inner.rules
  reading.eventRules = inner.eventRules
  reading.tagRules = inner.tagRules
  const [fault] = inner.faults
  if (fault) throw new RuleFault(pointer, `names the segment “${segment.name}”, where ${fault.pointer} ${fault.detail}`)
  return condition
}
