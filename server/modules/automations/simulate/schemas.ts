import { type Static, Type } from 'typebox'
import { answer, closed, Id, mayBeAbsent, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'

export const SIMULATION_STATES = ['running', 'done', 'canceled', 'failed'] as const
export type SimulationState = (typeof SIMULATION_STATES)[number]
/** Triggers that the time machine knows nothing of. */
export const NOT_REPLAYED = ['date', 'schedule', 'manual'] as const
export type NotReplayed = (typeof NOT_REPLAYED)[number]
export const WINDOW_DAYS_MAX = 90
export const WINDOW_DAYS = 30

const count = Type.Integer({ examples: [12] })
const reason = Type.String({ examples: ['filter'] })
const node = Type.String({ description: 'The id of the node.', examples: ['rest'] })

export const SimulateBody = mayBeAbsent(
  closed(
    'AutomationSimulate',
    {
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: WINDOW_DAYS_MAX, description: 'How long the window is; 30 when absent.' }),
      ),
      until: Type.Optional(
        Type.String({ ...Timestamp, description: 'When the window ends: now when absent, and never later.' }),
      ),
      samplePercent: Type.Optional(
        Type.Number({
          ...{ minimum: 0.01, maximum: 100 },
          description: 'So much of all people, for ever the same; 100 when absent.',
        }),
      ),
    },
    { examples: [{ days: 30, samplePercent: 10 }] },
  ),
)
export type SimulateBody = Static<typeof SimulateBody>

/** Half of all people have at most `p50`, 95 of 100 at most `p95`. */
const spread = answer('AutomationSpread', { p50: count, p95: count, max: count })

const Outcome = answer('AutomationSimulated', {
  people: Type.Integer({ description: 'Who came in at least once.', examples: [318] }),
  entered: Type.Integer({ description: 'Entries of all of them.', examples: [402] }),
  refused: Type.Array(answer('AutomationSimulatedRefusals', { reason, count })),
  ended: Type.Array(answer('AutomationSimulatedEnds', { end: Type.String({ examples: ['exited:goal'] }), count }), {
    description: 'Runs by how they ended.',
  }),
  inside: Type.Integer({ description: 'Runs that had no end yet when the window ended.' }),
  goals: count,
  goalValue: Type.Number({ examples: [1_204.5] }),
  nodes: Type.Array(
    answer('AutomationSimulatedNode', {
      node,
      entered: count,
      mails: count,
      notices: Type.Integer({ description: 'People of whom the team would have been told.', examples: [0] }),
      ways: Type.Array(answer('AutomationSimulatedWay', { way: Type.String({ examples: ['late'] }), count }), {
        description: 'By which way they left, or how they ended here.',
      }),
      skipped: Type.Array(answer('AutomationSimulatedSkips', { reason, count }), {
        description: 'Mails that would not have gone out, by reason.',
      }),
    }),
    { description: 'The entry is the node of an empty name.' },
  ),
  mails: answer('AutomationSimulatedMails', {
    total: count,
    people: Type.Integer({ description: 'Who got at least one.', examples: [290] }),
    days: Type.Array(answer('AutomationSimulatedDay', { day: Type.String({ examples: ['2026-11-23'] }), count })),
    perPerson: spread,
    held: Type.Array(
      answer('AutomationSimulatedHolds', { reason: Type.String({ examples: ['quiet_hours'] }), count }),
      {
        description:
          'Mails that had to wait by the settings of now (`quiet_hours`, `frequency_cap`), whatever became of them.',
      },
    ),
    waiting: Type.Integer({ description: 'Of those: how many still wait when the window ends.', examples: [0] }),
  }),
  assumed: answer(
    'AutomationAssumed',
    {
      decisions: count,
      people: count,
      on: Type.Array(answer('AutomationAssumption', { what: Type.String({ examples: ['custom:plan'] }), count })),
    },
    { description: 'Decisions that rest on something whose value then is not known: its value now was taken.' },
  ),
})

const comparedPeople = answer('AutomationComparedPeople', {
  people: count,
  examples: Type.Array(answer('AutomationComparedPerson', { contactId: Id, draft: count, live: count })),
})

export const SimulationReport = answer('AutomationSimulationReport', {
  isPartial: Type.Boolean({
    description:
      'It ended at a limit of time or events before everybody was looked at, or not all events of somebody were.',
  }),
  peopleCut: Type.Integer({
    description: 'People who have done more than is replayed of one person: part of it is left out.',
    examples: [0],
  }),
  notReplayed: Type.Array(oneOf(NOT_REPLAYED), {
    description: 'Triggers of the draft that no event stands for, so nobody comes in by them here.',
    examples: [['date']],
  }),
  draft: Outcome,
  live: nullable({ ...Outcome, title: 'AutomationSimulatedLive' }),
  compared: nullable(
    answer('AutomationCompared', {
      more: comparedPeople,
      less: comparedPeople,
      other: comparedPeople,
      same: comparedPeople,
    }),
  ),
  others: Type.Array(
    answer('AutomationOverlap', {
      kind: oneOf(['broadcast', 'automation']),
      id: Id,
      name: nullable(Type.String()),
      people: count,
      mails: count,
      withinDay: Type.Integer({ description: 'Mails within 24 hours of one of the draft’s to the same person.' }),
    }),
    { description: 'What else reached those whom the draft mails, the most first.' },
  ),
  perWeek: spread,
  traces: Type.Array(
    answer('AutomationSimulatedTrace', {
      runs: Type.Integer({ description: 'How many went this way.', examples: [120] }),
      contactId: Id,
      entryKey: Type.String({ examples: [''] }),
      enteredAt: Timestamp,
      end: nullable(Type.String({ examples: ['completed'] })),
      steps: Type.Array(
        answer('AutomationSimulatedStep', {
          node,
          way: Type.String({ examples: ['to'] }),
          next: nullable(node),
          leftAt: Timestamp,
        }),
      ),
    }),
    { description: 'The ten ways that most have gone, with the first person on each.' },
  ),
})
export type SimulationReport = Static<typeof SimulationReport>

const simulation = {
  id: Id,
  automationId: Id,
  state: oneOf(SIMULATION_STATES),
  from: Timestamp,
  until: Timestamp,
  samplePercent: Type.Number({ examples: [100] }),
  liveVersion: nullable(Type.Integer({ description: 'The version that the draft is compared with.', examples: [3] })),
  people: answer('AutomationSimulationPeople', { total: count, done: count }),
  events: Type.Integer({ description: 'Events that were replayed.', examples: [12_040] }),
  failure: nullable(Type.String()),
  createdAt: Timestamp,
  endedAt: nullable(Timestamp),
}
export const SimulationSummary = answer('AutomationSimulationSummary', simulation)
export type SimulationSummary = Static<typeof SimulationSummary>
export const SimulationList = answer('AutomationSimulationList', { items: Type.Array(SimulationSummary) })
export const Simulation = answer('AutomationSimulation', {
  ...simulation,
  report: nullable({ ...SimulationReport, description: 'Null until it is done.' }),
})
export type Simulation = Static<typeof Simulation>
