import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Definition, Node } from '../../server/modules/automations/definition/definition.ts'
import { readDefinition } from '../../server/modules/automations/definition/read-definition.ts'
import { ofSegment } from '../../server/modules/automations/definition/watched-segments.ts'

/*
 * Random automations that are sound: every way leads on or back through a rest, every node is reached. Few names and round
 * times, so that things meet: an event at the very end of a wait, two of one moment, an exit that is a goal.
 */

export const EVENT_NAMES = ['one', 'two', 'three'] as const
export const TAGS = ['red', 'green', 'blue'] as const
/** A tag that cannot be given to those who are cursed. */
export const CURSED_TAG = 'black'
/** An event that cannot be recorded of them, and an endpoint that cannot be called for them. */
export const CURSED_EVENT = 'cursed'
export const CURSED_ENDPOINT = '13'
/** Whether a node does something of it. */
export const isCursed = (node: Node) =>
  (node.type === 'tag' && node.add.includes(CURSED_TAG)) ||
  (node.type === 'emit' && node.event === CURSED_EVENT) ||
  (node.type === 'webhook' && node.endpoint === CURSED_ENDPOINT)
/** Segments of every workspace, by tags alone. */
export const SEGMENT_IDS = ['1', '2'] as const
/** Values of the custom field `day` and of events' property `d`, in the days in which everything happens, and one before. */
export const DAYS = ['2025-10-23', '2025-10-25', '2025-10-26T01:30:00Z', '1999-10-27', '2025-10-28T09:00'] as const
/** Stands for the automation of a world in its steps: it has its people come in once more, or leave. */
export const ITSELF = '999999999999'
/** Values of the custom field `level`. */
export const LEVELS = [1, 2, 3] as const
/** Was a member, and is none any more: nobody is told. */
export const STRANGER = 'left@example.com'
/** Everything happens at whole multiples of it. */
export const GRID_MINUTES = 30

type Json = Record<string, unknown>
/** `atOnce`: ways of a rest that somebody may take without resting. */
type Draft = { node: Json; ways: readonly string[]; rests: boolean; atOnce: readonly string[] }

const eventName = fc.constantFrom(...EVENT_NAMES)
const filters = fc
  .record({ property: fc.constant('v'), operator: fc.constantFrom('>=', '='), value: fc.integer({ min: 0, max: 3 }) })
  .map((one) => [one])
const where = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, filters)
/** Triggers have few filters: whoever does not come in shows nothing of what happens to those who do. */
const whereOfTrigger = fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, filters)
const match = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.constant({ k: 'k' }))
const minProof = fc.constantFrom(undefined, undefined, undefined, 'confirmed')
const listening = fc
  .record({ event: eventName, where, match, minProof })
  .map(({ minProof: least, ...one }) => (least === undefined ? one : { ...one, minProof: least }))
const tag = fc.constantFrom(...TAGS)
const trigger = fc
  .record({
    event: eventName,
    where: whereOfTrigger,
    minProof: fc.constantFrom(...[undefined, undefined, undefined], 'claimed', 'signed'),
  })
  .map(({ minProof: least, ...one }) => (least === undefined ? one : { ...one, minProof: least }))
/** Events that automations bring about besides those of a step's own words: loops of them come to an end by their depth. */
const tagging = fc.record({
  event: fc.constantFrom('contact.tagged', 'contact.untagged'),
  where: tag.map((value) => [{ property: 'tag', operator: '=', value }]),
})
const broughtAbout = fc.oneof(
  tagging,
  fc.record({ event: fc.constantFrom('automation.completed', 'automation.entered'), where: fc.constant([]) }),
)
/** Comings and goings of a segment. */
const moving = fc.tuple(fc.constantFrom('segment.entered', 'segment.left'), fc.constantFrom(...SEGMENT_IDS))
const bringing = moving.map(([event, id]) => ({ event, where: ofSegment(id) }))
const heard = fc.oneof(
  { weight: 8, arbitrary: listening },
  { weight: 1, arbitrary: bringing.map((one) => ({ ...one, match: {} })) },
  { weight: 1, arbitrary: tagging.map((one) => ({ ...one, match: {} })) },
)

