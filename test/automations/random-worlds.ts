import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { type Definition, END } from '../../server/modules/automations/definition/definition.ts'
import { INSIDE, isPlace, type Moving } from '../../server/modules/automations/definition/places.ts'
import type { Happening } from '../../server/modules/automations/run/model/follow.ts'
import type { Data, Effect, Facts, Micros } from '../../server/modules/automations/run/model/model-run.ts'
import { DAYS, definitionJson, EVENT_NAMES, GRID_MINUTES, soundDefinition, TAGS } from './random-definitions.ts'

/** A contact, and what they do. `tags` are those at the beginning. */
export type Person = {
  id: number
  zone: string | null
  tags: readonly string[]
  /** A custom field. */
  day: string | null
  isSuppressed: boolean
  happenings: Happening[]
}

/** The clocks of Berlin go back on 26 October 2025, those of Lord Howe and New York about then. */
export const BEGIN: Micros = Date.UTC(2025, 9, 24) * 1_000
export const GRID_MICROS = GRID_MINUTES * 60_000_000
const HALF_HOURS = 48 * 4
export const UNTIL: Micros = BEGIN + 9 * 48 * GRID_MICROS
const ZONES = [null, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo']

const happening = fc.record({
  slot: fc.nat({ max: HALF_HOURS }),
  name: fc.constantFrom(...EVENT_NAMES),
  proof: fc.constantFrom(null, null, null, 'claimed' as const, 'signed' as const),
  data: fc.record(
    { k: fc.constantFrom('x', 'y'), v: fc.integer({ min: 0, max: 3 }), d: fc.constantFrom(...DAYS) },
    { requiredKeys: [] },
  ),
})
/** Of the system: whoever wants no more of anything, or of something else. */
const farewell = fc.record({
  slot: fc.nat({ max: HALF_HOURS }),
  name: fc.constant('email.unsubscribed'),
  proof: fc.constant(null),
  data: fc.record({ sendingSource: fc.constantFrom('everything', 'automations', 'automation:0') }),
})
const person = fc.record({
  zone: fc.constantFrom(...ZONES),
  tags: fc.subarray([...TAGS]),
  day: fc.constantFrom(null, 'never', ...DAYS),
  isSuppressed: fc.constantFrom(false, false, false, true),
  happenings: fc.array(fc.oneof({ weight: 12, arbitrary: happening }, farewell), { minLength: 1, maxLength: 14 }),
})

/** People by id, each with happenings in the order of the log: positions are of the whole world. */
export const people: fc.Arbitrary<Person[]> = fc.array(person, { minLength: 1, maxLength: 4 }).map((drafts) => {
  const all = drafts.flatMap(({ happenings }, owner) => happenings.map((one) => ({ ...one, owner })))
  all.sort((one, other) => one.slot - other.slot)
  const placed = all.map(({ slot, name, data, proof, owner }, n) => ({
    ...{ owner, at: BEGIN + slot * GRID_MICROS, position: n + 1, name, data, proof, depth: 0 },
  }))
  return drafts.map(({ zone, tags, day, isSuppressed }, owner) => ({
    ...{ id: owner + 1, zone, tags, day, isSuppressed },
    happenings: placed.filter((one) => one.owner === owner).map(({ owner: _, ...one }) => one),
  }))
})

/** A version that is published while people are inside. */
export type Publishing = { at: Micros; json: object; definition: Definition; moving: Moving }

const NODES = ['n0', 'n1', 'n2', 'n3', 'n4']
const publishing = fc.record({
  slot: fc.nat({ max: HALF_HOURS }),
  json: definitionJson,
  inside: fc.constantFrom(...INSIDE, 'move' as const),
  map: fc.dictionary(fc.constantFrom(...NODES), fc.constantFrom('exit', END, 'n0', 'n1', 'n2'), { maxKeys: 3 }),
  nodes: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.subarray(NODES)),
})

/** What is published of an automation later on, in order. */
export const publishings: fc.Arbitrary<Publishing[]> = fc.array(publishing, { maxLength: 2 }).map((all) =>
  all
    .sort((one, other) => one.slot - other.slot)
    .map(({ slot, json, inside, map, nodes }) => {
      const definition = soundDefinition(json)
      const places = Object.fromEntries(Object.entries(map).filter(([, place]) => isPlace(definition, place)))
      return { at: BEGIN + slot * GRID_MICROS, json, definition, moving: { inside, map: places, nodes } }
    }),
)

