import { countText } from '../../../lib/format.ts'
import type { AutomationPublishPreview } from '../../../lib/site-types.ts'

type Node = AutomationPublishPreview['nodes'][number]

const PARTS: Readonly<Record<string, string>> = {
  class: 'What kind of mail it sends is other.',
  defaultZone: 'The zone of people who have none is other.',
  sender: 'The sender is other.',
  enter: 'How people come in is other.',
  exit: 'Who leaves it is other.',
  goal: 'The goal is other.',
  start: 'It begins with another step.',
}
const FIELDS: Readonly<Record<string, string>> = {
  to: 'what follows',
  else: 'what follows for everybody else',
  late: 'what follows when nothing came',
  skipped: 'what follows for who is not mailed',
  for: 'the events',
  ways: 'the ways',
  timeout: 'the longest wait',
  at: 'the time of day',
  on: 'the weekdays',
}

/** How a draft differs from the version in force, a sentence each. */
export function changesText({ parts, nodes }: AutomationPublishPreview, nameOf: (node: string) => string): string[] {
  const changed = nodes.filter(({ change }) => change !== 'same')
  return [
    ...parts.map((part) => PARTS[part] ?? `${part} is other.`),
    ...changed.map((node) => nodeChange(node, nameOf)),
  ]
}

function nodeChange({ node, change, fields }: Node, nameOf: (node: string) => string): string {
  if (change === 'added') return `New: ${nameOf(node)}.`
  if (change === 'removed') return `Removed: ${nameOf(node)}.`
  return `Changed: ${nameOf(node)} (${fields.map((field) => FIELDS[field] ?? field).join(', ')}).`
}

const FATES = { leaves: 'Leave', stays: 'Stay in their version', homeless: 'Have no step any more' } as const

export function fateText(fate: Node['fate'], to: string | null): string {
  if (fate === null) return ''
  if (fate === 'keeps') return 'Go on at the same step'
  return fate === 'moves' ? `Go on at ${to ?? 'the end'}` : FATES[fate]
}

/** What the next 24 hours hold, as it stands and once it is published. */
export function dayText(day: AutomationPublishPreview['nextDay']): string {
  const { timersBefore, timersAfter, mailsBefore, mailsAfter, isEstimate } = day
  const about = isEstimate ? 'About ' : ''
  return (
    `${about}${countText(mailsAfter, 'mail')} within the next 24 hours, instead of ${mailsBefore}; ` +
    `${countText(timersAfter, 'wait')} will end, instead of ${timersBefore}.`
  )
}
