import { type Static, Type } from 'typebox'
import { answer, closed, FreeForm, Id, mayBeAbsent, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { BODY_CHARS_MAX, SUBJECT_CHARS_MAX } from '../templates/template-limits.ts'
import { NODE_CHANGES } from './definition/diff-definitions.ts'
import { EVENT_CHARS_MAX, NAME_CHARS_MAX, NODE_ID_CHARS_MAX, NODES_MAX, WAIT_MS_MAX } from './definition/limits.ts'
import { INSIDE } from './definition/places.ts'
import { Scenarios, ScenariosWritten } from './scenarios/schemas.ts'

export const AUTOMATION_STATUSES = ['draft', 'active', 'closed', 'paused', 'stopped'] as const
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number]

export const STEP_TYPES = ['email', 'wait', 'apply_tag', 'remove_tag'] as const

const name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Your name for it; recipients do not see it. Trimmed.',
  examples: ['Forgotten carts'],
})
const step = {
  type: oneOf(STEP_TYPES),
  subject: nullable(Type.String({ maxLength: SUBJECT_CHARS_MAX, description: 'Of an email, with Liquid.' })),
  body: nullable(
    Type.String({
      maxLength: BODY_CHARS_MAX,
      description: 'Of an email: MJML or HTML, with Liquid. Without a link to unsubscribe it gets one at its end.',
    }),
  ),
  seconds: nullable(
    Type.Integer({ minimum: 0, maximum: WAIT_MS_MAX / 1_000, description: 'Of a wait.', examples: [7_200] }),
  ),
  tag: nullable(Type.String({ maxLength: 100, description: 'The name of a tag to apply or to remove.' })),
}
export const LinearStep = closed('AutomationStep', {
  type: step.type,
  subject: Type.Optional(step.subject),
  body: Type.Optional(step.body),
  seconds: Type.Optional(step.seconds),
  tag: Type.Optional(step.tag),
})
export type LinearStep = Static<typeof LinearStep>

const triggerEvent = Type.String({
  minLength: 1,
  maxLength: EVENT_CHARS_MAX,
  description: 'The name of the event that brings people in.',
  examples: ['cart.updated'],
})
const EXAMPLE_STEPS = [
  { type: 'wait', seconds: 7_200 },
  {
    type: 'email',
    subject: 'You left something behind',
    body: '<p>Your cart waits for you. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
  },
]
const steps = Type.Array(LinearStep, { maxItems: NODES_MAX, examples: [EXAMPLE_STEPS] })
const EXAMPLE_DEFINITION = {
  format: 1,
  enter: { on: [{ event: 'cart.updated' }] },
  start: 'rest',
  nodes: { rest: { type: 'delay', hours: 2, to: 'warm' }, warm: { type: 'tag', add: ['warm'], to: 'end' } },
}
const definition = Type.Unsafe<Record<string, unknown>>({
  ...FreeForm,
  description: 'The canonical form: a graph of nodes by their ids (docs/guides/automations.md).',
  examples: [EXAMPLE_DEFINITION],
})

const automation = {
  id: Id,
  name,
  status: oneOf(AUTOMATION_STATUSES, {
    description:
      '`active`: people may come in. `closed`: nobody comes in, those inside go on. `paused`: nobody goes on. `stopped`: for good.',
  }),
  triggerEvent: nullable(
    Type.String({ description: 'The event that brings people in, where it is a single one without a filter.' }),
  ),
  steps: nullable(
    Type.Array(answer('AutomationStepWritten', step), { description: 'Null: its definition is not the linear form.' }),
  ),
  definition: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'What is edited. It is in force once it is published.',
  }),
  scenarios: ScenariosWritten,
  publishedVersion: nullable(Type.Integer({ description: 'The version in force. Null: none yet.', examples: [3] })),
  draftChanged: Type.Boolean({ description: 'Whether the definition differs from the version in force.' }),
  pausedAt: nullable(Type.String({ ...Timestamp, description: 'Since when nobody goes on. Null: it is not paused.' })),
  pausedBy: nullable(Type.String({ description: 'Who has paused it.', examples: ['Ada'] })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}
