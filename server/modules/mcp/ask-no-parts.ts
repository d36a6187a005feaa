import { parseExactJson } from '../../platform/json/exact-json.ts'
import type { OperationInput } from '../tool.ts'
import { refuse } from './refusal.ts'

/** Fields of rules that hold a way to reach somebody, which agents see masked. */
const REACH: ReadonlySet<string> = new Set(['email', 'phone'])
/** Operators that ask for a value as a whole, or whether there is one. */
const WHOLE: ReadonlySet<string> = new Set(['=', '!=', 'in', 'notIn', 'null', 'notNull'])
const ORDER: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'between', 'notBetween'])
/** Domains of addresses are shown, and may be asked for: `endsWith @example.com`. */
const OF_DOMAINS: ReadonlySet<string> = new Set(['contains', 'doesNotContain', 'endsWith', 'doesNotEndWith'])
const PARTS: ReadonlySet<string> = new Set([...OF_DOMAINS, 'beginsWith', 'doesNotBeginWith'])

const NUMBER = /^\s*[-+]?\d{1,30}(?:\.\d{1,30})?\s*$/
const TIME = /^\s*\d{4}-\d\d-\d\d(?:T[\d:.]{4,20}(?:Z|[-+]\d\d:\d\d)?)?\s*$/

/**
 * The input of an operation as an agent may give it: what asks for a part of an address, or puts addresses in order, would tell
 * step by step what is masked in answers. A rule about the address itself has to ask for all of it or for its domain, else it is
 * refused; one about another text passes over texts with an address in them. However deep a rule stands, and as JSON within a
 * text, it is found: every way of agents to operations leads through here.
 */
export function askNoParts(operation: string, { query, body, ...given }: OperationInput): OperationInput {
  return {
    ...given,
    ...(query && { query: operation === 'GET /api/contacts' ? findByNames(query) : query }),
    ...(body && { body: judged(body) as object }),
  }
}

type Query = NonNullable<OperationInput['query']>

/** A search of contacts looks in names alone; one for a whole address becomes the filter for it. */
function findByNames({ search, sort, ...query }: Query): Query {
  if (typeof sort === 'string' && sort.endsWith('email')) throw partly('sort by id or updatedAt')
  const order = sort === undefined ? {} : { sort }
  const term = String(search ?? '').trim()
  if (term === '') return { ...query, ...order }
  if (!term.includes('@')) return { ...query, ...order, search: term, searchIn: 'names' }
  if (term.startsWith('@') || query.email !== undefined) throw partly('ask for a domain by a segment')
  return { ...query, ...order, email: term }
}

function partly(instead: string) {
  return refuse('masked-address', `Agents see addresses masked and cannot ask for parts of them: ${instead}.`)
}

function judged(value: unknown): unknown {
  if (typeof value === 'string') return judgedText(value)
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.flatMap((item) => (isTest(item) ? judgedTest(item) : [judged(item)]))
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, judged(item)]))
  return isRule(inner) ? judgedRule(inner) : inner
}

function judgedText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  let parsed: unknown
  try {
    parsed = parseExactJson(text)
  } catch {
    // A text that is no JSON here is none to its operation either.
    return text
  }
  const rewritten = JSON.stringify(judged(parsed))
  return rewritten === JSON.stringify(parsed) ? text : rewritten
}

type Asked = { operator: string; value?: unknown }
type Rule = Asked & { field: string }
type Test = Asked & { property: string }

const isRule = (value: object): value is Rule =>
  'field' in value && typeof value.field === 'string' && 'operator' in value && typeof value.operator === 'string'
const isTest = (value: unknown): value is Test =>
  typeof value === 'object' && value !== null && 'property' in value && 'operator' in value

/** A rule of a segment, or the group that is put in its place. */
function judgedRule(rule: Rule): object {
  if (REACH.has(rule.field)) {
    const isOfDomain = OF_DOMAINS.has(rule.operator) && String(rule.value).trim().startsWith('@')
    if (WHOLE.has(rule.operator) || (rule.field === 'email' && isOfDomain)) return rule
    throw partly('use =, !=, in or notIn with whole ones, or endsWith with "@" and a domain')
  }
  if (!asksForPart(rule)) return rule
  return { combinator: 'and', rules: [rule, { field: rule.field, operator: 'doesNotContain', value: '@' }] }
}

/** A test of a property of an event, and the one that goes with it. */
function judgedTest(test: Test): object[] {
  return asksForPart(test) ? [test, { property: test.property, operator: 'doesNotContain', value: '@' }] : [test]
}

function asksForPart({ operator, value }: Asked): boolean {
  if (ORDER.has(operator) && !valuesOf(value).every(isMeasure)) throw partly('compare with numbers or times')
  return PARTS.has(operator)
}

function valuesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? value.split(',') : [value]
}

function isMeasure(value: unknown): boolean {
  if (typeof value === 'string') return NUMBER.test(value) || TIME.test(value)
  return typeof value === 'number' || (typeof value === 'object' && value !== null && JSON.isRawJSON(value))
}
