import { type Static, Type } from 'typebox'
import { answer, closed, FreeForm, mayBeAbsent, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'
import { LINE_OUTCOMES } from './compare-seen.ts'
import { SCENARIOS_MAX, SEEN_KINDS } from './scenario.ts'

const EXAMPLE_SCENARIO = {
  name: 'A cart is warmed after two hours',
  given: [{ event: 'cart.updated', data: { cartId: 'a' } }],
  expect: [
    { tag: 'warm', at: 'PT2H' },
    { end: 'completed', at: 'PT2H' },
  ],
}
const FORM =
  'What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen ' +
  '(docs/guides/automations.md#scenarios).'

export const Scenarios = Type.Array(Type.Unsafe<Record<string, unknown>>(FreeForm), {
  maxItems: SCENARIOS_MAX,
  description: FORM,
  examples: [[EXAMPLE_SCENARIO]],
})

/** As the automation has them. */
export const ScenariosWritten = Type.Array(
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  { description: FORM, examples: [[EXAMPLE_SCENARIO]] },
)

const moment = (description: string) => nullable(Type.String({ ...Timestamp, description }))
const node = Type.String({ description: 'The id of the node.', examples: ['rest'] })

export const ScenarioResult = answer('AutomationScenarioResult', {
  name: Type.String({ examples: [EXAMPLE_SCENARIO.name] }),
  passed: Type.Boolean(),
  fault: nullable(
    Type.String({
      description: 'Why it could not be played with the definition as it is; null where it was played.',
      examples: ['the person is to go a way at a split that is no more (at “half”, part 1)'],
    }),
  ),
  startedAt: Timestamp,
  lines: Type.Array(
    answer('AutomationScenarioLine', {
      outcome: oneOf(LINE_OUTCOMES, {
        description:
          '`met`: as expected. `other_time`: at another moment. `missing`: expected, and has not happened. `unexpected`: has happened, and nobody expected it.',
      }),
      kind: oneOf(SEEN_KINDS),
      what: Type.String({
        description: 'The node of a mail, the name of a tag, an end, or a reason.',
        examples: ['warm'],
      }),
      node: nullable({
        ...node,
        description: 'Where it has happened, or was to happen; null where no node is concerned.',
      }),
      expectedAt: moment('Null: expected at any moment, or not expected.'),
      seenAt: moment('Null: it has not happened.'),
    }),
    { description: 'Expected and seen beside each other, in order of time.' },
  ),
  steps: Type.Array(
    answer('AutomationScenarioStep', {
      node,
      way: Type.String({ examples: ['to'] }),
      next: nullable(node),
      at: Timestamp,
    }),
    { description: 'The way that was gone; its first step is the entry, of an empty name.' },
  ),
  skipped: Type.Array(answer('AutomationScenarioSkip', { node, reason: Type.String({ examples: ['suppressed'] }) }), {
    description: 'Mails that the person was not sent, and why.',
  }),
})
export type ScenarioResult = Static<typeof ScenarioResult>

export const ScenarioRun = answer('AutomationScenarioRun', {
  passed: Type.Boolean({ description: 'Whether every scenario is told as it is written.' }),
  items: Type.Array(ScenarioResult),
})
export type ScenarioRun = Static<typeof ScenarioRun>

export const RunScenariosBody = mayBeAbsent(
  closed(
    'AutomationRunScenarios',
    {
      definition: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'Instead of the draft.', examples: [] }),
      ),
      scenarios: Type.Optional(Scenarios),
    },
    { description: 'Absent parts are those of the draft.', examples: [{ scenarios: [EXAMPLE_SCENARIO] }] },
  ),
)
export type RunScenariosBody = Static<typeof RunScenariosBody>
