import fc from 'fast-check'
import { END } from '../../server/modules/automations/definition/definition.ts'
import { INSIDE } from '../../server/modules/automations/definition/places.ts'
import { DAYS, TAGS, timedDefinitionJson } from './random-definitions.ts'
import type { Late } from './sound-acts.ts'
import { ACT_MOMENTS, HALF_HOURS, ZONES } from './world-times.ts'

/*
 * What is done to automations and their people, by the numbers of the moments of a batch: sound-acts.ts makes acts of it that make sense.
 */

const act = fc.nat({ max: ACT_MOMENTS - 1 })
/** The place of somebody, whatever their number. */
const place = fc.nat({ max: 1_000 })

const NODES = ['n0', 'n1', 'n2', 'n3', 'n4']
const publishing = fc.record({
  act,
  json: timedDefinitionJson,
  inside: fc.constantFrom(...INSIDE, 'move' as const),
  map: fc.dictionary(fc.constantFrom(...NODES), fc.constantFrom('exit', END, 'n0', 'n1', 'n2'), { maxKeys: 3 }),
  nodes: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.subarray(NODES)),
})

const backfilling = fc.record({ act, ago: fc.nat({ max: HALF_HOURS }), asOf: fc.constantFrom('now', 'then') })

const late: fc.Arbitrary<Late> = fc.oneof(
  fc.constantFrom('now' as const, 'shift' as const, 'shift' as const).map((one) => ({ late: one })),
  fc
    .nat({ max: 12 })
    .map((hours) => ({ late: 'drop' as const, dropAfter: `PT${hours}H`, dropMicros: hours * 3_600_000_000 })),
)
const pause = fc.record({ act: fc.nat({ max: ACT_MOMENTS - 2 }), acts: fc.integer({ min: 1, max: 6 }), late })

const halting = fc.record({ act, node: fc.constantFrom(...NODES) })

/**
 * Of most kinds of acts an automation has many, or none: what two of one kind do to each other is seldom seen where there are some of each.
 * `none`: how often there are none, of four.
 */
function manyOrNone<T extends { act: number }>(
  one: fc.Arbitrary<T>,
  { most, none = 2, isOneAMoment = false }: { most: number; none?: number; isOneAMoment?: boolean },
): fc.Arbitrary<T[]> {
  const length = { minLength: Math.ceil(most / 4), maxLength: most, size: 'max' as const }
  const many = isOneAMoment ? fc.uniqueArray(one, { ...length, selector: ({ act: at }) => at }) : fc.array(one, length)
  return fc.oneof({ weight: none, arbitrary: fc.constant<T[]>([]) }, { weight: 4 - none, arbitrary: many })
}

export const acts = fc.record({
  publishings: manyOrNone(publishing, { most: 4, none: 1, isOneAMoment: true }),
  backfillings: manyOrNone(backfilling, { most: 2, isOneAMoment: true }),
  pauses: manyOrNone(pause, { most: 3, none: 1 }),
  erasures: manyOrNone(fc.record({ act, place }), { most: 3 }),
  mergings: manyOrNone(fc.record({ act, survivor: place, other: place }), { most: 10 }),
  zonings: manyOrNone(fc.record({ act, place, zone: fc.constantFrom(...ZONES) }), { most: 48, none: 1 }),
  taggings: manyOrNone(fc.record({ act, place, tag: fc.constantFrom(...TAGS), isGiven: fc.boolean() }), {
    most: 12,
    none: 1,
  }),
  // In few: whoever gathers there goes no further.
  haltings: manyOrNone(halting, { most: 2, none: 3 }),
  datings: manyOrNone(fc.record({ act, place, day: fc.constantFrom(null, ...DAYS) }), { most: 16, none: 1 }),
  cures: manyOrNone(fc.record({ act, place }), { most: 8 }),
  steerings: manyOrNone(
    fc.record({
      act,
      place: fc.option(place),
      node: fc.option(fc.constantFrom(...NODES)),
      what: fc.constantFrom('retry', 'retry', 'skip', 'exit'),
    }),
    { most: 6, none: 1, isOneAMoment: true },
  ),
  clickings: manyOrNone(fc.record({ act, place }), { most: 24, none: 1 }),
  suppressings: manyOrNone(fc.record({ act, place, isListed: fc.boolean() }), { most: 12 }),
  leavings: manyOrNone(fc.record({ act, place }), { most: 6 }),
  enrollings: manyOrNone(fc.record({ act, place, key: fc.constantFrom('', '', 'x', 'y') }), { most: 8 }),
  /** Moments at which the entry closes and opens again, by turns. */
  turnings: manyOrNone(fc.record({ act }), { most: 4, none: 2, isOneAMoment: true }),
  stop: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ act, isDeleted: fc.boolean() }) },
  ),
})
export type DrawnActs = typeof acts extends fc.Arbitrary<infer A> ? A : never