const tagRule = fc.oneof(
  { weight: 2, arbitrary: tag.map((value) => ({ field: 'tag', operator: 'has', value })) },
  { weight: 2, arbitrary: tag.map((value) => ({ field: 'tag', operator: 'doesNotHave', value })) },
  {
    weight: 1,
    arbitrary: fc.record({
      field: fc.constant('custom:level'),
      operator: fc.constantFrom('>=', '='),
      value: fc.constantFrom(...LEVELS),
    }),
  },
)
const rule = fc.oneof(
  { weight: 2, arbitrary: tagRule },
  fc.record({
    field: fc.constantFrom('event.v', 'var.v', 'var.w'),
    operator: fc.constantFrom('>=', '='),
    value: fc.integer({ min: 0, max: 3 }),
  }),
)
/** A rule group about tags and a custom field, as segments of the worlds have it. */
export const tagRules = fc.record({
  combinator: fc.constantFrom('and', 'or'),
  not: fc.boolean(),
  rules: fc.array(tagRule, { minLength: 1, maxLength: 2 }),
})
const rules = fc.record({
  combinator: fc.constantFrom('and', 'or'),
  not: fc.boolean(),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
})

const dated = fc.record(
  {
    date: fc.constantFrom('day', 'event.d', 'var.d'),
    repeat: fc.constantFrom('once', 'yearly'),
    days: fc.integer({ min: -1, max: 1 }),
    hours: fc.integer({ min: -2, max: 2 }),
    at: fc.constantFrom('02:30', '09:00'),
  },
  { requiredKeys: ['date'] },
)
const waited = fc.oneof(
  { weight: 4, arbitrary: heard },
  { weight: 2, arbitrary: listening.map((one) => ({ ...one, set: { w: 'v', d: 'd' } })) },
  { weight: 2, arbitrary: rules.map((group) => ({ if: group })) },
  { weight: 2, arbitrary: dated },
)