/** Past triggers that go through the entry once everything of a moment is done: those since `from`. */
export type Backfilling = { at: Micros; from: Micros; asOf: 'now' | 'then' }

export const backfillings: fc.Arbitrary<Backfilling[]> = fc
  .uniqueArray(
    fc.record({
      slot: fc.nat({ max: HALF_HOURS }),
      ago: fc.nat({ max: HALF_HOURS }),
      asOf: fc.constantFrom('now', 'then'),
    }),
    { maxLength: 2, selector: ({ slot }) => slot },
  )
  .map((all) =>
    all
      .sort((one, other) => one.slot - other.slot)
      .map(({ slot, ago, asOf }) => {
        const at = BEGIN + slot * GRID_MICROS
        return { at, from: at - ago * GRID_MICROS, asOf }
      }),
  )

/** A pause after which everything that became due is done at once. Nothing of it is planned for within. */
export type Pause = { from: Micros; until: Micros }

export const pauses: fc.Arbitrary<Pause | null> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  fc.tuple(fc.nat({ max: HALF_HOURS - 1 }), fc.integer({ min: 1, max: 60 })).map(([slot, length]) => {
    const from = BEGIN + slot * GRID_MICROS
    return { from, until: from + length * GRID_MICROS }
  }),
)

export const isIn = (pause: Pause | null, at: Micros) => pause !== null && at >= pause.from && at <= pause.until

/** Somebody who is erased once everything of a moment is done, by their place among the people; they do nothing more. */
export type Erasure = { at: Micros; place: number }

export const erasures: fc.Arbitrary<Erasure[]> = fc
  .uniqueArray(fc.record({ slot: fc.nat({ max: HALF_HOURS }), place: fc.nat({ max: 7 }) }), {
    maxLength: 2,
    selector: ({ place }) => place,
  })
  .map((all) => all.map(({ slot, place }) => ({ at: BEGIN + slot * GRID_MICROS, place })))

/** When those who wait for what no event tells are asked. */
export const checkings: fc.Arbitrary<Micros[]> = fc
  .uniqueArray(fc.nat({ max: HALF_HOURS }), { minLength: 2, maxLength: 3 })
  .map((slots) => slots.map((slot) => BEGIN + slot * GRID_MICROS))

/** All that holds of a person whose tags only the automation changes: `done` is what it has brought about before. */
export function factsOf({ id, zone, tags, day, isSuppressed }: Person, done: readonly Effect[] = []): Facts {
  return {
    zone: zone ?? undefined,
    belongs: (group, { effects }) => {
      const has = new Set(tags)
      for (const effect of [...done, ...effects]) {
        if (effect.kind !== 'tag') continue
        for (const name of effect.add) has.add(name)
        for (const name of effect.remove) has.delete(name)
      }
      return groupHolds(group, has)
    },
    clicked: () => false,
    fieldOf: (key, { effects }) => {
      const set = [...done, ...effects].findLast((effect) => effect.kind === 'field' && key in effect.set)
      return set?.kind === 'field' ? set.set[key] : key === 'day' ? day : undefined
    },
    passes: (where, data) => where.every((test) => passes(test, data)),
    bucket: (of) => createHash('sha256').update(`${id}/${of}`).digest().readUInt32BE() % 10_000,
    refusal: () => (isSuppressed ? 'suppressed' : undefined),
  }
}

type Group = Parameters<Facts['belongs']>[0]

function groupHolds({ combinator, not, rules }: Group, has: ReadonlySet<string>): boolean {
  const holds = (one: Group['rules'][number]): boolean =>
    'rules' in one ? groupHolds(one, has) : has.has(String(one.value)) === (one.operator === 'has')
  const joined = rules.length === 0 || (combinator === 'or' ? rules.some(holds) : rules.every(holds))
  return not === true ? !joined : joined
}

function passes(
  { property, operator, value }: { property: string; operator: string; value?: unknown },
  data: Data,
): boolean {
  const held = data[property]
  if (typeof held !== 'number') return false
  return operator === '>=' ? held >= Number(value) : held === Number(value)
}
