import { CONTACT_FIELDS, eventNameOf, eventValue, OPERATORS, TRIGGER } from '../segments/rule-catalogue.ts'
import { list, record, text } from './flow-node.ts'

/** Everything that a definition may refer to by an id. */
export type Referred = 'segment' | 'template' | 'automation' | 'endpoint' | 'mail'

/** The name of what an id stands for, a segment if nothing else is said; undefined where it is not known. */
export type NameOf = (id: string, of?: Referred) => string | undefined

const VARIABLE = 'var.'
const LABELS = new Map(CONTACT_FIELDS.map(({ field, label }) => [field, label.toLowerCase()]))
/** Where two kinds of value have one operator, it means the same. */
const WORDS: Readonly<Record<string, string>> = { ...OPERATORS.time, ...OPERATORS.number, ...OPERATORS.text }

/** A group of rules in a line: `plan is pro and tagged “vip”`. */
export function ruleText(rule: unknown, nameOf?: NameOf): string {
  const one = record(typeof rule === 'string' ? parsed(rule) : rule)
  const { rules, combinator = 'and', not } = one
  if (!Array.isArray(rules)) return conditionText(one, nameOf)
  const words = rules.map((part) =>
    record(part).rules === undefined ? ruleText(part, nameOf) : `(${ruleText(part, nameOf)})`,
  )
  return `${not === true ? 'not ' : ''}${words.join(` ${text(combinator)} `)}` || 'anything'
}

/** Conditions on the properties of an event: `total is at least 20`. */
export function whereText(where: unknown): string {
  return list(where)
    .map(({ property, operator, value }) => compared(text(property), text(operator), value))
    .join(' and ')
}

function conditionText(rule: Record<string, unknown>, nameOf?: NameOf): string {
  const [field, operator] = [text(rule.field), text(rule.operator)]
  const isNot = operator.startsWith('doesNot') || operator.startsWith('not') || operator === '!='
  if (field === 'tag') return `${isNot ? 'not tagged' : 'tagged'} ${quoted(rule.value)}`.trim()
  if (field === 'segment') {
    const name = nameOf?.(text(rule.value))
    return `${isNot ? 'not in' : 'in'} ${name === undefined ? 'a segment' : `the segment “${name}”`}`
  }
  if (field === 'topic') return `${isNot ? 'did not say' : 'said'} yes to a topic`
  if (field === 'clicked') {
    const mail = nameOf?.(text(rule.value), 'mail') ?? text(rule.value)
    return `${isNot ? 'did not click' : 'clicked'} in ${quoted(mail) || 'a mail'}`
  }
  if (field.startsWith('event:')) return happenedText(eventNameOf(field), isNot, rule.value)
  return compared(fieldText(field), operator, rule.value)
}

/** `the event’s total`, `plan`: the field of a rule. */
export function fieldText(field: string): string {
  if (field.startsWith(TRIGGER)) return `the event’s ${field.slice(TRIGGER.length)}`
  if (field.startsWith(VARIABLE)) return `the variable ${field.slice(VARIABLE.length)}`
  return LABELS.get(field) ?? field.replace(/^custom:/, '')
}

function compared(name: string, operator: string, value: unknown): string {
  const shown = valueText(value)
  if (operator === 'withinLastDays') return `${name} in the last ${shown} days`
  if (operator === 'notWithinLastDays') return `${name} not in the last ${shown} days`
  if (operator === 'anniversaryWithinDays') return `${name} has its anniversary within ${shown} days`
  const isPresence = operator === 'null' || operator === 'notNull'
  return [name, WORDS[operator] ?? operator, isPresence ? '' : shown].filter((part) => part !== '').join(' ')
}

/** `order.paid happened at least 2 times in the last 30 days where total is more than 20`. */
function happenedText(name: string, isNot: boolean, value: unknown): string {
  const { atLeast, atMost, exactly, withinLastDays, where } = eventValue(value)
  const often =
    exactly !== undefined
      ? ` exactly ${times(exactly)}`
      : [
          atLeast !== undefined && atLeast !== 1 ? ` at least ${times(atLeast)}` : '',
          atMost !== undefined ? ` at most ${times(atMost)}` : '',
        ].join('')
  const when = withinLastDays === undefined ? '' : ` in the last ${withinLastDays} days`
  const which = whereText(where)
  return `${name} ${isNot ? 'did not happen' : 'happened'}${often}${when}${which === '' ? '' : ` where ${which}`}`
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
const quoted = (value: unknown) => (text(value) === '' ? '' : `“${text(value)}”`)

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : text(value)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return { field: json }
  }
}
