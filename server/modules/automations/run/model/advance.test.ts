import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { definitionJson, soundDefinition } from '../../../../../test/automations/random-definitions.ts'
import { factsOf, type Person, people } from '../../../../../test/automations/random-worlds.ts'
import { UNTIL } from '../../../../../test/automations/world-times.ts'
import { seedFrom } from '../../../../../test/support/seeded-random.ts'
import { isProvenTo } from '../../../segments/event-proof.ts'
import { type Definition, isHeard, type WaitNode } from '../../definition/definition.ts'
import { type Followed, follow, type Happening, letIn, nobodyYet, type Story } from './follow.ts'
import type { Interpreted, Micros } from './model-run.ts'
import { later } from './model-time.ts'

const seed = seedFrom('AUTOMATIONS_SEED')
const RUNS = 400

/** Holds a property of every person of random worlds; the seed comes with the failure. */
function holds(name: string, property: (of: Interpreted, followed: Followed, person: Person) => void): void {
  test(name, () => {
    const world = fc.property(definitionJson, people, (json, all) => {
      const definition = soundDefinition(json)
      for (const person of all) {
        const followed = nobodyYet()
        const of = interpreted(definition, person, { followed })
        follow(of, followed, { happenings: person.happenings, until: UNTIL })
        property(of, followed, person)
      }
    })
    fc.assert(world, { seed, numRuns: RUNS })
  })
}

type Watching = { followed?: Followed; lag?: Micros }

function interpreted(definition: Definition, person: Person, { followed, lag = 0 }: Watching = {}): Interpreted {
  return { automationId: '1', definition, facts: factsOf(person, followed?.effects), wallAt: (at) => at + lag }
}

/** The same person, followed anew: at once, or each happening by itself. */
function anew({ definition }: Interpreted, person: Person, { lag = 0, inPieces = false } = {}): Followed {
  const followed = nobodyYet()
  const of = interpreted(definition, person, { followed, lag })
  for (const one of inPieces ? person.happenings : []) follow(of, followed, { happenings: [one], until: one.at - 1 })
  follow(of, followed, { happenings: inPieces ? [] : person.happenings, until: UNTIL })
  return followed
}

test('by hand somebody comes in whatever the triggers are', () => {
  const json = { format: 1, enter: { on: [{ event: 'one' }] }, start: 'n0', nodes: { n0: { type: 'end' } } }
  const person: Person = { id: 1, zone: null, tags: [], day: null, isSuppressed: false, happenings: [] }
  const followed = nobodyYet()
  const wish = { at: UNTIL, position: 0, data: null, depth: 0 }
  const of = interpreted(soundDefinition(json), person, { followed })
  assert.equal(letIn(of, followed, { ...wish, name: 'two' }), undefined)
  assert.equal(letIn(of, followed, { ...wish, name: null })?.run.end?.state, 'completed')
})

holds('each way is unbroken and goes forward in time', (_, { stories }) => {
  for (const { run, steps } of stories) {
    assert.deepEqual(
      steps.map(({ visit }) => visit),
      steps.map((__, n) => n),
    )
    for (const [n, step] of steps.entries()) {
      const before = steps[n - 1]
      assert.ok(step.leftAt >= step.cameAt)
      if (before) assert.deepEqual([step.node, step.cameAt], [before.next, before.leftAt])
    }
    const last = steps.at(-1)!
    assert.equal(last.next === null, run.end !== null)
    if (last.next !== null) assert.deepEqual([run.node, run.visit], [last.next, last.visit + 1])
  }
})

holds('for every node entered = here + left + ended', ({ definition }, { stories }) => {
  const steps = stories.flatMap((story) => story.steps)
  for (const node of Object.keys(definition.nodes)) {
    const entered = steps.filter(({ next }) => next === node).length
    const gone = steps.filter((step) => step.node === node).length
    const here = stories.filter(({ run }) => run.end === null && run.node === node).length
    assert.equal(entered, here + gone)
  }
})

const isWayAsked = ({ for: ways }: WaitNode, name: string) => {
  const way = ways[Number(name)]
  return way !== undefined && !isHeard(way)
}