export const Automation = answer('Automation', automation)
export type Automation = Static<typeof Automation>

export const AutomationListItem = answer('AutomationListItem', {
  ...automation,
  entered: Type.Integer({ description: 'How often anybody has come in, those held out included.', examples: [1_204] }),
  inside: Type.Integer({ description: 'People who are in it now.', examples: [318] }),
  parked: Type.Integer({ description: 'Of those inside: how many have failed and wait for somebody.', examples: [0] }),
})
export type AutomationListItem = Static<typeof AutomationListItem>

const revision = {
  revision: Type.Integer({ description: 'Counted from 1.', examples: [12] }),
  by: nullable(
    answer('AutomationAuthor', {
      kind: oneOf(['user', 'api_token', 'operator', 'system']),
      id: nullable(Type.String()),
      name: nullable(Type.String({ examples: ['Ada'] })),
    }),
  ),
  begunAt: Timestamp,
  savedAt: Type.String({ ...Timestamp, description: 'Of the last save that went into it.' }),
  restoredFrom: nullable(Type.Integer({ description: 'The revision that it was brought back from.' })),
}
export const RevisionSummary = answer('AutomationRevisionSummary', revision)
export type RevisionSummary = Static<typeof RevisionSummary>

/** A revision with what the draft has become since. */
export const Revision = answer('AutomationRevision', {
  ...revision,
  definition: automation.definition,
  scenarios: ScenariosWritten,
  since: answer('AutomationRevisionDiff', {
    parts: Type.Array(Type.String({ examples: ['enter'] }), { description: 'Parts beside the nodes that differ now.' }),
    nodes: Type.Array(
      answer('AutomationRevisionNode', {
        node: Type.String({ examples: ['rest'] }),
        change: oneOf(NODE_CHANGES),
        fields: Type.Array(Type.String({ examples: ['timeout'] }), { description: 'Those that differ.' }),
      }),
    ),
    scenarios: Type.Boolean({ description: 'Whether the scenarios differ.' }),
  }),
})
export type Revision = Static<typeof Revision>

const FORMS =
  'Either `definition`, the canonical form, or the linear one: `triggerEvent` and `steps`, done one after the other for ' +
  'everybody once.'

export const AutomationBody = closed(
  'AutomationBody',
  {
    name,
    definition: Type.Optional(definition),
    triggerEvent: Type.Optional(triggerEvent),
    steps: Type.Optional(steps),
    scenarios: Type.Optional(Scenarios),
  },
  {
    description: FORMS,
    examples: [
      { name: 'Forgotten carts', triggerEvent: 'cart.updated', steps: EXAMPLE_STEPS },
      { name: 'Warm carts', definition: EXAMPLE_DEFINITION },
    ],
  },
)
export type AutomationBody = Static<typeof AutomationBody>

export const AutomationChange = closed(
  'AutomationChange',
  {
    name: Type.Optional(name),
    definition: Type.Optional(definition),
    triggerEvent: Type.Optional(triggerEvent),
    steps: Type.Optional(steps),
    scenarios: Type.Optional(Scenarios),
  },
  { description: `Absent fields stay. ${FORMS}`, examples: [{ name: 'Carts left behind' }] },
)
export type AutomationChange = Static<typeof AutomationChange>

export const ResumeBody = mayBeAbsent(
  closed(
    'AutomationResumeBody',
    {
      late: Type.Optional(
        oneOf(['shift', 'now', 'drop'], {
          description:
            '`shift` (default): every timer is put off by as long as it was paused. `now`: whatever became due meanwhile is done at once. ' +
            '`drop`: so as well, without mail that is overdue by more than `dropAfter`.',
        }),
      ),
      dropAfter: Type.Optional(
        Type.String({
          maxLength: 50,
          description: 'Of `drop`: ISO 8601, without months; a day has 24 hours.',
          examples: ['PT12H'],
        }),
      ),
    },
    { examples: [{ late: 'shift' }] },
  ),
)
export type ResumeBody = Static<typeof ResumeBody>

