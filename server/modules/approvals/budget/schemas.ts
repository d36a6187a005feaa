import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf } from '../../../platform/schema/schemas.ts'
import { stepUpFields } from '../../second-factor/schemas.ts'

/**
 * `approve`: a person decides on every act. `budget`: broadcasts and mails within the budget are done at once, all else is asked
 * for. `off`: the token may not even ask.
 */
const SEND_MODES = ['approve', 'budget', 'off'] as const

export const RECIPIENTS_MAX = 10_000_000
export const SENDS_MAX = 10_000
export const SEGMENTS_MAX = 50

const TIME_OF_DAY = '^([01][0-9]|2[0-3]):[0-5][0-9]$'
const time = (example: string) => Type.String({ pattern: TIME_OF_DAY, examples: [example] })
const hours = {
  from: time('09:00'),
  until: time('17:00'),
  zone: Type.String({ maxLength: 64, description: 'An IANA time zone.', examples: ['Europe/Berlin'] }),
}
const HOURS = 'The hours at which it may go out. Null: any.'
const people = (description: string) =>
  Type.Integer({ minimum: 1, maximum: RECIPIENTS_MAX, description, examples: [500] })
const ids = {
  minItems: 1,
  maxItems: SEGMENTS_MAX,
  description: 'The audience has to be of these alone. Null: any audience.',
}

const budget = {
  recipientsPerSend: people('People of one broadcast.'),
  recipientsPerDay: people('People of all of them in 24 hours.'),
  sendsPerDay: Type.Integer({ minimum: 1, maximum: SENDS_MAX, description: 'Broadcasts and mails in 24 hours.' }),
}

export const SendPolicy = answer('SendPolicy', {
  mode: oneOf(SEND_MODES, { description: '`approve` unless somebody has set another.' }),
  budget: nullable(
    Type.Object({
      ...budget,
      segmentIds: nullable(Type.Array(Id, ids)),
      hours: nullable(Type.Object(hours, { description: HOURS })),
    }),
  ),
  spent: Type.Object(
    { recipients: Type.Integer({ examples: [120] }), sends: Type.Integer({ examples: [2] }) },
    { description: 'By the budget, within 24 hours; what is scheduled counts at its time.' },
  ),
})
export type SendPolicy = Static<typeof SendPolicy>
export type Budget = NonNullable<SendPolicy['budget']>

export const SendPolicyBody = closed(
  'SendPolicyBody',
  {
    mode: oneOf(SEND_MODES),
    budget: Type.Optional(
      closed(
        {
          ...budget,
          segmentIds: Type.Optional(nullable(Type.Array(Id, ids))),
          hours: Type.Optional(nullable(closed(hours, { description: HOURS }))),
        },
        { description: 'Stands beside `budget` alone.' },
      ),
    ),
    ...stepUpFields,
  },
  {
    examples: [
      {
        mode: 'budget',
        budget: { recipientsPerSend: 500, recipientsPerDay: 1_000, sendsPerDay: 5, segmentIds: ['7'] },
      },
    ],
  },
)
export type SendPolicyBody = Static<typeof SendPolicyBody>
