import { type Static, Type } from 'typebox'
import { answer, closed, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'

export const BACKFILL_DAYS_MAX = 365
const PER_MINUTE_MAX = 100_000

export const BACKFILL_STATES = ['running', 'done', 'revoked'] as const
export type BackfillState = (typeof BACKFILL_STATES)[number]
export const AS_OF = ['now', 'then'] as const
export type AsOf = (typeof AS_OF)[number]

const days = Type.Integer({
  ...{ minimum: 1, maximum: BACKFILL_DAYS_MAX, examples: [30] },
  description: 'People whose trigger happened in so many days up to now.',
})

/** Of the count alone. */
export const BACKFILL_DAYS = 30
export const backfillQuery = closed({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: BACKFILL_DAYS_MAX,
      description: 'How far back; 30 when absent.',
      examples: [30],
    }),
  ),
})

export const BackfillBody = closed(
  'AutomationBackfillBody',
  {
    days,
    asOf: oneOf(AS_OF, {
      description:
        '`now`: everybody begins now, by their newest event. `then`: as of their event, so that exits and goals since count, and mail ' +
        'that was due before now is skipped.',
    }),
    perMinute: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: PER_MINUTE_MAX },
        description: 'How many events go through the entry in a minute. Without: as fast as they can.',
      }),
    ),
  },
  { examples: [{ days: 30, asOf: 'now', perMinute: 100 }] },
)
export type BackfillBody = Static<typeof BackfillBody>

const count = Type.Integer({ examples: [1_204] })

export const BackfillPreview = answer('AutomationBackfillPreview', {
  from: Timestamp,
  until: Timestamp,
  events: Type.Integer({ description: 'Events of triggers that nobody has come in by.', examples: [1_204] }),
  people: Type.Integer({ description: 'Whose they are.', examples: [918] }),
  enteredBefore: Type.Integer({
    description: 'Of these people: who has come in before, which the mode of the entry may refuse.',
    examples: [40],
  }),
})
export type BackfillPreview = Static<typeof BackfillPreview>

export const Backfill = answer('AutomationBackfill', {
  state: oneOf(BACKFILL_STATES),
  asOf: oneOf(AS_OF),
  from: Timestamp,
  until: Timestamp,
  perMinute: nullable(count),
  events: Type.Integer({ description: 'How many there were when it began.', examples: [1_204] }),
  placed: Type.Integer({ description: 'How many are through, or wait for their turn.', examples: [600] }),
  waiting: Type.Integer({ description: 'Of these: how many wait for their turn.', examples: [0] }),
  createdAt: Timestamp,
  endedAt: nullable(Timestamp),
})
export type Backfill = Static<typeof Backfill>

export const LastBackfill = answer('AutomationLastBackfill', {
  last: nullable({ ...Backfill, title: 'AutomationBackfillLast', description: 'Null: there was none.' }),
})
