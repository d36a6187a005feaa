import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'
import { INTERVALS, SeriesQuery } from '../../overview/schemas.ts'
import { LAST_SPANS } from './last-spans.ts'

const node = Type.String({ description: 'The id of the node.', examples: ['rest'] })
const version = Type.Integer({ examples: [3] })
const count = Type.Integer({ examples: [12] })

export const Counts = answer('AutomationCounts', {
  since: nullable(
    Type.String({
      ...Timestamp,
      description:
        'With `last`: from when on `entered`, `heldOut`, `refused`, `left`, `ended` and `ways` are counted, the beginning of an hour ' +
        'or, of days, of a day in UTC. Null: from the first day on.',
    }),
  ),
  entered: Type.Integer({ description: 'How often anybody has come in, those held out included.', examples: [1_204] }),
  heldOut: Type.Integer({ examples: [61] }),
  inside: Type.Integer({ description: 'People who are in it now.', examples: [318] }),
  refused: Type.Array(answer('AutomationRefusals', { reason: Type.String({ examples: ['filter'] }), count }), {
    description: 'How often somebody wanted to come in and did not, by reason.',
  }),
  troubles: Type.Array(Type.String({ examples: ['The segment “VIP” cannot be told: its field got another type.'] }), {
    description: 'Why people do not come in, or on, as they should: somebody has to mend it.',
  }),
  nodes: Type.Array(
    answer('AutomationNodeCounts', {
      node,
      version,
      entered: count,
      here: Type.Integer({
        description: 'Now, whatever `last` says. Without it entered = here + left + ended, at every moment.',
        examples: [7],
      }),
      movedIn: Type.Integer({
        description:
          'Of those who entered: how many a publishing took along out of an older version, and no step led here.',
        examples: [0],
      }),
      left: count,
      movedOut: Type.Integer({
        description:
          'Of those who left: how many a publishing took along into a newer version, so that they did not go on.',
        examples: [0],
      }),
      ended: count,
      parked: Type.Integer({
        description: 'Of those here: how many have failed and wait for somebody.',
        examples: [0],
      }),
      mails: nullable(
        answer(
          'AutomationNodeMails',
          {
            accepted: Type.Integer({ description: 'Mails that the mail server or provider took.', examples: [1_143] }),
            opened: Type.Integer({
              description: 'Of people, each mail once, however often it was opened.',
              examples: [402],
            }),
            clicked: Type.Integer({ description: 'Of people, each mail once.', examples: [96] }),
            unsubscribed: Type.Integer({ examples: [3] }),
            bounced: Type.Integer({ examples: [2] }),
            complained: Type.Integer({ examples: [0] }),
          },
          {
            description:
              'What became of the mail of the node; with `last` what did in that time. Null: it has sent none.',
          },
        ),
      ),
      isHalted: Type.Boolean({ description: 'Too many have failed here: whoever comes is parked untried.' }),
      ways: Type.Array(answer('AutomationWayCount', { way: Type.String({ examples: ['late'] }), count }), {
        description: 'By which way they left, or how they ended here: `exit:<reason>`.',
      }),
    }),
  ),
})
export type Counts = Static<typeof Counts>

export const CountsQuery = closed({
  last: Type.Optional(
    oneOf(LAST_SPANS, {
      description: 'Those alone who came, went on or ended in this time; who is here is as of now.',
    }),
  ),
})

const results = {
  entered: Type.Integer({ description: 'How often somebody came in, those held out aside.', examples: [1_143] }),
  goals: Type.Integer({ description: 'How many of these entries have reached the goal so far.', examples: [172] }),
  value: Type.Number({ description: 'What the goal sums up, of all who reached it.', examples: [8_570.5] }),
  heldOut: Type.Integer({ description: 'How often somebody was held out instead.', examples: [61] }),
}