holds(
  'a wait ends by the first event that it waits for and that comes in time, else late',
  (of, { stories }, person) => {
    for (const { run, steps } of stories) {
      for (const [n, step] of steps.entries()) {
        const node = of.definition.nodes[step.node]
        if (node?.type !== 'wait' || step.way.startsWith('exit:') || isWayAsked(node, step.way)) continue
        const since = steps[n - 1]!
        const deadline = later(step.cameAt, node.timeout, of.facts.zone ?? of.definition.defaultZone)
        const heard = person.happenings.filter(
          (one) =>
            (one.at > step.cameAt || (one.at === step.cameAt && one.position > since.position)) && one.at <= deadline,
        )
        const wayOf = (one: Happening) =>
          node.for.findIndex(
            (way) =>
              isHeard(way) &&
              way.event === one.name &&
              isProvenTo(way.minProof ?? 'none', one.proof ?? null) &&
              of.facts.passes(way.where, one.data!) &&
              Object.keys(way.match).every((key) => one.data![key] === run.trigger![key]),
          )
        const first = heard.find((one) => wayOf(one) !== -1)
        const expected = first ? [String(wayOf(first)), first.at] : ['late', deadline]
        assert.deepEqual([step.way, step.leftAt], expected)
      }
    }
  },
)

holds('nobody is inside once an event has ended the run', ({ definition, facts }, { stories }, { happenings }) => {
  for (const { run, steps } of stories) {
    const ending = happenings.find(
      (one) =>
        (one.at > run.enteredAt || (one.at === run.enteredAt && one.position > run.enteredPosition)) &&
        definition.exit.some(
          ({ event, where, match, minProof = 'none' }) =>
            event === one.name &&
            isProvenTo(minProof, one.proof ?? null) &&
            facts.passes(where, one.data!) &&
            Object.keys(match).every((key) => one.data![key] === run.trigger![key]),
        ),
    )
    if (!ending) continue
    assert.ok(run.end !== null && steps.every(({ leftAt }) => leftAt <= ending.at))
  }
})

holds('what a worker does late it does as one in time', (of, followed, person) => {
  if (Object.values(of.definition.nodes).some((node) => node.type === 'email' && node.notLaterThan !== null)) return
  assert.deepEqual(told(anew(of, person, { lag: 3 * 3_600_000_000 })), told(followed))
})

holds('what is told in pieces ends as what is told at once', (of, followed, person) => {
  assert.deepEqual(told(anew(of, person, { inPieces: true })), told(followed))
})

/** All but the version that each story is in, which is made anew with its functions. */
function told({ stories, ...rest }: Followed) {
  return { ...rest, stories: stories.map(({ of: _version, ...story }) => story) }
}

holds('nobody comes in more often than the mode says', ({ definition }, { stories }) => {
  const { mode } = definition.enter.again
  const ends = ({ run, steps }: Story) => (run.end === null ? Number.POSITIVE_INFINITY : steps.at(-1)!.leftAt)
  for (const of of Map.groupBy(stories, ({ run }) => run.entryKey).values()) {
    if (mode === 'once') assert.equal(of.length, 1)
    if (mode !== 'after_end' && mode !== 'restart') continue
    for (const [n, story] of of.entries()) {
      const next = of[n + 1]
      if (next) assert.ok(ends(story) <= next.run.enteredAt)
    }
  }
  const live = stories.filter(({ run }) => run.end === null)
  assert.ok(live.length <= 10)
})

holds('whoever is held out is never mailed, and the same people always', (_, { stories }) => {
  const held = stories.filter(({ run }) => run.end?.state === 'held_out')
  assert.ok(held.length === 0 || held.length === stories.length)
  for (const { effects } of held) assert.deepEqual(effects, [])
})

const HOUR = 3_600_000_000
const T0 = Date.UTC(2025, 5, 2, 8) * 1_000
const CART = {
  format: 1,
  enter: { on: [{ event: 'cart.updated' }], again: { mode: 'restart', key: 'cart' } },
  exit: [{ event: 'order.paid', match: { cart: 'cart' } }],
  goal: { event: 'order.paid', match: { cart: 'cart' }, value: 'total', within: 'P7D' },
  start: 'rest',
  nodes: {
    rest: { type: 'delay', hours: 2, to: 'remind' },
    remind: {
      type: 'email',
      subject: 'Hello',
      body: '<p>{{ unsubscribe_url }}</p>',
      notLaterThan: 'PT12H',
      to: 'wait',
    },
    wait: { type: 'wait', for: [{ event: 'cart.opened', to: 'end' }], timeout: 'P1D', late: 'warm' },
    warm: { type: 'tag', add: ['warm'], to: 'end' },
  },
}
const SOMEBODY: Person = { id: 7, zone: null, tags: [], day: null, isSuppressed: false, happenings: [] }

