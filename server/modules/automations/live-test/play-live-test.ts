import type { Definition } from '../definition/definition.ts'
import { storedDefinition } from '../definition/read-definition.ts'
import type { Story } from '../run/model/follow.ts'
import type { Effect } from '../run/model/model-run.ts'
import type { Variables } from '../run/variables.ts'
import { actOut, stepsTold, textOf } from '../scenarios/run-scenario.ts'
import type { Given, Scenario } from '../scenarios/scenario.ts'
import type { ScenarioFacts } from '../scenarios/scenario-person.ts'
import type { PageContact } from '../simulate/simulation-plan.ts'

/** Mails that one test sends; what comes after them is told. */
const MAILS_MAX = 20

/** A draft with whom it is tested on; `definition` is a JSON text that was sound. */
export type LiveTestJob = {
  workspaceId: string
  automationId: string
  definition: string
  facts: ScenarioFacts
  /** Null: somebody who has these fields, by the names that rules have for them. */
  contact: PageContact | null
  fields: Readonly<Record<string, unknown>>
  given: readonly Given[]
  startMs: number
}

export type PlayedMail = {
  node: string
  /** When it would be sent, RFC 3339. */
  at: string
  /** So many waits have ended before it. */
  waits: number
  variables: Variables
  /** Properties of what brought them in; null by hand. */
  trigger: Readonly<Record<string, unknown>> | null
}

export type PlayedTest = {
  refused: string | null
  end: string | null
  mails: readonly PlayedMail[]
  steps: ReturnType<typeof stepsTold>
  skipped: readonly { node: string; reason: string }[]
  notDone: readonly { node: string; kind: Exclude<Effect['kind'], 'mail'> }[]
}

/** Walks one person through a draft from a moment on, whatever waits there are; nothing is done, everything is told. */
export function playLiveTest({ automationId, definition: text, facts, contact, ...job }: LiveTestJob): PlayedTest {
  const definition = storedDefinition(text)
  const { followed, person } = actOut(
    { automationId, definition, facts, contact: contact ?? undefined },
    asScenario(job),
  )
  const { stories, refusals, effects } = followed
  const mails = stories.flatMap(mailsOf).sort((one, other) => (one.at < other.at ? -1 : 1))
  const end = stories.at(-1)?.run.end ?? null
  return {
    refused: stories.length === 0 ? (refusals[0]?.reason ?? 'no_trigger') : null,
    end: end && (end.reason ?? end.state),
    mails: mails.slice(0, MAILS_MAX),
    steps: stepsTold(stories.flatMap(({ steps }) => steps)),
    skipped: person.skips,
    notDone: effects.flatMap(({ node, kind }) => (kind === 'mail' ? [] : [{ node, kind }])),
  }
}

function asScenario({ fields, given, startMs }: Pick<LiveTestJob, 'fields' | 'given' | 'startMs'>): Scenario {
  const nothing = { tags: [], topics: [], isSuppressed: false, isHeldOut: false, split: {} }
  return {
    ...{ name: 'test', startMs, given, expect: [] },
    person: { timeZone: null, fields, ...nothing },
    workspace: { quietHours: null, frequencyCap: null },
  }
}

/** The mails of one run: each wait that has ended before a mail puts it behind those before it. */
function mailsOf({ run, steps, effects }: Story): PlayedMail[] {
  const moments = [...new Set(steps.map(({ leftAt }) => leftAt))]
  return effects.flatMap((effect) => {
    if (effect.kind !== 'mail') return []
    const { node, at, variables } = effect
    const waits = moments.filter((moment) => moment > run.enteredAt && moment <= at).length
    return [{ node, at: textOf(at), waits, variables, trigger: run.trigger }]
  })
}

/** The trigger that brings somebody in where nothing else is given: the first event that it listens to, as its filter wants it, or a hand. */
export function triggerOf({ enter }: Definition): unknown {
  const heard = enter.on.find((trigger) => 'event' in trigger)
  if (heard === undefined) return { enroll: true }
  const wanted = heard.where.filter(({ operator }) => operator === '=').map(({ property, value }) => [property, value])
  return { event: heard.event, data: Object.fromEntries(wanted) }
}
