import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { stepUpFields } from '../second-factor/schemas.ts'

export const NOTE_CHARS_MAX = 2_000

/** Kinds of things that an agent may ask for. */
export const ACT_KINDS = ['broadcast', 'automation', 'email'] as const
export type ActKind = (typeof ACT_KINDS)[number]

const Rule = Type.Object({ id: Id, name: Type.String(), definition: Type.String() })

/** Everything that a person decides on, as it was when it was asked for. */
const plan = {
  name: Type.String({ description: 'Of the broadcast, the automation or the template.' }),
  subject: Type.String({ description: 'With Liquid; of an automation that of its first mail.' }),
  fromName: nullable(
    Type.String({ description: 'That of the integration where it has none of its own. Null: neither has one.' }),
  ),
  fromEmail: nullable(
    Type.String({ description: 'That of the integration where it has none of its own. Null: there is none yet.' }),
  ),
  topicId: nullable(Id),
  segments: Type.Array(Rule, {
    description:
      'Of a broadcast: contacts of any of these; of none: every contact with an address. Of an automation: those that it asks about.',
  }),
  excludedSegments: Type.Array(Rule, { description: 'Contacts in one of these are left out.' }),
  sendCount: nullable(Type.Integer({ description: 'How many of them would have got it then.' })),
  people: Type.Array(Type.String(), {
    description: 'The first five of them, masked.',
    examples: [['a***@example.com']],
  }),
  warnings: Type.Array(Type.String(), { description: 'The warnings of the preflight.' }),
}
const rendered = { subject: Type.String(), html: Type.String(), text: Type.String() }
const preview = Type.Union([Type.Object(rendered), Type.Null()], {
  description:
    'The mail, rendered for a sample person or for the contact. Show it in a sandboxed frame only. Null: an automation.',
})
const ofAutomation = {
  mails: Type.Array(Type.Object({ node: Type.String(), ...rendered }), {
    description: 'The mails of an automation, likewise, each with the node it is of.',
  }),
  definition: nullable(
    Type.String({ description: 'Canonical JSON of an automation, as it would be in force. Null: none.' }),
  ),
}

export const APPROVAL_STATUSES = ['waiting', 'approved', 'rejected', 'expired'] as const

const summary = {
  id: Id,
  act: oneOf(ACT_KINDS),
  broadcastId: nullable(Id),
  automationId: nullable(Id),
  templateId: nullable({ ...Id, description: 'Of a mail to one contact.' }),
  contactId: nullable(Id),
  status: oneOf(APPROVAL_STATUSES),
  scheduledAt: nullable(Type.String({ ...Timestamp, description: 'When it is to start; null: at once.' })),
  recipientsCount: Type.Integer({
    description: 'How many contacts its audience had; of an automation 0: they come as time goes by.',
    examples: [1_204],
  }),
  note: Type.String({ description: 'By the agent; may say anything.' }),
  askedBy: Type.Object({
    tokenId: nullable(Id),
    tokenName: nullable(Type.String()),
    client: nullable(Type.String({ description: 'As the client calls itself.' })),
  }),
  byBudget: Type.Boolean({ description: 'Whether it was within the budget of the token, so that nobody was asked.' }),
  budgetReason: nullable(
    Type.String({
      description: 'Why a person is asked although the token has a budget. Null: it has none, or it was enough.',
    }),
  ),
  decidedBy: nullable(Type.Object({ id: nullable(Id), name: nullable(Type.String()) })),
  decidedAt: nullable(Timestamp),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  needsPassword: Type.Boolean({
    description:
      'Whether whoever approves it is asked for their password, or for a code where they have a second factor: above 1,000 people, and for an automation.',
  }),
}

export const ApprovalSummary = answer('ApprovalSummary', {
  ...summary,
  plan: Type.Object({ name: plan.name, subject: plan.subject }),
})
export const Approval = answer('Approval', { ...summary, plan: Type.Object({ ...plan, preview, ...ofAutomation }) })
export type Approval = Static<typeof Approval>
export type Plan = Approval['plan']

export const ApprovalBody = closed(
  'ApprovalBody',
  {
    act: oneOf(ACT_KINDS, {
      description:
        '`broadcast`: send a draft. `automation`: publish a draft and open its entry. `email`: mail a template to one contact.',
    }),
    broadcastId: Type.Optional(Id),
    automationId: Type.Optional(Id),
    templateId: Type.Optional(Id),
    contactId: Type.Optional(Id),
    at: Type.Optional(
      Type.String({ ...Timestamp, description: 'When it is to start; at once when absent. Not of an automation.' }),
    ),
    note: Type.Optional(Type.String({ maxLength: NOTE_CHARS_MAX, description: 'For whoever decides.' })),
  },
  { examples: [{ act: 'broadcast', broadcastId: '42', note: 'The news of November.' }] },
)
export type ApprovalBody = Static<typeof ApprovalBody>

export const ApproveBody = closed('ApproveBody', stepUpFields, {
  examples: [{ password: 'correct horse battery staple' }, { code: '123456' }],
})
export type ApproveBody = Static<typeof ApproveBody>
