import { type Static, Type } from 'typebox'
import { answer, Id, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'
import { FINDING_SUBJECTS } from '../../emails/explanation.ts'
import { RULES } from '../../sending/ledger/refusal.ts'
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

/** Why a contact got a broadcast or did not, or whether they would. */
export const RecipientExplanation = answer('BroadcastRecipientExplanation', {
  contactId: Id,
  messageId: nullable(
    Type.String({ ...Id, description: 'The message to them; null while, or because, there is none.' }),
  ),
  wouldGet: Type.Boolean({ description: 'Whether they get it, as things stand.' }),
  rule: nullable(oneOf(RULES, { description: 'The rule that stands against it.' })),
  summary: Type.String({ description: 'In one sentence.', examples: ['Would get it if it were sent now.'] }),
  findings: Type.Array(
    Type.Object({
      subject: oneOf(['audience', 'exclusion', 'rules', ...FINDING_SUBJECTS], {
        description: 'The thing that was looked at: the last ones are those of a message.',
      }),
      verdict: oneOf(['passes', 'stops', 'delays', 'tells']),
      detail: Type.String({ examples: ['the contact is in segment 4'] }),
    }),
  ),
})
export type RecipientExplanation = Static<typeof RecipientExplanation>
