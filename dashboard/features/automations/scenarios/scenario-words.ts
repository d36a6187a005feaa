import { dateTimeText } from '../../../lib/format.ts'
import { text } from '../flow-node.ts'
import { durationText, signalText } from '../node-words.ts'
import type { NameOf } from '../rule-words.ts'
import { ENDS, type Entry, expectedOf, givenOf, kindOf, REFUSALS, type Scenario } from './scenario.ts'

export type ScenarioNames = { step: (node: string) => string; reference?: NameOf }

/** What happens to somebody, in the order in which it is written: `cart.updated at once`, `order.paid after 90 minutes`. */
export function givenLines(scenario: Scenario, names: ScenarioNames): string[] {
  const said = givenOf(scenario).map((entry) => `${happensText(entry, names)} ${momentText(text(entry.at) || 'PT0S')}`)
  return said.length > 0 ? said : ['Nothing']
}

/** What is to come of it, and when, where a moment is asked for. */
export function expectedLines(scenario: Scenario, { step }: ScenarioNames): string[] {
  const said = expectedOf(scenario).map((entry) => {
    const kind = kindOf(entry)
    const what = comesText(kind, text(entry[kind]), step)
    return entry.at === undefined ? what : `${what} ${momentText(text(entry.at))}`
  })
  return said.length > 0 ? said : ['Nothing: no mail and no tag, and they do not finish']
}

/** Something that came of it, or was to come: `Gets the tag warm`. */
export function comesText(kind: string, what: string, step: (node: string) => string): string {
  switch (kind) {
    case 'mail':
      return step(what)
    case 'tag':
      return `Gets the tag ${what}`
    case 'untag':
      return `Loses the tag ${what}`
    case 'end':
      return `Finishes ${ENDS.find(({ value }) => value === what)?.label ?? what}`
    case 'refused':
      return `Does not come in ${REFUSALS.find(({ value }) => value === what)?.label ?? what}`
    default:
      return `${kind} ${what}`
  }
}

function happensText(entry: Entry, { step, reference }: ScenarioNames): string {
  const kind = kindOf(entry)
  const what = text(entry[kind])
  switch (kind) {
    case 'tag':
      return `Gets the tag ${what}`
    case 'untag':
      return `Loses the tag ${what}`
    case 'click':
      return `Clicks in “${step(what)}”`
    case 'unsubscribe':
      return what === 'everything' ? 'Unsubscribes from everything' : 'Unsubscribes from this automation'
    case 'segment':
      return signalText(entry, reference)
    case 'enroll':
      return 'Is put in by hand'
    case 'mailed':
      return `Gets “${what}”`
    default:
      return what || 'An event without a name'
  }
}

const NONE = /^P(?=.)(?:0[MWD])*(?:T(?:0[HMS])*)?$/

/** `after 90 minutes`, `2 days before`, or the moment itself in the reader's zone. */
export function momentText(at: string): string {
  const span = at.replace(/^-/, '')
  if (!span.startsWith('P')) return Number.isNaN(Date.parse(at)) ? at : `on ${dateTimeText(at)}`
  if (NONE.test(span)) return 'right away'
  return span === at ? `after ${durationText(span)}` : `${durationText(span)} before`
}
