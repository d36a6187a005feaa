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

/** Moments at which something is done to automations or people, the same in all worlds of a batch: whatever is due is done before. */
export type Moments = readonly Micros[]
const ACT_MOMENTS = 9

export const actMoments: fc.Arbitrary<Moments> = fc
  .uniqueArray(fc.nat({ max: HALF_HOURS }), { minLength: ACT_MOMENTS, maxLength: ACT_MOMENTS })
  .map((slots) => slots.sort((one, other) => one - other).map((slot) => BEGIN + slot * GRID_MICROS))

const act = fc.nat({ max: ACT_MOMENTS - 1 })
/** The place of somebody, whatever their number. */
const anyone = fc.nat({ max: 1_000 })

/** A version that is published while people are inside. */
export type Publishing = { at: Micros; json: object; definition: Definition; moving: Moving }

const NODES = ['n0', 'n1', 'n2', 'n3', 'n4']
const publishing = fc.record({
  act,
  json: definitionJson,
  inside: fc.constantFrom(...INSIDE, 'move' as const),
  map: fc.dictionary(fc.constantFrom(...NODES), fc.constantFrom('exit', END, 'n0', 'n1', 'n2'), { maxKeys: 3 }),
  nodes: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.subarray(NODES)),
})

/** Past triggers that go through the entry once everything of a moment is done: those since `from`. */
export type Backfilling = { at: Micros; from: Micros; asOf: 'now' | 'then' }
const backfilling = fc.record({ act, ago: fc.nat({ max: HALF_HOURS }), asOf: fc.constantFrom('now', 'then') })

/** A pause, and what becomes of that which was to come meanwhile. Nothing else is done to anybody within. */
export type Pause = { from: Micros; until: Micros } & Late
export type Late = { late: 'now' | 'shift' } | { late: 'drop'; dropAfter: string; dropMicros: Micros }
const late: fc.Arbitrary<Late> = fc.oneof(
  fc.constantFrom('now' as const, 'shift' as const, 'shift' as const).map((one) => ({ late: one })),
  fc
    .nat({ max: 12 })
    .map((hours) => ({ late: 'drop' as const, dropAfter: `PT${hours}H`, dropMicros: hours * 3_600_000_000 })),
)
const pause = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.nat({ max: ACT_MOMENTS - 2 }), acts: fc.integer({ min: 1, max: 2 }), late }),
  },
)

export const isIn = (paused: Pause | null, at: Micros) => paused !== null && at >= paused.from && at <= paused.until

/** Somebody, by their place among the people, who is erased, becomes part of another or has another time zone. */
export type Erasure = { at: Micros; place: number }
export type Merging = { at: Micros; survivor: number; other: number }
export type Zoning = { at: Micros; place: number; zone: string | null }

/** All that is done to an automation and to its people. */
export type Acts = {
  publishings: readonly Publishing[]
  backfillings: readonly Backfilling[]
  pause: Pause | null
  erasures: readonly Erasure[]
  mergings: readonly Merging[]
  zonings: readonly Zoning[]
}
export const NO_ACTS: Acts = { publishings: [], backfillings: [], pause: null, erasures: [], mergings: [], zonings: [] }

const acts = fc.record({
  publishings: fc.uniqueArray(publishing, { maxLength: 2, selector: (one) => one.act }),
  backfillings: fc.uniqueArray(backfilling, { maxLength: 2, selector: (one) => one.act }),
  pause,
  erasures: fc.array(fc.record({ act, place: anyone }), { maxLength: 3 }),
  mergings: fc.array(fc.record({ act, survivor: anyone, other: anyone }), { maxLength: 4 }),
  zonings: fc.array(fc.record({ act, place: anyone, zone: fc.constantFrom(...ZONES) }), { maxLength: 8 }),
})
type DrawnActs = typeof acts extends fc.Arbitrary<infer A> ? A : never

/** Worlds with one automation, so that one turn moves the people of all of them. */
export const WORLDS_AN_AUTOMATION = 8

