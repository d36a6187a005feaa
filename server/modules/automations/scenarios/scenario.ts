import type { FrequencyCap } from '../../sending/restraint/restraints.ts'
import type { Definition, Span } from '../definition/definition.ts'

/** A story that an automation has to tell: somebody, whatever happens to them, and all that they are to get by it. */
export type Scenario = {
  name: string
  /** When it begins, in milliseconds since 1970. */
  startMs: number
  person: ScenarioPerson
  /** The settings that marketing mail heeds; of quiet hours without a zone that of the automation. */
  workspace: ScenarioWorkspace
  given: readonly Given[]
  expect: readonly Expected[]
}

export type ScenarioPerson = {
  /** Null: that of the automation. */
  timeZone: string | null
  tags: readonly string[]
  /** Values by the names that rules have for them: `email`, `firstName`, `custom:plan`. */
  fields: Readonly<Record<string, unknown>>
  /** Topics by their ids. */
  topics: readonly string[]
  isSuppressed: boolean
  isHeldOut: boolean
  /** The way that each split sends them, by its node; the first where it is not named. */
  split: Readonly<Record<string, number>>
}

export type ScenarioWorkspace = {
  quietHours: { from: string; until: string; zone: string | null } | null
  frequencyCap: FrequencyCap | null
}

/** A moment: so long after the beginning, or before it where its parts are below zero, or one of the calendar, in milliseconds since 1970. */
export type ScenarioMoment = { after: Span } | { ms: number }

/**
 * `enroll`: they come in without an event, as by hand, by a date or by a schedule. `mailed`: marketing mail of something else, by a name
 * of the author's; before the beginning it has gone then, from there on it is due then.
 */
export type Given = { at: ScenarioMoment } & (
  | { kind: 'event'; event: string; data: Readonly<Record<string, unknown>> }
  | { kind: 'tag' | 'untag'; tag: string }
  | { kind: 'click'; node: string }
  | { kind: 'unsubscribe'; from: (typeof UNSUBSCRIBES)[number] }
  | { kind: 'enroll' }
  | { kind: 'mailed'; by: string; priority: Definition['priority'] }
)
export const UNSUBSCRIBES = ['automation', 'everything'] as const

/** `at` null: whenever it is. */
export type Expected = { kind: SeenKind; what: string; at: ScenarioMoment | null }

/** Expectations of a scenario; of all but refusals whatever is not expected must not happen. */
export const SEEN_KINDS = ['mail', 'tag', 'untag', 'end', 'refused'] as const
export type SeenKind = (typeof SEEN_KINDS)[number]
export const ENDS = ['completed', 'goal', 'criterion', 'unsubscribed', 'restart', 'loop', 'held_out'] as const
export const REFUSALS = ['filter', 'rule', 'mode', 'key', 'limit'] as const

/** Monday, at nine in Berlin: where a scenario begins that does not say when. */
export const START_MS = Date.UTC(2026, 5, 1, 7)

/** Limits of an automation's scenarios. */
export const SCENARIOS_MAX = 50
export const SCENARIOS_CHARS_MAX = 131_072
export const GIVEN_MAX = 50
export const EXPECTED_MAX = 100
