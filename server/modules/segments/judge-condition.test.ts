import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naiveMembers } from '../../../test/segments/naive-members.ts'
import { randomDefinition } from '../../../test/segments/random-definitions.ts'
import { FIELD_TYPES, NOW, type Person, randomPeople, TAGS, type World } from '../../../test/segments/world.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { type Condition, NOBODY } from './conditions.ts'
import { judgeCondition, type PersonAsked } from './judge-condition.ts'
import { readRules, type SegmentFacts } from './read-rules.ts'

const CASES = 500
const TYPES = { string: 'text', number: 'number', boolean: 'boolean', datetime: 'time' } as const
const seed = seedFrom('SEGMENT_SEED')

test(`${CASES} random rules hold in memory for whom a naive evaluation says (SEGMENT_SEED=${seed})`, () => {
  const random = seededRandom(seed)
  const people = randomPeople(random, (index) => String(index + 1))
  const segments: World['segments'] = []
  for (let n = 1; n <= 3; n++) {
    const ids = segments.map(({ id }) => id)
    segments.push({ id: String(n), definition: randomDefinition(random, ids) })
  }
  const world: World = { now: NOW, fieldTypes: FIELD_TYPES, tags: TAGS, segments, people }
  const facts: SegmentFacts = {
    now: NOW,
    fields: new Map(Object.entries(FIELD_TYPES).map(([key, type]) => [key, { type: TYPES[type], keys: [key] }])),
    tagIds: new Map(
      [...TAGS, ...TAGS.map((tag) => tag.toLowerCase()), ...TAGS.map((tag) => tag.toUpperCase())].map((tag) => [
        tag,
        tag.toLowerCase(),
      ]),
    ),
    segments: new Map(segments.map(({ id, definition }) => [id, { name: `Segment ${id}`, definition }])),
  }
  let read = 0
  for (let n = 0; n < CASES; n++) {
    const definition = randomDefinition(
      random,
      segments.map(({ id }) => id),
    )
    const rules = readRules(definition, facts)
    if ('faults' in rules) continue
    read++
    const found = people.filter((one) => judgeCondition(rules.condition, asked(one)).holds).map(({ id }) => id)
    assert.deepEqual(found, naiveMembers(world, definition), definition)
  }
  assert.ok(read > CASES / 2, `${read} rules were read`)
})

test('what is not known matters only where the answer rests on it', () => {
  const unknown: Condition = { kind: 'present', subject: { column: 'first_name' } }
  const tagged: Condition = { kind: 'tagged', tagIds: ['vip'] }
  const person: PersonAsked = {
    valueAt: () => ({ value: 'Ada', isKnown: false }),
    hasTag: (id) => id === 'vip',
    ...{ isSubscribed: () => false, deedsOf: () => [] },
  }
  const found = (condition: Condition) => Object.values(judgeCondition(condition, person))
  assert.deepEqual(found(unknown), [true, false])
  assert.deepEqual(found({ kind: 'any', of: [unknown, tagged] }), [true, true])
  assert.deepEqual(found({ kind: 'all', of: [unknown, tagged] }), [true, false])
  assert.deepEqual(found({ kind: 'all', of: [unknown, { kind: 'not', of: tagged }] }), [false, true])
  assert.deepEqual(found({ kind: 'any', of: [NOBODY, { kind: 'not', of: unknown }] }), [false, false])
})

function asked({ columns, custom, tags, events }: Person): PersonAsked {
  const has = new Set(tags.map((tag) => tag.toLowerCase()))
  return {
    valueAt(subject) {
      if ('column' in subject) return { value: columns[subject.column], isKnown: true }
      const key = subject.custom.find((one) => custom[one] !== undefined && custom[one] !== null)
      return { value: key === undefined ? undefined : custom[key], isKnown: true }
    },
    hasTag: (id) => has.has(id),
    isSubscribed: () => false,
    deedsOf: (name) =>
      events.filter((one) => one.name === name).map(({ at, data }) => ({ atMs: Date.parse(at), data, proof: null })),
  }
}
