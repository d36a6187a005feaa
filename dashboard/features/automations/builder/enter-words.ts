import { list, record, text } from '../flow-node.ts'
import { signalText } from '../node-words.ts'
import { type NameOf, ruleText, whereText } from '../rule-words.ts'

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
  if ('date' in trigger) return dateText(trigger)
  if ('schedule' in trigger) return scheduleText(trigger, nameOf)
  if ('segment' in trigger) return `when somebody ${signalText(trigger, nameOf)}`
  const where = whereText(trigger.where)
  const [kind = ''] = Object.keys(trigger)
  const name = text(trigger.event) || (kind === 'event' ? 'an event without a name' : `${kind} ${text(trigger[kind])}`)
  return where === '' ? `on ${name}` : `on ${name} where ${where}`
}

function dateText({ date, repeat, days, at }: Record<string, unknown>): string {
  const count = Number(days ?? 0)
  const so = Math.abs(count) === 1 ? 'a day' : `${Math.abs(count)} days`
  const when = count === 0 ? 'on' : `${so} ${count < 0 ? 'before' : 'after'}`
  const which = text(date) === '' ? 'a date without a field' : `the date ${text(date)}`
  return `${when} ${which}${repeat === 'yearly' ? ', every year' : ''}, at ${text(at) || '09:00'} of their clock`
}

const DAY_NAMES: Readonly<Record<string, string>> = {
  ...{ mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday' },
  ...{ sat: 'Saturday', sun: 'Sunday' },
}

function scheduleText(trigger: Record<string, unknown>, nameOf?: NameOf): string {
  const { at, on, day } = record(trigger.schedule)
  const days = Array.isArray(on) ? on.map((one) => DAY_NAMES[text(one)] ?? text(one)) : []
  const rhythm =
    days.length > 0 ? `each ${days.join(' and ')}` : day ? `on day ${text(day)} of each month` : 'every day'
  const segment = text(trigger.segment)
  const who = segment === '' ? 'a segment' : (nameOf?.(segment) ?? `segment ${segment}`)
  return `${rhythm} at ${text(at) || '09:00'}: all of ${who}`
}