/** Results of those who came in within a span. */
export const Results = answer('AutomationResults', {
  from: Type.String({ ...Timestamp, description: 'The beginning of the first hour or day.' }),
  to: Timestamp,
  interval: oneOf(INTERVALS),
  timeZone: Type.String({ description: 'The zone of the days.', examples: ['UTC'] }),
  series: Type.Array(
    answer('AutomationResultsPoint', {
      at: Type.String({ ...Timestamp, description: 'The beginning of the hour or day in which they came in.' }),
      ...results,
    }),
    { description: 'Without gaps, the oldest first. They sum up to `totals`.' },
  ),
  versions: Type.Array(answer('AutomationVersionResults', { version, ...results }), {
    description: 'The newest first, up to 100: of those who are in each, or have ended in it.',
  }),
  totals: Type.Object(results),
})
export type Results = Static<typeof Results>

export const ResultsQuery = closed({
  ...SeriesQuery.properties,
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'That version alone.' })),
})

const group = nullable(
  answer(
    'AutomationGroup',
    {
      people: Type.Integer({ description: 'Each counted once, by the first entry of the span.', examples: [1_143] }),
      reached: Type.Integer({ description: 'Of these: who did what the goal is within its time.', examples: [172] }),
      share: nullable(Type.Number({ description: 'Null: nobody is in it.', examples: [0.1505] })),
    },
    { description: 'Null: there is no goal.' },
  ),
)

export const Lift = answer('AutomationLift', {
  from: Timestamp,
  to: Timestamp,
  goal: nullable(
    Type.String({ description: 'The event that is the goal of the version in force.', examples: ['order.paid'] }),
  ),
  entered: group,
  heldOut: group,
  difference: nullable(
    answer(
      'AutomationLiftDifference',
      {
        value: Type.Number({
          description: 'The share of those who came in, less that of those held out.',
          examples: [0.0521],
        }),
        low: Type.Number({ description: 'The lower end of the interval of 95 %.', examples: [-0.0524] }),
        high: Type.Number({ examples: [0.1007] }),
      },
      { description: 'With its interval of 95 % by Newcombe (1998), method 10. Null: one of the groups is empty.' },
    ),
  ),
  lift: nullable(
    Type.Number({
      description: 'The difference as a part of the share of those held out. Null: none of them reached it.',
      examples: [0.53],
    }),
  ),
  isPartial: Type.Boolean({ description: 'More came in: the newest 100,000 entries are counted.' }),
})
export type Lift = Static<typeof Lift>

export const LiftQuery = closed({
  from: Type.Optional(Type.String({ ...Timestamp, description: '90 days before `to` when absent.' })),
  to: SeriesQuery.properties.to,
})

export const RUN_STATES = ['waiting', 'ready', 'parked', 'completed', 'exited', 'held_out', 'failed', 'erased'] as const

const run = {
  id: Id,
  contactId: nullable(Type.String({ ...Id, description: 'Null after an erasure.' })),
  version,
  state: oneOf(RUN_STATES),
  reason: nullable(Type.String({ description: 'Why it has exited.', examples: ['criterion'] })),
  node: nullable(Type.String({ description: 'Where it stands, or ended.', examples: ['rest'] })),
  entryKey: Type.String({ description: 'The value that tells entries of one contact apart.', examples: [''] }),
  enteredAt: Type.String({ ...Timestamp, description: 'The moment of the event that brought it in.' }),
  dueAt: nullable(Type.String({ ...Timestamp, description: 'When its timer ends, if it waits.' })),
  endedAt: nullable(Timestamp),
  error: nullable(Type.String({ description: 'Why it is parked.' })),
}
export const Run = answer('AutomationRun', run)
export type Run = Static<typeof Run>

export const RunPage = answer('AutomationRunPage', {
  items: Type.Array(Run),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})

const { contactId: _contact, entryKey: _key, ...runOfContact } = run
export const ContactRun = answer('ContactAutomationRun', {
  ...runOfContact,
  automationId: Id,
  automationName: Type.String({ examples: ['Welcome'] }),
})
export type ContactRun = Static<typeof ContactRun>