const PLACE = Type.String({ maxLength: NODE_ID_CHARS_MAX, description: 'A node of the version, `end` or `exit`.' })

/** Of acts that publish a draft. */
export const publishingQuery = closed({
  despiteScenarios: Type.Optional(
    Type.Boolean({
      description: 'Publishes although scenarios fail: for people who run the workspace, and noted in the audit log.',
    }),
  ),
})

export const PublishBody = mayBeAbsent(
  closed(
    'AutomationPublishBody',
    {
      inside: Type.Optional(
        oneOf(INSIDE, {
          description:
            'Of those in older versions. `stay` (default): they go on there. `move`: they come to the node of the same id, with its new ' +
            'time, or to the one that `map` names. `exit`: they leave.',
        }),
      ),
      map: Type.Optional(
        Type.Record(Type.String(), PLACE, {
          maxProperties: NODES_MAX,
          description: 'Where those at a node go on. A node at which somebody stands and that is no more must be here.',
          examples: [{ rest: 'end' }],
        }),
      ),
      nodes: Type.Optional(
        Type.Array(Type.String({ maxLength: NODE_ID_CHARS_MAX }), {
          maxItems: NODES_MAX,
          description: 'Only those who stand at these nodes; all by default.',
          examples: [['rest']],
        }),
      ),
    },
    { examples: [{ inside: 'move' }] },
  ),
)
export type PublishBody = Static<typeof PublishBody>

export const Published = answer('AutomationPublished', {
  version: Type.Integer({ description: 'The version in force.', examples: [4] }),
  inside: oneOf(INSIDE),
  people: Type.Integer({ description: 'How many of those inside come along, or leave, in chunks.', examples: [318] }),
})
export type Published = Static<typeof Published>

const ENROLLED_MAX = 1_000
const PER_MINUTE_MAX = 100_000

export const EnrollBody = closed(
  'AutomationEnrollBody',
  {
    contactIds: Type.Optional(Type.Array(Id, { maxItems: ENROLLED_MAX, uniqueItems: true, examples: [[]] })),
    segmentId: Type.Optional(Type.String({ ...Id, description: 'Instead: everybody who is in it now.' })),
    key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Tells entries of one contact apart, as a cart does.' }),
    ),
    perMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PER_MINUTE_MAX,
        description: 'How many begin in a minute. Without: all at once.',
      }),
    ),
  },
  { examples: [{ contactIds: [] }] },
)
export type EnrollBody = Static<typeof EnrollBody>

export const ENROLL_VERDICTS = ['entered', 'refused', 'waiting'] as const
export const Enrolled = answer('AutomationEnrolled', {
  accepted: Type.Integer({
    description: 'How many contacts were put into the queue of those who come in.',
    examples: [2],
  }),
  verdicts: nullable(
    Type.Array(
      answer('AutomationEnrollVerdict', {
        contactId: Id,
        verdict: oneOf(ENROLL_VERDICTS, {
          description:
            '`waiting`: nobody has decided of them within a second, as where they come one after the other. `explain` tells later.',
        }),
        reason: nullable(Type.String({ description: 'Why they are refused.', examples: ['mode'] })),
      }),
      { description: 'One for each contact, in their order. Null for a segment, whose people come in by a job.' },
    ),
  ),
})
export type Enrolled = Static<typeof Enrolled>

export const ParkedBody = mayBeAbsent(
  closed(
    'AutomationParkedBody',
    { node: Type.Optional(Type.String({ maxLength: 64, description: 'Only those at this node.' })) },
    { examples: [{}] },
  ),
)
export const SteeredRuns = answer('AutomationSteeredRuns', { runs: Type.Integer({ examples: [3] }) })
