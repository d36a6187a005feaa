import { countText, namesText } from '../../lib/format.ts'
import { type FlowNode, list, record, text } from './flow-node.ts'
import { type NameOf, ruleText } from './rule-words.ts'

const HUNDREDTHS_OF_A_PERCENT = 100

/** The kind of a node, in a word or two. */
const KINDS: Readonly<Record<string, string>> = {
  email: 'Mail',
  delay: 'Wait',
  wait: 'Wait until',
  branch: 'Branch',
  split: 'Split',
  tag: 'Tags',
  field: 'Custom fields',
  emit: 'Event',
  webhook: 'Webhook',
  notify: 'Tell the team',
  set: 'Variable',
  enroll: 'Enrol elsewhere',
  leave: 'Leave elsewhere',
  goal: 'Goal',
  end: 'End',
}

export const kindText = ({ type }: FlowNode) => KINDS[type] ?? type

/** `comes into the segment “VIP”`, a rule, a date, or the name of an event. */
export function signalText(signal: Record<string, unknown>, nameOf?: NameOf): string {
  if ('if' in signal) return ruleText(signal.if, nameOf)
  if ('date' in signal) return dateText(signal)
  if (!('segment' in signal)) return text(signal.event)
  const name = nameOf?.(text(signal.segment))
  const segment = name === undefined ? 'a segment' : `the segment “${name}”`
  return `${signal.when === 'leaves' ? 'goes out of' : 'comes into'} ${segment}`
}

const SHIFTS = ['days', 'hours', 'minutes'] as const

/** `2 hours before startsAt`, or `on birthday at 09:00, each year`. */
function dateText(way: Record<string, unknown>): string {
  const name = text(way.date).replace(/^event\./, '') || 'a date'
  const counts = SHIFTS.map((unit) => [unit, Number(way[unit] ?? 0)] as const).filter(([, count]) => count !== 0)
  const words = counts.map(([unit, count]) => unitText(Math.abs(count), unit)).join(' ')
  const when = words === '' ? 'on' : `${words} ${(counts[0]?.[1] ?? 0) < 0 ? 'before' : 'after'}`
  const at = text(way.at) === '' ? '' : ` at ${text(way.at)}`
  return `${when} ${name}${at}${way.repeat === 'yearly' ? ', each year' : ''}`
}

/** What a node does, as far as a line has room for it. */
export function nodeText(node: FlowNode, nameOf?: NameOf): string {
  switch (node.type) {
    case 'email':
      return text(node.subject) || (template(node) === '' ? 'No subject' : templateText(template(node), nameOf))
    case 'delay':
      return delayText(node)
    case 'wait':
      return `${list(node.for)
        .map((signal) => signalText(signal, nameOf))
        .join(' or ')}, ${durationText(text(node.timeout))} at most`
    case 'tag':
      return [...names('add', node.add), ...names('remove', node.remove)].join(', ')
    case 'field':
      return `Set ${Object.keys(record(node.set)).join(', ')}`
    case 'emit':
      return text(node.event)
    case 'webhook':
      return `To ${nameOf?.(text(node.endpoint), 'endpoint') ?? `the endpoint ${text(node.endpoint)}`}`
    case 'set':
      return `Set ${Object.keys(record(node.set)).join(', ')}`
    case 'notify':
      return [text(node.subject) || 'No subject', toldText(node.members)].join(', ')
    case 'enroll':
    case 'leave':
      return quoted(nameOf?.(text(node.automation), 'automation')) ?? `Automation ${text(node.automation)}`
    case 'branch':
      return askedText(list(node.ways), nameOf)
    case 'split':
      return `At random: ${list(node.ways)
        .map(({ weight }) => `${Number(weight) / HUNDREDTHS_OF_A_PERCENT} %`)
        .join(', ')}`
    default:
      return ''
  }
}

/** Two branches are told apart by what they ask: `plan is pro, or else tagged “vip”`. */
function askedText(ways: readonly Record<string, unknown>[], nameOf?: NameOf): string {
  const asked = ways.map((way) => (isChosen(way.if) ? ruleText(way.if, nameOf) : NOT_CHOSEN))
  const most = Math.floor(ASKED_CHARS / Math.min(asked.length, ASKED_MAX))
  const shown = asked.slice(0, ASKED_MAX).map((words) => shortened(words, most))
  const more = asked.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', or else ')
}

