import { countText, numberText } from '../../../lib/format.ts'
import type { AutomationPublishPreview } from '../../../lib/site-types.ts'
import { list, record, text } from '../flow-node.ts'
import { signalText } from '../node-words.ts'
import type { NameOf } from '../rule-words.ts'
import type { Definition } from './edit-flow.ts'
import { enterText } from './enter-words.ts'

type Node = AutomationPublishPreview['nodes'][number]
/** How two definitions differ, as publishing and the history of a draft tell it. */
type Differing = { parts: readonly string[]; nodes: readonly Pick<Node, 'node' | 'change' | 'fields'>[] }

const PARTS: Readonly<Record<string, string>> = {
  class: 'The kind of mail it sends has changed.',
  defaultZone: 'The zone of people who have none has changed.',
  sender: 'The sender has changed.',
  enter: 'How people come in has changed.',
  exit: 'Who leaves it has changed.',
  goal: 'The goal has changed.',
  start: 'It begins with another step.',
}
const FIELDS: Readonly<Record<string, string>> = {
  days: 'how long',
  hours: 'how long',
  minutes: 'how long',
  weeks: 'how long',
  months: 'how long',
  subject: 'the subject',
  body: 'the words of the mail',
  template: 'the template',
  notLaterThan: 'how late it may be',
  add: 'the tags to add',
  remove: 'the tags to remove',
  set: 'what is set',
  event: 'the event',
  data: 'its properties',
  endpoint: 'the endpoint',
  automation: 'the automation',
  message: 'the message',
  members: 'who is told',
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

/** What steps do now, and what they did; one that is no more is told as it was by either. */
type Names = { now: (node: string) => string; was?: (node: string) => string }

/** How a draft differs from the version in force, or from what it was, a sentence each. */
export function changesText({ parts, nodes }: Differing, names: Names): string[] {
  const changed = nodes.filter(({ change }) => change !== 'same')
  return [
    ...parts.map((part) => PARTS[part] ?? `${part} has changed.`),
    ...changed.map((node) => nodeChange(node, names)),
  ]
}

/** What a definition does beside its steps: who comes in, who leaves it, and what it is for. */
export function firstText(definition: Definition, referenceName: NameOf): { comesIn: string; goesOut: string[] } {
  const exits = list(definition.exit).map((signal) => signalText(signal, referenceName))
  const goal = text(record(definition.goal).event)
  return {
    comesIn: `People come in: ${enterText(definition.enter, referenceName)}.`,
    goesOut: [
      ...(exits.length === 0 ? [] : [`Leaves it at: ${exits.join(' or ')}.`]),
      ...(goal === '' ? [] : [`Its goal: ${goal}.`]),
    ],
  }
}

function nodeChange({ node, change, fields }: Differing['nodes'][number], { now, was }: Names): string {
  if (change === 'added') return `New: ${now(node)}.`
  if (change === 'removed') return `Removed: ${now(node)}.`
  const parts = [...new Set(fields.map((field) => FIELDS[field] ?? field))].join(', ')
  const before = was?.(node)
  return before === undefined || before === now(node)
    ? `Changed: ${now(node)} (${parts}).`
    : `Changed: ${now(node)}, before ${before} (${parts}).`
}

const FATES = { leaves: 'Leave', stays: 'Stay in their version', homeless: 'Have no step any more' } as const

export function fateText(fate: Node['fate'], to: string | null): string {
  if (fate === null) return ''
  if (fate === 'keeps') return 'Go on at the same step'
  return fate === 'moves' ? `Go on at ${to ?? 'the end'}` : FATES[fate]
}

type Day = AutomationPublishPreview['nextDay']

/** What the next 24 hours hold, as it stands and once it is published. */
export function dayText({ timersBefore, timersAfter, mailsBefore, mailsAfter, isEstimate }: Day): string {
  const about = isEstimate ? 'About ' : ''
  const isOne = mailsAfter.atLeast === 1 && mailsAfter.atMost === 1
  const mails = `${about}${numbersText(mailsAfter)} ${isOne ? 'mail' : 'mails'} to those inside within the next 24 hours`
  const waits = countText(timersAfter, 'wait')
  const isOpen = mailsAfter.atLeast !== mailsAfter.atMost
  const why = isOpen
    ? ' How many mails depends on the ways that people go and on when their waits end; fewer where somebody leaves.'
    : ''
  if (timersBefore === timersAfter && numbersText(mailsBefore) === numbersText(mailsAfter)) {
    if (timersAfter === 0 && mailsAfter.atMost === 0)
      return 'For those inside no mail goes out and no wait ends in the next 24 hours, as it is now.'
    return `${mails}, and ${waits} will end, the same as it is now.${why}`
  }
  return `${mails}, instead of ${numbersText(mailsBefore)}; ${waits} will end, instead of ${timersBefore}.${why}`
}

/** `4`, `0 to 11`, or `2 or more` where there is no bound. */
function numbersText({ atLeast, atMost }: Day['mailsAfter']): string {
  if (atMost === null) return `${numberText(atLeast)} or more`
  return atLeast === atMost ? numberText(atMost) : `${numberText(atLeast)} to ${numberText(atMost)}`
}
