import { countText } from '../../lib/format.ts'
import { type FlowNode, list, record, text } from './flow-node.ts'

const HUNDREDTHS_OF_A_PERCENT = 100

/** The kind of a node, in a word or two. */
const KINDS: Readonly<Record<string, string>> = {
  email: 'Mail',
  delay: 'Wait',
  wait: 'Wait for an event',
  branch: 'Branch',
  split: 'Split',
  tag: 'Tags',
  field: 'Custom fields',
  emit: 'Event',
  enroll: 'Enrol elsewhere',
  leave: 'Leave elsewhere',
  goal: 'Goal',
  end: 'End',
}

export const kindText = ({ type }: FlowNode) => KINDS[type] ?? type

/** What a node does, as far as a line has room for it. */
export function nodeText(node: FlowNode): string {
  switch (node.type) {
    case 'email':
      return text(node.subject) || (template(node) === '' ? 'No subject' : `Template ${template(node)}`)
    case 'delay':
      return delayText(node)
    case 'wait':
      return `${list(node.for)
        .map(({ event }) => text(event))
        .join(' or ')}, ${durationText(text(node.timeout))} at most`
    case 'tag':
      return [...names('add', node.add), ...names('remove', node.remove)].join(', ')
    case 'field':
      return `Set ${Object.keys(record(node.set)).join(', ')}`
    case 'emit':
      return text(node.event)
    case 'enroll':
    case 'leave':
      return `Automation ${text(node.automation)}`
    default:
      return ''
  }
}

/** One way out of a node: when it is the one that is gone. */
export function wayText(node: FlowNode, way: string): string {
  if (way === 'skipped') return 'Not mailed'
  if (way === 'else') return 'Everybody else'
  if (way === 'late') return `Nothing within ${durationText(text(node.timeout))}`
  const at = Number(way)
  if (!Number.isInteger(at)) return 'Goes on'
  if (node.type === 'wait') return text(list(node.for)[at]?.event)
  const one = list(node.ways)[at] ?? {}
  if (node.type === 'split') return `${Number(one.weight) / HUNDREDTHS_OF_A_PERCENT} %`
  return `If ${ruleText(one.if)}`
}

const SPANS = ['months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const

function delayText(node: FlowNode): string {
  const span = SPANS.flatMap((unit) => (Number(node[unit]) > 0 ? [unitText(Number(node[unit]), unit)] : []))
  const at = text(node.at) === '' ? [] : [`at ${text(node.at)}`]
  const on = list(node.on as unknown).length > 0 ? [`on ${(node.on as string[]).join(', ')}`] : []
  return [span.join(' '), ...at, ...on].filter((part) => part !== '').join(', ')
}

const DURATION = /^P(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** `P3D` as `3 days`; anything else as it is. */
export function durationText(duration: string): string {
  const [, ...parts] = DURATION.exec(duration) ?? []
  const words = parts.flatMap((part, at) => (part === undefined ? [] : [unitText(Number(part), SPANS[at]!)]))
  return words.length === 0 ? duration : words.join(' ')
}

const unitText = (count: number, unit: (typeof SPANS)[number]) => countText(count, unit.slice(0, -1))

/** A rule group in a line: `plan = pro and tag has vip`. */
export function ruleText(rule: unknown): string {
  const {
    rules,
    combinator = 'and',
    not,
    field,
    operator,
    value,
  } = record(typeof rule === 'string' ? parsed(rule) : rule)
  if (Array.isArray(rules)) {
    const words = rules.map((one) => (record(one).rules === undefined ? ruleText(one) : `(${ruleText(one)})`))
    return `${not === true ? 'not ' : ''}${words.join(` ${text(combinator)} `)}` || 'anything'
  }
  const shown = typeof value === 'object' && value !== null ? JSON.stringify(value) : text(value)
  return [text(field).replace(/^custom:/, ''), text(operator), shown].filter((part) => part !== '').join(' ')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return { field: json }
  }
}

const template = (node: FlowNode) => text(record(node.template).id)
const names = (act: string, tags: unknown) =>
  Array.isArray(tags) && tags.length > 0 ? [`${act} ${tags.join(', ')}`] : []
