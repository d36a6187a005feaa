import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

const REASONS = `Why: \`cluster\` (the database is in another cluster than before), \`behind\` (it does not know what it had
committed), \`told\` (the operator said so), \`copy\` (it was started as a copy).`

export const Restoration = answer('Restoration', {
  held: Type.Boolean({
    description: 'Whether nothing is sent or delivered, because the database was restored or copied.',
  }),
  heldSince: nullable(Timestamp),
  reason: nullable(oneOf(['cluster', 'behind', 'told', 'copy'], { description: REASONS })),
  isCopy: Type.Boolean({ description: 'Whether it runs as a copy, whose mail stays in the mailbox.' }),
  mayConfirm: Type.Boolean({ description: 'Whether the person may let it go on: an owner of the first workspace.' }),
})
export type Restoration = Static<typeof Restoration>

export const RestorationConfirmation = closed(
  'RestorationConfirmation',
  {
    heldSince: Type.String({
      ...Timestamp,
      description: 'Since when it is held, as it was read: another restore is not confirmed by mistake.',
    }),
    sendQueued: Type.Optional(
      Type.Boolean({
        description:
          'Sends what was queued when it was held, which may have been sent after the backup. Without it those messages are uncertain.',
      }),
    ),
  },
  { examples: [{ heldSince: '2026-11-22T14:00:00.123456Z' }] },
)
export type RestorationConfirmation = Static<typeof RestorationConfirmation>

export const RestorationConfirmed = answer('RestorationConfirmed', { status: Type.Literal('accepted') })

export const ParkedReplay = closed(
  'ParkedReplay',
  {
    group: Type.Optional(Type.String({ maxLength: 100, description: 'Of this reader alone.' })),
    position: Type.Optional(Type.String({ ...Id, description: 'Only the event at this position of the log.' })),
  },
  { examples: [{ group: 'webhooks', position: '4711' }] },
)
export type ParkedReplay = Static<typeof ParkedReplay>

export const ParkedReplayAsked = answer('ParkedReplayAsked', { status: Type.Literal('accepted') })

/** How the installation fares, for whoever runs it. */
export const System = answer('System', {
  version: Type.String(),
  takesWrites: Type.Boolean({
    description: 'Whether the database takes what is written: not while its disk is full, or it can only be read.',
  }),
  readers: Type.Array(
    Type.Object({
      group: Type.String({ description: 'Reader of the log of events.' }),
      lagSeconds: Type.Number({
        description: 'Age of the oldest row that it has not handled; 0 when it has handled all.',
      }),
      parkedRows: Type.Integer({ description: 'Rows put aside because they could not be handled.' }),
      waitingRows: Type.Integer({ description: 'Of these: untried, for the reader ahead has put them aside.' }),
    }),
  ),
  lastBackup: nullable(
    Type.Object(
      { takenAt: Timestamp, bytes: Type.Integer({ description: 'Size of its file.' }) },
      { description: 'The last one that `postroom backup` took; null where it took none.' },
    ),
  ),
  failedBackup: nullable(
    Type.Object(
      { endedAt: Timestamp, error: Type.String() },
      { description: "The night's that failed last; null once one was taken since, or none is to be taken any more." },
    ),
  ),
  parked: Type.Array(
    Type.Object({
      group: Type.String({ description: 'Reader that could not handle it.' }),
      position: Type.String({ description: 'Of the event in the log.', examples: ['4711'] }),
      type: nullable(Type.String({ description: 'Of the event; null where the log has it no more.' })),
      workspace: nullable(Type.String({ description: 'Name of its workspace.' })),
      error: Type.String(),
      attempts: Type.Integer(),
      parkedAt: Timestamp,
      waitsFor: nullable(Type.String({ description: 'Reader that has to handle it first.' })),
    }),
    { description: 'The oldest events that are parked, at most 50.' },
  ),
  queues: Type.Array(
    Type.Object({
      queue: Type.String(),
      ready: Type.Number({ description: 'Jobs that could start now. A queue with none is not in the list.' }),
      oldestAgeSeconds: Type.Number(),
    }),
  ),
  automations: Type.Object(
    {
      checkedAt: nullable(Timestamp),
      faults: Type.Array(
        Type.Object({
          fault: Type.String({ description: 'As the metric `postroom_automation_faults` has it.' }),
          found: Type.Integer(),
          is: Type.String({ description: 'What was counted, in words.' }),
        }),
      ),
    },
    { description: 'What the last look at everybody in every automation found that can never be; every minute.' },
  ),
  heldStreams: Type.Array(
    Type.Object({
      reason: Type.String({ description: 'Why mail waits.' }),
      streams: Type.Integer({ description: 'Streams of mail that wait for it, of all workspaces.' }),
    }),
  ),
})
export type System = Static<typeof System>
