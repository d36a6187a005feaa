import type { Definition } from '../definition/definition.ts'
import { checkWaits, type Followed, follow, nobodyYet, passTime } from '../run/model/follow.ts'
import type { Interpreted, Micros, ModelStep } from '../run/model/model-run.ts'
import { type HeldMail, mailsOf } from '../simulate/mails-of-stories.ts'
import type { PageContact } from '../simulate/simulation-plan.ts'
import { compareSeen, type Seen } from './compare-seen.ts'
import type { Scenario } from './scenario.ts'
import { type ScenarioFacts, ScenarioPerson } from './scenario-person.ts'
import type { ScenarioResult } from './schemas.ts'

/** All that scenarios of one automation have in common; `contact` is somebody that there is, in place of whom they make up. */
export type ScenarioStage = {
  automationId: string
  definition: Definition
  facts: ScenarioFacts
  contact?: PageContact | undefined
}

const STEPS_SHOWN_MAX = 100

/** Has a scenario happen, by the interpreter alone: no database and no clock. */
export function actOut(stage: ScenarioStage, scenario: Scenario) {
  const person = new ScenarioPerson({ ...stage, scenario })
  const followed = nobodyYet()
  const { past, facts } = person.played(followed.effects)
  for (const event of stage.contact?.events ?? []) past.happens(event)
  const of: Interpreted = { ...stage, facts, wallAt: (at) => at }
  let passed = person.startedAt
  for (const [at, staged] of Map.groupBy(person.staged, ({ happening }) => happening.at)) {
    passTime(of, followed, { from: passed, until: at - 1 })
    passed = at
    // Rules know all of a moment, as those of the engine do.
    for (const { event } of staged) past.happens(event)
    follow(of, followed, { happenings: staged.map(({ happening }) => happening), until: at - 1 })
    checkWaits(followed, at)
  }
  passTime(of, followed, { from: passed, until: person.until })
  return { person, past, followed }
}

/** Plays a scenario, and holds what comes of it against what is expected. */
export function runScenario(stage: ScenarioStage, scenario: Scenario): ScenarioResult {
  const { person, past, followed } = actOut(stage, scenario)
  const expected = scenario.expect.map(({ kind, what, at }) => ({
    ...{ kind, what },
    at: at === null ? null : person.momentOf(at),
  }))
  const mails = mailsOf(followed.stories, {
    ...{ definition: stage.definition, restraints: person.restraints, zone: scenario.person.timeZone },
    ...{ gone: person.gone, others: person.others, until: person.until },
    refusalAt: (at) => past.refusalAt(at, true),
  })
  const lines = compareSeen(expected, seenIn(followed, mails))
  const steps = followed.stories.flatMap((story) => story.steps)
  return {
    name: scenario.name,
    passed: lines.every(({ outcome }) => outcome === 'met'),
    fault: null,
    startedAt: textOf(person.startedAt),
    lines: lines.map(({ expectedAt, seenAt, ...line }) => ({
      ...line,
      expectedAt: expectedAt === null ? null : textOf(expectedAt),
      seenAt: seenAt === null ? null : textOf(seenAt),
    })),
    steps: stepsTold(steps),
    skipped: [
      ...person.skips,
      ...mails.flatMap(({ node, skipped }) => (skipped === null ? [] : [{ node, reason: skipped }])),
    ],
  }
}

/** The result of a scenario that cannot be played. */
export function unplayed({ name, startMs }: Scenario, fault: string): ScenarioResult {
  return { name, passed: false, fault, startedAt: textOf(startMs * 1_000), lines: [], steps: [], skipped: [] }
}

/** Everything that a scenario may expect, in the order of time. */
function seenIn({ stories, refusals }: Followed, mails: readonly HeldMail[]): Seen[] {
  const seen = stories.flatMap(({ run, steps, effects }): Seen[] => {
    const last = steps.at(-1)!
    const end: Seen[] =
      run.end === null ? [] : [{ kind: 'end', what: run.end.reason ?? run.end.state, at: last.leftAt, node: last.node }]
    const done = effects.flatMap((effect): Seen[] => {
      const { node, visit } = effect
      if (effect.kind !== 'tag') return []
      const at = steps.find((step) => step.visit === visit)!.leftAt
      return [
        ...effect.remove.map((what): Seen => ({ kind: 'untag', what, at, node })),
        ...effect.add.map((what): Seen => ({ kind: 'tag', what, at, node })),
      ]
    })
    return [...done, ...end]
  })
  const refused = refusals.map(({ at, reason }): Seen => ({ kind: 'refused', what: reason, at, node: null }))
  const sent = mails.flatMap(({ node, sentAt }): Seen[] =>
    sentAt === null ? [] : [{ kind: 'mail', what: node, at: sentAt, node }],
  )
  return [...sent, ...seen, ...refused].sort((one, other) => one.at - other.at)
}

export const stepsTold = (steps: readonly ModelStep[]) =>
  steps.slice(0, STEPS_SHOWN_MAX).map(({ node, way, next, leftAt }) => ({ node, way, next, at: textOf(leftAt) }))

export const textOf = (at: Micros) => new Date(at / 1_000).toISOString()
