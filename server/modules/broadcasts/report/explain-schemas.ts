import { type Static, Type } from 'typebox'
import { answer, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'
import { BROADCAST_STATUSES } from '../schemas.ts'
import { holdReason } from './report-schemas.ts'

export const Finding = answer('BroadcastFinding', {
  subject: oneOf(
    ['status', 'planning', 'recipients', 'sender', 'limits', 'receivers', 'queue', 'lanes', 'attempts', 'sum'],
    {
      description: 'The thing that was looked at.',
    },
  ),
  verdict: oneOf(['passes', 'stops', 'delays', 'tells'], {
    description: 'Whether it lets the broadcast go, stops it until somebody does something, or only makes it slower.',
  }),
  detail: Type.String({ description: 'For a person.' }),
  at: nullable(Type.String({ ...Timestamp, description: 'Until when, or since.' })),
})
export type Finding = Static<typeof Finding>

export const BroadcastExplanation = answer('BroadcastExplanation', {
  summary: Type.String({ description: 'Why it is where it is, in one sentence.' }),
  status: oneOf(BROADCAST_STATUSES),
  holdReason,
  recipientsTotal: Type.Integer(),
  plannedCount: Type.Integer({ description: 'How many of them are in the ledger.' }),
  pendingCount: Type.Integer(),
  handingCount: Type.Integer({ description: 'Messages that are being handed over right now.' }),
  nextDueAt: nullable(Type.String({ ...Timestamp, description: 'When the next waiting message is due.' })),
  findings: Type.Array(Finding),
})
export type BroadcastExplanation = Static<typeof BroadcastExplanation>
