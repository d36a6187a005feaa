import { sentence } from '../../../lib/sentence.ts'
import { record, text } from '../flow-node.ts'
import { kindText } from '../node-words.ts'
import { fieldText } from '../rule-words.ts'
import { type Definition, nodesOf } from './edit-flow.ts'
import { faultyPart, lostMailText, type PlacedFault } from './fault-places.ts'
import { ENTER_KEY, stepKey } from './outline-rows.ts'
import { whichText } from './step-name.ts'

/** `Mail (2 of 3): Still needs a subject.`: a fault with where it stands, for lists of them. */
export function placedText(fault: PlacedFault, definition: Definition): string {
  return `${placeText(fault, definition)}: ${faultText(fault, faultyPart(definition, fault))}`
}

/** The kind of the step, and which of several that say the same; else the part as its form names it. */
function placeText({ key, pointer }: PlacedFault, definition: Definition): string {
  const [id, node] = Object.entries(nodesOf(definition)).find(([id]) => stepKey(id) === key) ?? []
  if (id !== undefined) return `${kindText({ ...node, type: text(node?.type) })}${whichText(definition, id)}`
  const [, part, at] = /^\/(exit|enter\/on|goal)(?:\/(\d+))?/.exec(pointer) ?? []
  if (part === 'goal') return 'Goal'
  if (part === 'exit') return `Exit ${Number(at) + 1}`
  if (part !== undefined && Number(at) > 0) return `Way in ${Number(at) + 1}`
  return key === ENTER_KEY ? 'People come in' : 'Exits, goal, sender'
}

/** `Still needs a subject`, `Part must be at least 0`: a fault in a sentence, with its field as the form names it. */
export function faultText(fault: PlacedFault, about: unknown): string {
  const missing = missingText(fault, about)
  if (missing !== undefined) return `Still needs ${missing}.`
  const { pointer, detail } = fault
  return lostMailText(detail) ?? sentence(pointer === '' ? `it ${detail}` : `${labelOf(pointer, about)} ${detail}`)
}

/** What is still to be chosen or written; undefined where something is there, and is wrong. */
export function missingText({ pointer, detail }: PlacedFault, about: unknown): string | undefined {
  if (!MISSING.test(detail)) return undefined
  const rule = ruleAt(pointer, about)
  if (rule !== undefined && pointer.endsWith('/value')) return VALUES[rule] ?? `a value for ${fieldText(rule)}`
  const name = nameOf(pointer)
  if (name === 'set') return record(about).type === 'set' ? 'a variable' : 'a custom field'
  if (pointer === '') return record(about).type === 'tag' ? 'a tag to add or to remove' : 'a time'
  return THINGS[name]?.[1]
}

const MISSING = /^must (not be blank|be chosen$|have a |have tags |say how long it waits|say for how long)/
const VALUES: Readonly<Record<string, string>> = { tag: 'a tag', segment: 'a segment', clicked: 'a mail' }

/** Fields by their names in a definition: as forms label them, and what is missing while they are empty. */
const THINGS: Readonly<Record<string, readonly [string, string]>> = {
  subject: ['Subject', 'a subject'],
  body: ['The text of the mail', 'a text'],
  template: ['Mail', 'a template'],
  notLaterThan: ['“Late is more than”', 'a time after which it is late'],
  message: ['Message', 'a message'],
  members: ['“Members to tell”', 'a member to tell'],
  event: ['Event', 'an event'],
  segment: ['Segment', 'a segment'],
  date: ['The date', 'a date'],
  timeout: ['“At most”', 'how long to wait at most'],
  endpoint: ['Endpoint', 'an endpoint'],
  automation: ['Automation', 'an automation'],
  add: ['“Tags to add”', 'a tag to add'],
  remove: ['“Tags to remove”', 'a tag to remove'],
  weight: ['Its part', 'a part'],
  ways: ['The parts', 'a way'],
  at: ['Time of day', 'a time of day'],
  on: ['“Ends only on”', 'a day'],
  gap: ['“Not within”', 'a time'],
  key: ['“Each of these by itself”', 'a property'],
  holdout: ['“Held out”', 'a part'],
  within: ['“Counted within”', 'a time'],
  sender: ['“Sent by”', 'a sender'],
  defaultZone: ['“Zone of people who have none”', 'a time zone'],
  name: ['Name', 'a name'],
  property: ['Its property', 'a property'],
  field: ['The field of a rule', 'a field to ask for'],
  rules: ['The rule', 'a rule'],
}

function labelOf(pointer: string, about: unknown): string {
  const rule = ruleAt(pointer, about)
  if (rule !== undefined && pointer.endsWith('/value')) {
    return `the value of “${VALUES[rule]?.replace(/^a /, '') ?? fieldText(rule)}”`
  }
  const name = nameOf(pointer)
  return THINGS[name]?.[0] ?? name
}

/** The last part of a pointer that is a name: `/ways/0/if` is the rule of a way. */
function nameOf(pointer: string): string {
  const parts = pointer.split('/').filter((part) => part !== '' && !/^\d+$/.test(part))
  const name = parts.at(-1) ?? 'it'
  return name === 'id' ? (parts.at(-2) ?? name) : name
}

/** The field of the rule that a pointer leads into. */
function ruleAt(pointer: string, about: unknown): string | undefined {
  const [, inside] = /^(.*\/rules\/\d+)\/[^/]*$/.exec(pointer) ?? []
  if (inside === undefined) return undefined
  let part = about
  for (const name of inside.split('/').slice(1)) part = Array.isArray(part) ? part[Number(name)] : record(part)[name]
  return text(record(part).field)
}