const minutes = fc.integer({ min: 1, max: 12 }).map((n) => n * GRID_MINUTES)
const delay = fc.oneof(
  { weight: 1, arbitrary: minutes.map((n) => ({ minutes: n })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map((days) => ({ days })) },
  { weight: 1, arbitrary: fc.constant({ months: 1 }) },
  { weight: 6, arbitrary: fc.record({ days: fc.integer({ min: 1, max: 2 }), at: fc.constantFrom('02:30', '09:00') }) },
  {
    weight: 1,
    arbitrary: fc.record({ days: fc.constant(1), on: fc.subarray(['mon', 'wed', 'sun'], { minLength: 1 }) }),
  },
)
const timeout = fc.oneof(
  minutes.map((n) => `PT${n}M`),
  fc.integer({ min: 1, max: 3 }).map((n) => `P${n}D`),
)

const drafts: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 4, arbitrary: delay.map((one) => draft({ type: 'delay', ...one }, { rests: true })) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.array(waited, { minLength: 1, maxLength: 3 }), timeout).map(([ways, after]) =>
      draft(
        { type: 'wait', for: ways, timeout: after },
        {
          ways: [...ways.map((_, n) => `for/${n}/to`), 'late'],
          rests: true,
          atOnce: ways.flatMap((way, n) => ('event' in way ? [] : [`for/${n}/to`])),
        },
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(rules, { minLength: 1, maxLength: 2 })
      .map((ifs) =>
        draft(
          { type: 'branch', ways: ifs.map((one) => ({ if: one })) },
          { ways: [...ifs.map((_, n) => `ways/${n}/to`), 'else'] },
        ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 0, max: 10_000 })
      .map((weight) =>
        draft({ type: 'split', ways: [{ weight }, { weight: 10_000 - weight }] }, { ways: ['ways/0/to', 'ways/1/to'] }),
      ),
  },
  { weight: 2, arbitrary: tag.map((name) => draft({ type: 'tag', add: [name] })) },
  { weight: 1, arbitrary: tag.map((name) => draft({ type: 'tag', remove: [name] })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ...[
          { type: 'tag', add: [CURSED_TAG] },
          { type: 'emit', event: CURSED_EVENT },
        ],
        { type: 'webhook', endpoint: CURSED_ENDPOINT },
      )
      .map((node) => draft(node)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...DAYS).map((day) => draft({ type: 'field', set: { day } })) },
  { weight: 1, arbitrary: fc.constantFrom(null, ...LEVELS).map((level) => draft({ type: 'field', set: { level } })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(eventName, fc.constantFrom({}, { k: 'x' }, { v: 1, d: '2025-10-26T12:00:00' }, { v: 3 }))
      .map(([event, properties]) => draft({ type: 'emit', event, properties })),
  },
  { weight: 1, arbitrary: fc.constant(draft({ type: 'webhook', endpoint: '1', properties: { v: 1 } })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('enroll', 'enroll', 'leave').map((type) => draft({ type, automation: ITSELF })),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(null, 'PT1H').map((notLaterThan) =>
      draft(
        {
          type: 'email',
          subject: 'Hello',
          body: '<p>{{ unsubscribe_url }}</p>',
          ...(notLaterThan ? { notLaterThan } : {}),
        },
        { ways: ['to', 'skipped'] },
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom({}, {}, { members: [STRANGER] })
      .map((members) => draft({ type: 'notify', subject: 'Somebody', ...members })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        { v: { event: 'v' } },
        { v: 2, d: '2025-10-26T12:00:00' },
        { w: { event: 'v' }, v: null, d: { event: 'd' } },
      )
      .map((set) => draft({ type: 'set', set })),
  },
  { weight: 1, arbitrary: fc.constant(draft({ type: 'goal' })) },
  { weight: 1, arbitrary: fc.constant(draft({ type: 'end' }, { ways: [] })) },
)

function draft(node: Json, { ways = ['to'], rests = false, atOnce = [] }: Partial<Draft> = {}): Draft {
  return { node, ways, rests, atOnce }
}

/*
 * Triggers that a time brings about, at minutes at which nothing else happens: between what a person does and a date of the same
 * moment either may be first.
 */
const dateTrigger = fc.record({
  date: fc.constant('day'),
  repeat: fc.constantFrom('once', 'yearly'),
  days: fc.integer({ min: -1, max: 1 }),
  at: fc.constantFrom('02:40', '09:10'),
})
const scheduleTrigger = fc.record({
  schedule: fc.record({ at: fc.constantFrom('02:50', '08:20'), on: fc.subarray(['sat', 'sun', 'mon']) }),
  segment: fc.constantFrom(...SEGMENT_IDS),
})
const timed = fc.tuple(
  fc.oneof(fc.constant(null), dateTrigger),
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, scheduleTrigger),
)

const again = fc.oneof(
  fc.constantFrom('once', 'after_end', 'every', 'restart').map((mode) => ({ mode })),
  fc.constantFrom('PT2H', 'P1D').map((gap) => ({ mode: 'gap', gap })),
  fc.constantFrom('once', 'restart', 'every').map((mode) => ({ mode, key: 'k' })),
)

const outline = fc.record({
  drafts: fc.array(drafts, { minLength: 2, maxLength: 8 }),
  /** Where ways lead, taken one after the other. */
  leads: fc.array(fc.nat({ max: 1_000 }), { minLength: 32, maxLength: 32 }),
  on: fc.array(fc.oneof({ weight: 6, arbitrary: trigger }, { weight: 1, arbitrary: bringing }), {
    minLength: 1,
    maxLength: 2,
  }),
  if: fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, rules),
  again,
  holdout: fc.constantFrom(0, 0, 2_000),
  /** Whoever unsubscribes stays in one for service mail. */
  class: fc.constantFrom('marketing', 'marketing', 'service'),
  exit: fc.array(heard, { maxLength: 2 }),
  /** What is the goal ends runs as well, which is something else than a goal that does. */
  exitsByGoal: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  goal: fc.option(
    fc
      .tuple(listening, fc.constantFrom('PT3H', 'P7D'), fc.boolean())
      .map(([one, within, exit]) => ({ ...one, within, exit, value: 'v' })),
  ),
})

/** A definition as its author writes it. */
export const definitionJson: fc.Arbitrary<Json> = outline.map(({ drafts: nodes, leads, ...rest }) => {
  const nodesByName = Object.fromEntries(nodes.map(({ node }, n) => [`n${n}`, structuredClone(node)]))
  let used = 0
  for (const [n, { ways, rests, atOnce }] of nodes.entries()) {
    for (const way of ways) {
      const lead = leads[used++ % leads.length]!
      // To the next, so that people stay; or forwards, or to the end, from a rest anywhere.
      const [from, count] = rests && !atOnce.includes(way) ? [0, nodes.length + 1] : [n + 1, nodes.length - n]
      const target = lead % 5 < 3 ? n + 1 : from + (lead % count)
      setAt(nodesByName[`n${n}`]!, way.split('/'), target >= nodes.length ? 'end' : `n${target}`)
    }
  }
  const { on, if: condition, again: mode, holdout, class: mailClass, exitsByGoal, goal } = rest
  const { event, where: of, match: equal } = goal ?? {}
  const exit = goal && exitsByGoal ? [{ event, where: of, match: equal }, ...rest.exit] : rest.exit
  const enter = { on, again: mode, holdout, ...(condition ? { if: condition } : {}) }
  const whole = {
    format: 1,
    class: mailClass,
    defaultZone: 'Europe/Berlin',
    enter,
    exit,
    ...(goal ? { goal } : {}),
    start: 'n0',
  }
  return { ...whole, nodes: askingForClicks(onlyReached(nodesByName), leads) }
})

/** Some rules of nodes ask whether somebody has clicked in a mail, where there is one; of half of these nothing else decides. */
function askingForClicks(nodes: Record<string, Json>, leads: readonly number[]): Record<string, Json> {
  const mails = Object.keys(nodes).filter((id) => nodes[id]!.type === 'email')
  const groups = Object.values(nodes).flatMap(({ ways = [], for: waits = [] }) =>
    [...(ways as Json[]), ...(waits as Json[])].flatMap(({ if: group }) => (group ? [group as { rules: Json[] }] : [])),
  )
  for (const [n, group] of groups.entries()) {
    const lead = leads[leads.length - 1 - n]
    if (mails.length === 0 || lead === undefined || lead % 2 === 0) continue
    const operator = lead % 3 === 0 ? 'doesNotHave' : 'has'
    const clicked = { field: 'clicked', operator, value: mails[lead % mails.length]! }
    group.rules.splice(0, lead % 4 === 1 ? group.rules.length : 1, clicked)
  }
  return nodes
}

/** The same, which may also bring people in by a date of theirs, by a schedule, or by what it has brought about itself. */
export const timedDefinitionJson: fc.Arbitrary<Json> = fc
  .tuple(definitionJson, timed, fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, broughtAbout))
  .map(([json, triggers, own]) => {
    const { enter, nodes, ...rest } = json as { enter: { on: object[] }; nodes: Record<string, Json> }
    // Where each of those who come in brings two more, there is no end of them for long.
    const leads = Object.values(nodes).some(({ type }) => type === 'emit' || type === 'enroll')
    const on = [...enter.on, ...triggers, leads ? null : own].filter((one) => one !== null)
    return { ...rest, enter: { ...enter, on }, nodes }
  })

export function soundDefinition(json: Json): Definition {
  const { definition, faults } = readDefinition(json)
  assert.deepEqual(faults, [], JSON.stringify(json))
  return definition
}

function setAt(node: Json, path: string[], target: string): void {
  let place = node
  for (const key of path.slice(0, -1)) place = place[key] as Json
  place[path.at(-1)!] = target
}

function onlyReached(nodes: Record<string, Json>): Record<string, Json> {
  const reached = new Set<string>()
  const open = ['n0']
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id) || !nodes[id]) continue
    reached.add(id)
    for (const name of JSON.stringify(nodes[id]).match(/(?<=(?:to|late|else|skipped)":")n\d/g) ?? []) open.push(name)
  }
  return Object.fromEntries(Object.entries(nodes).filter(([id]) => reached.has(id)))
}
