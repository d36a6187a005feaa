import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const NOTE_CHARS_MAX = 2_000

const Rule = Type.Object({ id: Id, name: Type.String(), definition: Type.String() })

/** Everything that a person decides on, as it was when it was asked for. */
const plan = {
  name: Type.String(),
  subject: Type.String({ description: 'With Liquid.' }),
  fromName: nullable(Type.String({ description: 'Null: that of the integration.' })),
  fromEmail: nullable(Type.String({ description: 'Null: that of the integration.' })),
  topicId: nullable(Id),
  segments: Type.Array(Rule, { description: 'Contacts of any of these; of none: every contact with an address.' }),
  excludedSegments: Type.Array(Rule, { description: 'Contacts in one of these are left out.' }),
  sendCount: nullable(Type.Integer({ description: 'How many of them would have got it then.' })),
  people: Type.Array(Type.String(), {
    description: 'The first five of them, masked.',
    examples: [['a***@example.com']],
  }),
  warnings: Type.Array(Type.String(), { description: 'The warnings of the preflight.' }),
}
const preview = Type.Object(
  { subject: Type.String(), html: Type.String(), text: Type.String() },
  { description: 'Rendered for a sample person. Show it in a sandboxed frame only.' },
)

export const APPROVAL_STATUSES = ['waiting', 'approved', 'rejected', 'expired'] as const

const summary = {
  id: Id,
  act: oneOf(['broadcast']),
  broadcastId: Id,
  status: oneOf(APPROVAL_STATUSES),
  scheduledAt: nullable(Type.String({ ...Timestamp, description: 'When it is to start; null: at once.' })),
  recipientsCount: Type.Integer({ description: 'How many contacts its audience had.', examples: [1_204] }),
  note: Type.String({ description: 'By the agent; may say anything.' }),
  askedBy: Type.Object({
    tokenId: nullable(Id),
    tokenName: nullable(Type.String()),
    client: nullable(Type.String({ description: 'As the client calls itself.' })),
  }),
  decidedBy: nullable(Type.Object({ id: nullable(Id), name: nullable(Type.String()) })),
  decidedAt: nullable(Timestamp),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  needsPassword: Type.Boolean({ description: 'Whether whoever approves it is asked for their password.' }),
}

export const ApprovalSummary = answer('ApprovalSummary', {
  ...summary,
  plan: Type.Object({ name: plan.name, subject: plan.subject }),
})
export const Approval = answer('Approval', { ...summary, plan: Type.Object({ ...plan, preview }) })
export type Approval = Static<typeof Approval>
export type Plan = Approval['plan']

export const ApprovalBody = closed(
  'ApprovalBody',
  {
    act: oneOf(['broadcast']),
    broadcastId: Id,
    at: Type.Optional(Type.String({ ...Timestamp, description: 'When it is to start; at once when absent.' })),
    note: Type.Optional(Type.String({ maxLength: NOTE_CHARS_MAX, description: 'For whoever decides.' })),
  },
  { examples: [{ act: 'broadcast', broadcastId: '42', note: 'The news of November.' }] },
)
export type ApprovalBody = Static<typeof ApprovalBody>

export const ApproveBody = closed(
  'ApproveBody',
  {
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_024, description: 'Your own, where `needsPassword` says so.' }),
    ),
  },
  { examples: [{ password: 'correct horse battery staple' }] },
)
export type ApproveBody = Static<typeof ApproveBody>