export const ContactRunPage = answer('ContactAutomationRunPage', {
  items: Type.Array(ContactRun),
  nextCursor: RunPage.properties.nextCursor,
})

const step = answer('AutomationRunStep', {
  visit: Type.Integer({ description: 'Counted from 1; 0 is the entry.', examples: [1] }),
  node: nullable(node),
  version,
  way: Type.String({ description: 'By which way it left, or how it ended here.', examples: ['late'] }),
  next: nullable(node),
  cameAt: Type.String({ ...Timestamp, description: 'By the run’s own clock.' }),
  leftAt: Timestamp,
  doneAt: Type.String({ ...Timestamp, description: 'When it was done, by the clock on the wall.' }),
  eventId: nullable(Id),
  event: nullable(
    Type.String({
      description: 'The name of that event; null as well once it is kept no more.',
      examples: ['order.paid'],
    }),
  ),
  seen: nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'What decided: of a branch which rules held (`holds`) and the `values` they asked for by then, of a split the `share`, of a mail ' +
        'its `messageId`.',
    }),
  ),
})
const variables = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Variables as they are, or were when it ended.',
  examples: [{ cart: 'c-17' }],
})
export const RunTrace = answer('AutomationRunTrace', { ...run, variables, steps: Type.Array(step) })
export type RunTrace = Static<typeof RunTrace>

/** A way of a person through an automation, as their personal data has it. */
export const PersonRun = answer('PersonAutomationRun', {
  id: Id,
  automationId: Id,
  automationName: Type.String(),
  version,
  state: run.state,
  reason: run.reason,
  entryKey: run.entryKey,
  enteredAt: run.enteredAt,
  endedAt: run.endedAt,
  goalAt: nullable(Type.String({ ...Timestamp, description: 'When it reached the goal.' })),
  variables,
  steps: Type.Array(step, { description: 'Its trace; of all runs at most 10,000 steps, the newest runs first.' }),
})
export type PersonRun = Static<typeof PersonRun>

export const Explanation = answer('AutomationExplanation', {
  contactId: Id,
  isInside: Type.Boolean(),
  waits: Type.Boolean({ description: 'An event that may bring it in waits for its turn.' }),
  story: Type.Array(Type.String({ examples: ['Came in on 2026-11-21T10:00:00Z by the event 4711.'] }), {
    description: 'What happened, why, and what comes next and when, in sentences.',
  }),
  entries: Type.Array(
    answer('AutomationEntry', {
      entryKey: Type.String(),
      entries: Type.Integer({ description: 'How often it has come in by this key.' }),
      enteredAt: nullable(Timestamp),
      refusals: Type.Integer({ description: 'How often it wanted to, and did not.' }),
      refusedAt: nullable(Timestamp),
      refusal: nullable(Type.String({ description: 'Why not, the last time.', examples: ['mode'] })),
      refusedEventId: nullable(Id),
      refusedEvent: nullable(Type.String({ description: 'The name of that event.', examples: ['cart.updated'] })),
      values: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'What the filter or the rule of the entry asks for: properties of that event, and fields and tags as they are now.',
        examples: [{ 'event.total': 12 }],
      }),
    }),
  ),
  mails: Type.Array(
    answer('AutomationMailFate', {
      messageId: Id,
      told: Type.String({ examples: ['It waits: the person has quiet hours.'] }),
    }),
    { description: 'Mails that wait, or were not sent in the end. The trace names all by their `messageId`.' },
  ),
  troubles: Type.Array(Type.String(), { description: 'As `counts` has them.' }),
  runs: Type.Array(RunTrace, { description: 'The last ten, newest first.' }),
})
export type Explanation = Static<typeof Explanation>

export const VersionSummary = answer('AutomationVersionSummary', { version, publishedAt: Timestamp })
export const Version = answer('AutomationVersion', {
  version,
  publishedAt: Timestamp,
  definition: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
})
