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
const pause = fc.record({ act: fc.nat({ max: ACT_MOMENTS - 2 }), acts: fc.integer({ min: 1, max: 4 }), late })

const halting = fc.record({ act, node: fc.constantFrom(...NODES) })

export const acts = fc.record({
  publishings: fc.uniqueArray(publishing, { maxLength: 2, selector: (one) => one.act }),
  backfillings: fc.uniqueArray(backfilling, { maxLength: 2, selector: (one) => one.act }),
  pauses: fc.array(pause, { maxLength: 3 }),
  erasures: fc.array(fc.record({ act, place }), { maxLength: 3 }),
  mergings: fc.array(fc.record({ act, survivor: place, other: place }), { maxLength: 8 }),
  zonings: fc.array(fc.record({ act, place, zone: fc.constantFrom(...ZONES) }), { maxLength: 24 }),
  taggings: fc.array(fc.record({ act, place, tag: fc.constantFrom(...TAGS), isGiven: fc.boolean() }), {
    maxLength: 12,
  }),
  // In few: whoever gathers there goes no further.
  haltings: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(halting, { minLength: 1, maxLength: 2 }) },
  ),
  datings: fc.array(fc.record({ act, place, day: fc.constantFrom(null, ...DAYS) }), { maxLength: 12 }),
  cures: fc.array(fc.record({ act, place }), { maxLength: 8 }),
  steerings: fc.uniqueArray(
    fc.record({ act, place: fc.option(place), what: fc.constantFrom('retry', 'retry', 'skip', 'exit') }),
    { maxLength: 6, selector: (one) => one.act },
  ),
  leavings: fc.array(fc.record({ act, place }), { maxLength: 3 }),
  enrollings: fc.array(fc.record({ act, place }), { maxLength: 6 }),
  stop: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ act, isDeleted: fc.boolean() }) },
  ),
})
export type DrawnActs = typeof acts extends fc.Arbitrary<infer A> ? A : never
