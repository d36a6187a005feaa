import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { definitionJson, soundDefinition } from '../../../../test/automations/random-definitions.ts'
import { factsOf, type Person, people } from '../../../../test/automations/random-worlds.ts'
import { BEGIN, GRID_MICROS, HALF_HOURS, UNTIL } from '../../../../test/automations/world-times.ts'
import { seedFrom } from '../../../../test/support/seeded-random.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { shortestDayMs } from '../../../platform/shortest-day.ts'
import { type Definition, END } from '../definition/definition.ts'
import { changeVersion } from '../run/model/advance.ts'
import {
  checkWaits,
  type Followed,
  fireTimers,
  follow,
  hear,
  letIn,
  liveOf,
  nobodyYet,
  note,
  type Story,
} from '../run/model/follow.ts'
import type { Interpreted, Micros } from '../run/model/model-run.ts'
import { type Mails, mailsOfDay, NO_MAILS } from './mails-of-day.ts'

const seed = seedFrom('AUTOMATIONS_SEED')
const RUNS = 1_500
const DAY_MICROS: Micros = DAY_MS * 1_000
const CLOCKS = { shortestDayMs: await shortestDayMs(BEGIN / 1_000, UNTIL / 1_000 + DAY_MS) }

/** Follows everybody inside for a day from a moment on; they hear what happens, and are asked what they wait for as often as it does. */
function followDay(followed: Followed, person: Person, from: Micros): void {
  for (const one of person.happenings.filter(({ at }) => at > from && at <= from + DAY_MICROS)) {
    fireTimers(followed, one.at - 1)
    for (const story of liveOf(followed)) hear(followed, story, one)
    checkWaits(followed, one.at)
  }
  fireTimers(followed, from + DAY_MICROS)
}

const interpreted = (definition: Definition, person: Person, followed: Followed): Interpreted => ({
  ...{ automationId: '1', definition, facts: factsOf(person, followed.effects), wallAt: (at) => at },
})

/** Mails that are told of somebody who rests in a version, from a moment on. */
function toldOfRest({ of: { definition }, run }: Story, from: Micros): Mails {
  const forMs = Math.max(0, run.dueAt! - from) / 1_000
  return mailsOfDay(definition, CLOCKS).rests(run.node, forMs <= DAY_MS ? forMs : null)
}

/** Takes somebody who rests to a place of another version; what is told of them. */
function moved(
  followed: Followed,
  story: Story,
  { to, place, at }: { to: Interpreted; place: string; at: Micros },
): Mails {
  const type = to.definition.nodes[place]?.type
  const after = changeVersion(to, story.run, { at, place })
  note(followed, story, after)
  story.of = to
  if (place === END) return NO_MAILS
  if (type !== 'delay' && type !== 'wait') return mailsOfDay(to.definition, CLOCKS).comes(place)
  // Their rest may be over: what they wait for holds already.
  return story.steps.at(-1)!.next === place ? toldOfRest(story, at) : mailsOfDay(to.definition, CLOCKS).rests(place, 0)
}

/** Definitions in which half of all that is done is mail. */
const mailing = definitionJson.map((json): typeof json => {
  const mail = { type: 'email', subject: 'Hello', body: '<p>{{ unsubscribe_url }}</p>' }
  const nodes = Object.entries(json.nodes as Record<string, { type: string; to?: string }>).map(([id, node], n) => {
    const isMailed = n % 2 === 0 && /^(tag|field|emit|goal)$/.test(node.type)
    return [id, isMailed ? { ...mail, to: node.to } : node]
  })
  return { ...json, nodes: Object.fromEntries(nodes) }
})
const worlds = fc.record({
  ...{ before: mailing, after: mailing, all: people, pick: fc.nat({ max: 50 }) },
  ...{ slot: fc.nat({ max: HALF_HOURS }), agoSlots: fc.nat({ max: 48 }), isMoved: fc.boolean() },
})

test('nobody gets more mails within a day than are told, nor fewer who may be mailed and is not taken out', () => {
  const seen = { rested: 0, moved: 0, mailed: 0, many: 0, sure: 0, unsure: 0 }
  const property = fc.property(worlds, ({ before, after, all, slot, agoSlots, pick, isMoved }) => {
    const at = BEGIN + slot * GRID_MICROS
    for (const person of all) {
      const followed = nobodyYet()
      const of = interpreted(soundDefinition(before), person, followed)
      letIn(of, followed, { at: at - agoSlots * GRID_MICROS, position: 0, name: null, data: null, depth: 0 })
      follow(of, followed, { happenings: person.happenings.filter((one) => one.at <= at), until: at })
      for (const story of liveOf(followed)) {
        const alone = { ...followed, stories: [story] }
        const mails = () => story.effects.filter(({ kind }) => kind === 'mail').length
        const had = mails()
        const to = interpreted(soundDefinition(after), person, followed)
        const places = [...Object.keys(to.definition.nodes), END]
        const place = places[pick % places.length]!
        const told = isMoved ? moved(alone, story, { to, place, at }) : toldOfRest(story, at)
        followDay(alone, person, at)
        const got = mails() - had
        const isFree = !person.isSuppressed && story.run.end?.state !== 'exited'
        assert.ok(got <= told.atMost, `${got} mails, told at most ${told.atMost}`)
        if (isFree) assert.ok(got >= told.atLeast, `${got} mails, told at least ${told.atLeast}`)
        seen[isMoved ? 'moved' : 'rested'] += 1
        seen.mailed += Number(got > 0)
        seen.many += Number(got > 1)
        seen.sure += Number(isFree && told.atLeast > 0)
        seen.unsure += Number(told.atMost > told.atLeast)
      }
    }
  })
  fc.assert(property, { seed, numRuns: RUNS })
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `nobody: ${what}`)
})