/** The story of somebody who does this, [hours after the beginning, name, properties]. */
function storyOf(told: readonly [number, string, object?][], { json = CART as object, lag = 0, until = 100 } = {}) {
  const of = interpreted(soundDefinition({ ...json }), SOMEBODY, { lag: lag * HOUR })
  const happenings = told.map(([hours, name, data = { cart: 'a' }], n) => ({
    ...{ at: T0 + hours * HOUR, position: n + 1, name, data: { ...data }, depth: 0 },
  }))
  const followed = nobodyYet()
  follow(of, followed, { happenings, until: T0 + until * HOUR })
  return followed
}

const waysOf = ({ stories }: Followed) => stories.map(({ steps }) => steps.map(({ way }) => way).join(' '))
const mailsOf = ({ stories }: Followed) =>
  stories.flatMap(({ effects }) => effects.filter(({ kind }) => kind === 'mail')).length

test('who buys before the reminder gets none, and the order is counted as the goal though it ends the run', () => {
  const bought = storyOf([
    [0, 'cart.updated'],
    [2, 'order.paid', { cart: 'a', total: 30 }],
  ])
  assert.deepEqual([waysOf(bought), mailsOf(bought)], [['entered exit:criterion'], 0])
  const [{ run }] = bought.stories as [Story]
  assert.deepEqual([run.goalAt, run.goalValue, run.end], [T0 + 2 * HOUR, 30, { state: 'exited', reason: 'criterion' }])
  const other = storyOf([
    [0, 'cart.updated'],
    [1, 'order.paid', { cart: 'b' }],
  ])
  assert.deepEqual([waysOf(other), mailsOf(other)], [['entered to to late to'], 1])
})

test('an event at the very end of a wait is in time, and one a microsecond later is not', () => {
  const opened = (hours: number) =>
    storyOf([
      [0, 'cart.updated'],
      [hours, 'cart.opened', {}],
    ])
  assert.deepEqual(waysOf(opened(26)), ['entered to to 0'])
  assert.deepEqual(waysOf(opened(26 + 1 / HOUR)), ['entered to to late to'])
  // Nobody waited yet.
  assert.deepEqual(waysOf(opened(2)), ['entered to to late to'])
})

test('a worker who comes too late for a mail skips it, and nothing else changes', () => {
  const late = storyOf([[0, 'cart.updated']], { lag: 13 })
  assert.deepEqual([waysOf(late), mailsOf(late)], [['entered to skipped late to'], 0])
  assert.equal(mailsOf(storyOf([[0, 'cart.updated']], { lag: 11 })), 1)
})

test('a cart that changes begins anew, and another cart has a run of its own', () => {
  const again = storyOf([
    [0, 'cart.updated'],
    [1, 'cart.updated'],
    [1, 'cart.updated', { cart: 'b' }],
  ])
  assert.deepEqual(waysOf(again), ['entered exit:restart', 'entered to to late to', 'entered to to late to'])
})

test('whoever unsubscribes from marketing is let go, from service mail nobody is', () => {
  const told: [number, string, object?][] = [
    [0, 'cart.updated'],
    [1, 'email.unsubscribed', { sendingSource: 'automation:1' }],
  ]
  assert.deepEqual(waysOf(storyOf(told)), ['entered exit:unsubscribed'])
  assert.deepEqual(waysOf(storyOf(told, { json: { ...CART, class: 'service' } })), ['entered to to late to'])
})

test('a circle ends after a thousand visits', () => {
  const json = { ...CART, start: 'a', nodes: { a: { type: 'delay', minutes: 1, to: 'a' } } }
  const { stories } = storyOf([[0, 'cart.updated']], { json })
  assert.deepEqual(stories[0]!.run.end, { state: 'exited', reason: 'loop' })
  assert.equal(stories[0]!.steps.length, 1_002)
})