export type Drawn = { json: object; people: readonly Person[]; acts: Acts }

/** An automation with the people of its worlds, and all that is done to them at these moments. */
export function drawn(moments: Moments): fc.Arbitrary<Drawn> {
  const casts = fc.array(people, { minLength: WORLDS_AN_AUTOMATION, maxLength: WORLDS_AN_AUTOMATION })
  return fc.tuple(definitionJson, casts, acts).map(([json, all, given]) => {
    const together = all.flat().map((person, n) => ({ ...person, id: n + 1 }))
    return { json, people: together, acts: soundActs(given, moments, together.length) }
  })
}

/** Acts by their moments, without those in a pause and those of somebody who is no more. */
function soundActs(given: DrawnActs, moments: Moments, count: number): Acts {
  const atOf = (n: number) => moments[Math.min(n, moments.length - 1)]!
  const paused: Pause | null = given.pause && {
    ...given.pause.late,
    from: atOf(given.pause.act),
    until: atOf(given.pause.act + given.pause.acts),
  }
  const timed = <T extends { act: number }>(all: readonly T[]) =>
    all
      .map((one) => ({ ...one, at: atOf(one.act) }))
      .filter(({ at }) => !isIn(paused, at))
      .sort((one, other) => one.at - other.at)
  const [gone, merged] = [new Map<number, Micros>(), new Set<number>()]
  const mergings = timed(given.mergings).flatMap(({ at, ...one }): Merging[] => {
    const [survivor, other] = [one.survivor % count, one.other % count]
    if (survivor === other || gone.has(survivor) || gone.has(other)) return []
    gone.set(other, at)
    merged.add(survivor)
    return [{ at, survivor, other }]
  })
  const erasures = timed(given.erasures).flatMap(({ at, place: drawnPlace }): Erasure[] => {
    const place = drawnPlace % count
    if (gone.has(place) || merged.has(place)) return []
    gone.set(place, at)
    return [{ at, place }]
  })
  const zonings = timed(given.zonings)
    .map(({ at, place, zone }) => ({ at, place: place % count, zone }))
    .filter(({ at, place }) => at < (gone.get(place) ?? Number.POSITIVE_INFINITY))
    .filter((one, n, all) => all.findIndex(({ at, place }) => at === one.at && place === one.place) === n)
  const publishings = timed(given.publishings).map(({ at, json, inside, map, nodes }) => {
    const definition = soundDefinition(json)
    const places = Object.fromEntries(Object.entries(map).filter(([, place]) => isPlace(definition, place)))
    return { at, json, definition, moving: { inside, map: places, nodes } }
  })
  const backfillings = timed(given.backfillings).map(({ at, ago, asOf }) => ({
    at,
    asOf,
    from: at - ago * GRID_MICROS,
  }))
  return { publishings, backfillings, pause: paused, erasures, mergings, zonings }
}

/** Whose an event is that somebody's deeds at a moment make: of whoever they have become part of by then; nobody's after an erasure. */
export function placeAt({ erasures, mergings }: Acts, place: number, at: Micros): number | undefined {
  let whose = place
  for (const one of mergings) if (one.other === whose && one.at < at) whose = one.survivor
  return erasures.some((one) => one.place === whose && one.at < at) ? undefined : whose
}

/** All that holds of a person whose tags only the automation changes: `done` is what it has brought about before. */
export function factsOf(person: Person, done: readonly Effect[] = []): Facts {
  const { id, zone, day, isSuppressed } = person
  return {
    zone: zone ?? undefined,
    belongs: (group, { effects }) => groupHolds(group, tagsAfter(person, [...done, ...effects])),
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

/** The tags that somebody has after what was brought about. */
export function tagsAfter({ tags }: Person, effects: readonly Effect[]): ReadonlySet<string> {
  const has = new Set(tags)
  for (const effect of effects) {
    if (effect.kind !== 'tag') continue
    for (const name of effect.add) has.add(name)
    for (const name of effect.remove) has.delete(name)
  }
  return has
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
