import { list, record, text } from '../flow-node.ts'
import { type NameOf, ruleText, signalText } from '../node-words.ts'

/** What brings people in, in a line. */
export function enterText(enter: unknown, nameOf?: NameOf): string {
  const { on, if: rule } = record(enter)
  const ways = list(on)
    .map((trigger) => triggerText(trigger, nameOf))
    .join(' or ')
  return [ways || 'Nothing yet', rule === undefined || rule === null ? '' : `if ${ruleText(rule, nameOf)}`]
    .filter((part) => part !== '')
    .join(', ')
}

export function triggerText(trigger: Record<string, unknown>, nameOf?: NameOf): string {
  if (trigger.manual === true) return 'by hand'
  if ('segment' in trigger) return `when somebody ${signalText(trigger, nameOf)}`
  const where = whereText(trigger.where)
  const [kind = ''] = Object.keys(trigger)
  const name = text(trigger.event) || (kind === 'event' ? 'an event without a name' : `${kind} ${text(trigger[kind])}`)
  return where === '' ? `on ${name}` : `on ${name} where ${where}`
}

export function whereText(where: unknown): string {
  return list(where)
    .map(({ property, operator, value }) =>
      [text(property), text(operator), text(value)].filter((part) => part !== '').join(' '),
    )
    .join(' and ')
}