const ASKED_MAX = 2
const ASKED_CHARS = 72

/** Cut between words, where the line has no room for all of them. */
function shortened(words: string, most: number): string {
  if (words.length <= most) return words
  const cut = words.slice(0, most)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), most / 2)).replace(/[ ,(“]+$/, '')} …`
}

const NOT_CHOSEN = 'still to be chosen'

/** Whether a rule asks for anything yet: as a branch is put in, its only condition has no value. */
function isChosen(rule: unknown): boolean {
  const { rules } = record(rule)
  const [first, ...others] = list(rules)
  return others.length > 0 || first?.field !== 'tag' || text(first.value) !== ''
}

function templateText(id: string, nameOf?: NameOf): string {
  return `Template ${quoted(nameOf?.(id, 'template')) ?? id}`
}

const quoted = (name: string | undefined) => (name === undefined ? undefined : `“${name}”`)

function toldText(members: unknown): string {
  const named = Array.isArray(members) ? members.map(text) : []
  if (named.length === 0) return 'to the owners'
  return named.length > 2 ? `to ${named.length} members` : `to ${named.join(' and ')}`
}

/** `Mail: You left something behind`: a node by its kind and what it does. */
export function namedNode(node: FlowNode, nameOf?: NameOf): string {
  return [kindText(node), nodeText(node, nameOf)].filter((part) => part !== '').join(': ')
}

/** One way out of a node: when it is the one that is gone. */
export function wayText(node: FlowNode, way: string, nameOf?: NameOf): string {
  if (way === 'skipped') return 'Not mailed'
  if (way === 'else') return 'Everybody else'
  if (way === 'late') return `Nothing within ${durationText(text(node.timeout))}`
  const at = Number(way)
  if (!Number.isInteger(at)) return 'Goes on'
  if (node.type === 'wait') return wayOfSignal(list(node.for)[at] ?? {}, nameOf)
  const one = list(node.ways)[at] ?? {}
  if (node.type === 'split') return `${Number(one.weight) / HUNDREDTHS_OF_A_PERCENT} %`
  return isChosen(one.if) ? `If ${ruleText(one.if, nameOf)}` : `If: ${NOT_CHOSEN}`
}

function wayOfSignal(signal: Record<string, unknown>, nameOf?: NameOf): string {
  const words = signalText(signal, nameOf)
  if ('if' in signal) return `If ${words}`
  return 'segment' in signal || 'date' in signal ? words.charAt(0).toUpperCase() + words.slice(1) : words
}

const SPANS = ['months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const

const WEEKDAYS = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** `2 days, then until 09:00 on a weekday, their time`. */
function delayText(node: FlowNode): string {
  const span = SPANS.flatMap((unit) => (Number(node[unit]) > 0 ? [unitText(Number(node[unit]), unit)] : [])).join(' ')
  const until = [text(node.at), weekdaysText(node.on)].filter((part) => part !== '').join(' ')
  if (until === '') return span
  return `${span === '' ? 'Until' : `${span}, then until`} ${until}, their time`
}

function weekdaysText(on: unknown): string {
  const days = Array.isArray(on) ? on.map(text) : []
  if (days.length === 0) return ''
  const [own, all] = [days.toSorted().join(), Object.keys(WEEKDAYS)]
  if (own === all.slice(0, 5).toSorted().join()) return 'on a weekday'
  if (own === all.slice(5).toSorted().join()) return 'at a weekend'
  const names = days.map((day) => WEEKDAYS[day as keyof typeof WEEKDAYS] ?? day)
  return `on ${names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names[0]}`
}

const DURATION = /^P(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** `P3D` as `3 days`; anything else as it is. */
export function durationText(duration: string): string {
  const [, ...parts] = DURATION.exec(duration) ?? []
  const words = parts.flatMap((part, at) => (part === undefined ? [] : [unitText(Number(part), SPANS[at]!)]))
  return words.length === 0 ? duration : words.join(' ')
}

const unitText = (count: number, unit: (typeof SPANS)[number]) => countText(count, unit.slice(0, -1))

const template = (node: FlowNode) => text(record(node.template).id)
const names = (act: string, tags: unknown) =>
  Array.isArray(tags) && tags.length > 0 ? [`${act} ${namesText(tags)}`] : []
