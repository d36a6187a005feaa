import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Happening } from '../../server/modules/automations/run/model/follow.ts'
import type { Data, Effect, Facts } from '../../server/modules/automations/run/model/model-run.ts'
import { acts } from './random-acts.ts'
import { DAYS, EVENT_NAMES, LEVELS, SEGMENT_IDS, TAGS, tagRules, timedDefinitionJson } from './random-definitions.ts'
import { type Acts, soundActs } from './sound-acts.ts'
import { BEGIN, GRID_MICROS, HALF_HOURS, type Moments, ZONES } from './world-times.ts'

/** A contact, and what they do. `tags` are those at the beginning. */
export type Person = {
  id: number
  zone: string | null
  tags: readonly string[]
  /** Custom fields. */
  day: string | null
  level?: number | null
  isSuppressed: boolean
  /** Whether the step fails that gives CURSED_TAG. */
  isCursed?: boolean
  happenings: Happening[]
}

/** More in the beginning: whoever comes in late has not much to see. */
const slot = fc.oneof(fc.nat({ max: HALF_HOURS }), fc.nat({ max: HALF_HOURS / 4 }))
const happening = fc.record({
  slot,
  name: fc.constantFrom(...EVENT_NAMES),
  proof: fc.constantFrom(...[null, null, null, null, null], 'claimed' as const, 'signed' as const, 'signed' as const),
  data: fc.record(
    { k: fc.constantFrom('x', 'y'), v: fc.integer({ min: 0, max: 3 }), d: fc.constantFrom(...DAYS) },
    { requiredKeys: [] },
  ),
})
/** Stands for the automation of the world in what somebody wants no more of. */
export const OWN = 'automation:own'
/** Of the system: whoever wants no more of anything, or of something else. */
const farewell = fc.record({
  slot,
  name: fc.constant('email.unsubscribed'),
  proof: fc.constant(null),
  data: fc.constantFrom(
    ...['everything', 'automations', 'automation:0', OWN].map((sendingSource) => ({ sendingSource })),
    { sendingSource: 'automations', except: OWN },
  ),
})
const person = fc.record({
  zone: fc.constantFrom(...ZONES),
  tags: fc.subarray([...TAGS]),
  day: fc.constantFrom(null, 'never', ...DAYS),
  level: fc.constantFrom(null, ...LEVELS),
  isSuppressed: fc.constantFrom(false, false, false, true),
  isCursed: fc.boolean(),
  happenings: fc.array(fc.oneof({ weight: 16, arbitrary: happening }, farewell), { minLength: 2, maxLength: 14 }),
})

/** People by id, each with happenings in the order of the log: positions are of the whole world. */
export const people: fc.Arbitrary<Person[]> = fc.array(person, { minLength: 1, maxLength: 4 }).map((drafts) => {
  const all = drafts.flatMap(({ happenings }, owner) => happenings.map((one) => ({ ...one, owner })))
  all.sort((one, other) => one.slot - other.slot)
  const placed = all.map(({ slot, name, data, proof, owner }, n) => ({
    ...{ owner, at: BEGIN + slot * GRID_MICROS, position: n + 1, name, data, proof, depth: 0 },
  }))
  return drafts.map(({ zone, tags, day, level, isSuppressed, isCursed }, owner) => ({
    ...{ id: owner + 1, zone, tags, day, level, isSuppressed, isCursed },
    happenings: placed.filter((one) => one.owner === owner).map(({ owner: _, ...one }) => one),
  }))
})

/** Worlds with one automation, so that one turn moves the people of all of them. */
export const WORLDS_AN_AUTOMATION = 8

/** A rule group of tags and a field, as its author writes it, for each of SEGMENT_IDS. */
export type Segments = readonly object[]

export type Drawn = { json: object; people: readonly Person[]; segments: Segments; acts: Acts }

/** An automation with the people of its worlds, and all that is done to them at these moments; without a bias to the first of everything. */
export function drawn(moments: Moments): fc.Arbitrary<Drawn> {
  const casts = fc.array(people, { minLength: WORLDS_AN_AUTOMATION, maxLength: WORLDS_AN_AUTOMATION })
  const segments = fc.array(tagRules, { minLength: SEGMENT_IDS.length, maxLength: SEGMENT_IDS.length })
  return fc.noBias(fc.tuple(timedDefinitionJson, casts, segments, acts)).map(([json, all, groups, given]) => {
    const together = all.flat().map((person, n) => ({ ...person, id: n + 1 }))
    return { json, people: together, segments: groups, acts: soundActs(given, moments, together.length) }
  })
}

/** All that holds of a person whose tags only the automation changes: `done` is what it has brought about before. */
export function factsOf(person: Person, done: readonly Effect[] = []): Facts {
  const { id, zone, isSuppressed } = person
  return {
    zone: zone ?? undefined,
    belongs: (group, { effects }) => groupHolds(group, standing(person, [...done, ...effects])),
    clicked: () => false,
    fieldOf: (key, { effects }) => fieldAfter(person, [...done, ...effects], key),
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

/** What rules may ask of somebody. */
type Standing = { tags: ReadonlySet<string>; level: unknown }

export function standing(person: Person, effects: readonly Effect[]): Standing {
  return { tags: tagsAfter(person, effects), level: fieldAfter(person, effects, 'level') }
}

/** The value of a custom field after what was brought about. */
export function fieldAfter({ day, level = null }: Person, effects: readonly Effect[], key: string): unknown {
  const set = effects.findLast((effect) => effect.kind === 'field' && key in effect.set)
  return set?.kind === 'field' ? set.set[key] : { day, level }[key]
}

type Group = Parameters<Facts['belongs']>[0]

export function groupHolds({ combinator, not, rules }: Group, so: Standing): boolean {
  const holds = (one: Group['rules'][number]): boolean => {
    if ('rules' in one) return groupHolds(one, so)
    if (one.field === 'tag') return so.tags.has(String(one.value)) === (one.operator === 'has')
    return isSo(so.level, one)
  }
  const joined = rules.length === 0 || (combinator === 'or' ? rules.some(holds) : rules.every(holds))
  return not === true ? !joined : joined
}

function passes(
  { property, operator, value }: { property: string; operator: string; value?: unknown },
  data: Data,
): boolean {
  return isSo(data[property], { operator, value })
}

function isSo(held: unknown, { operator, value }: { operator: string; value?: unknown }): boolean {
  if (typeof value === 'string') return held === value
  if (typeof held !== 'number') return false
  return operator === '>=' ? held >= Number(value) : held === Number(value)
}
