import type { Definition } from '../definition/definition.ts'
import type { ENDS, REFUSALS } from './scenario.ts'
import type { ScenarioResult } from './schemas.ts'

type Line = ScenarioResult['lines'][number]
type Nodes = Definition['nodes']

const SAID_MAX = 3

/** Things that a scenario fails by, for whoever reads them in a dialog: `“Is reminded”: gets the mail “Still there?” (did not happen)`. */
export function failedText({ name, fault, lines }: ScenarioResult, { nodes }: Definition): string {
  if (fault !== null) return `“${name}” cannot be run: ${fault}`
  const wrong = lines.filter(({ outcome }) => outcome !== 'met')
  const said = wrong.slice(0, SAID_MAX).map((line) => `${whatText(line, nodes)} (${WORDS[line.outcome]})`)
  const more = wrong.length > SAID_MAX ? `; and ${wrong.length - SAID_MAX} more` : ''
  return `“${name}”: ${said.join('; ')}${more}`
}

const WORDS: Record<Line['outcome'], string> = {
  met: 'as expected',
  other_time: 'at another time',
  missing: 'did not happen',
  unexpected: 'not expected',
}

function whatText({ kind, what }: Line, nodes: Nodes): string {
  switch (kind) {
    case 'mail':
      return `gets ${mailText(nodes, what)}`
    case 'tag':
      return `gets the tag ${what}`
    case 'untag':
      return `loses the tag ${what}`
    case 'end':
      return `finishes ${ENDED[what as (typeof ENDS)[number]]}`
    case 'refused':
      return `does not come in ${REFUSED[what as (typeof REFUSALS)[number]]}`
  }
}

/** A mail by its subject; by its step too where that does not tell it from others. */
function mailText(nodes: Nodes, id: string): string {
  const subject = subjectOf(nodes, id)
  if (subject === undefined) return `the mail of the step ${id}`
  const isAlone = Object.keys(nodes).every((other) => other === id || subjectOf(nodes, other) !== subject)
  return `the mail “${subject}”${isAlone ? '' : ` of the step ${id}`}`
}

function subjectOf(nodes: Nodes, id: string): string | undefined {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined
  return node?.type === 'email' && 'subject' in node.content ? node.content.subject : undefined
}

const ENDED: Record<(typeof ENDS)[number], string> = {
  completed: 'after the last step',
  goal: 'by reaching the goal',
  criterion: 'early, by an exit',
  unsubscribed: 'by unsubscribing',
  restart: 'because they start again',
  loop: 'because of too many steps',
  held_out: 'without mail, in the holdout group',
}
const REFUSED: Record<(typeof REFUSALS)[number], string> = {
  filter: 'because the event does not match the filter',
  rule: 'because the entry rule does not hold',
  mode: 'because they had been in it',
  key: 'because its key is too long',
  limit: 'because they are in it too often',
}
