import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../../platform/schema/schemas.ts'
import { RULES } from '../../sending/ledger/refusal.ts'
import { HOLD_REASONS, MESSAGE_STATES } from '../../sending/message-states.ts'
import { BROADCAST_STATUSES } from '../schemas.ts'

const count = (description?: string) => Type.Integer({ examples: [0], ...(description ? { description } : {}) })
const rate = (description: string) => Type.Number({ description, examples: [0] })
const byReason = (description: string) =>
  Type.Array(Type.Object({ reason: Type.String({ examples: ['unsubscribed_source'] }), count: count() }), {
    description,
  })

export const holdReason = nullable(
  oneOf(HOLD_REASONS, { description: 'Why its messages wait although it is being sent. Null while they go.' }),
)

/** Decisions, section 11. */
export const Report = answer('BroadcastReport', {
  status: oneOf(BROADCAST_STATUSES),
  holdReason,
  recipientsTotal: count('The audience, frozen when it started; 0 until then.'),
  pendingCount: count('Still to be sent.'),
  acceptedCount: count('Accepted by the mail server or provider.'),
  failedCount: count(),
  suppressedCount: count('On the list of addresses that must not be mailed.'),
  skippedCount: count('Not mailed although nothing failed: unsubscribed, without address, canceled.'),
  uncertainCount: count('Handed over without an answer: nobody can know. `resolve-uncertain` decides.'),
  addsUp: Type.Boolean({
    description:
      'Whether the ledger has as many messages as recipients were planned, and the counts sum up to the total.',
  }),
  openedCount: count('Messages opened by people.'),
  clickedCount: count('Messages with a link clicked by people.'),
  unsubscribedCount: count(),
  bouncedCount: count(),
  complainedCount: count(),
  openRate: rate('`openedCount` by `acceptedCount`, 0 to 1.'),
  clickRate: rate('`clickedCount` by `acceptedCount`, 0 to 1.'),
  machineOpenedCount: count('Messages whose picture a machine fetched: a proxy of the mailbox, a scanner.'),
  machineClickedCount: count('Messages with a link that a machine followed.'),
  links: Type.Array(
    Type.Object({
      position: Type.Integer({ description: 'Of the link in the template, from 0.' }),
      url: Type.String({ description: 'Where it led the last time: of a personal link one of many.' }),
      clickCount: count('Clicks of people.'),
      clickedCount: count('Messages in which people clicked it.'),
      machineClickCount: count(),
    }),
    { description: 'Links that were clicked, in the order of the template.' },
  ),
  failedByReason: byReason('By what the receivers’ replies mean.'),
  suppressedByReason: byReason('bounce, complaint, manual.'),
  skippedByReason: byReason('Why they were not mailed.'),
  uncertainByReason: byReason('Messages lost before the answer.'),
  startedAt: nullable(Timestamp),
  endedAt: nullable(Type.String({ ...Timestamp, description: 'When it was sent, canceled or failed.' })),
  openersKnownUntil: nullable(
    Type.String({
      ...Timestamp,
      description:
        'Until when it is known who has opened it: so long it can be drafted again for those who have not. Null before it starts.',
    }),
  ),
})
/** All of it that is read at one moment; how long events are kept is a setting. */
export type Report = Omit<Static<typeof Report>, 'openersKnownUntil'>

/** The mail of a broadcast with the clicks of each of its links. */
export const HeatMap = answer('BroadcastHeatMap', {
  subject: Type.String({ examples: ['News of November'] }),
  html: Type.String({
    description: 'The mail as a person got it. The address of each link that is counted is `link:` and its position.',
  }),
  links: Type.Array(
    Type.Object({
      position: Type.Integer({ description: 'Of the link in the template, from 0.' }),
      url: Type.String({
        description: 'Where it leads this person; of one that they did not get, where it led the last time.',
      }),
      isShown: Type.Boolean({ description: 'Whether it is in the mail as this person got it.' }),
      clickCount: count('Clicks of people.'),
      clickedCount: count('Messages in which people clicked it.'),
      machineClickCount: count('Clicks of machines, which are in no other number.'),
    }),
    { description: 'In the order of the template: those of this mail, and those that were clicked in another’s.' },
  ),
})
export type HeatMap = Static<typeof HeatMap>

export const HeatMapQuery = closed({
  contactId: Type.Optional(
    Type.String({
      ...Id,
      description: 'As whom it is shown, which needs the scope contacts:read; else a sample person.',
    }),
  ),
})

export const MARKS = ['opened', 'clicked', 'unsubscribed', 'bounced', 'complained'] as const

const recipientFilters = {
  link: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 32_767,
      description: 'Only those of whom a person clicked the link at this position (`links` of the report).',
    }),
  ),
  state: Type.Optional(oneOf(MESSAGE_STATES)),
  reason: Type.Optional(Type.String({ maxLength: 100, description: 'Only those with this reason.' })),
  mark: Type.Optional(oneOf(MARKS, { description: 'Only those of whom this came back.' })),
  contactId: Type.Optional(Type.String({ ...Id, description: 'Only this contact.' })),
  destination: Type.Optional(Type.String({ maxLength: 320, description: 'Only this address.' })),
}

export const RecipientsFileQuery = closed(recipientFilters)
export type RecipientsFileQuery = Static<typeof RecipientsFileQuery>

export const RecipientsQuery = closed({
  ...recipientFilters,
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
})
export type RecipientsQuery = Static<typeof RecipientsQuery>

export const Recipient = answer('BroadcastRecipient', {
  messageId: Id,
  contactId: nullable(Type.String({ ...Id, description: 'Null when the contact was erased.' })),
  destination: Type.String({ description: 'Empty when the contact has no address, or was erased.' }),
  state: oneOf(MESSAGE_STATES, {
    description: 'As the report counts it. The status of a message calls `pending` `queued` and `accepted` `sent`.',
  }),
  reason: nullable(Type.String({ description: 'Why, for every state but pending and accepted.' })),
  rule: nullable(oneOf(RULES, { description: 'The rule that has refused the message.' })),
  attempts: Type.Integer(),
  reply: nullable(Type.String({ description: 'The last reply of the server.', examples: ['250 2.0.0 queued'] })),
  settledAt: nullable(Timestamp),
  openedAt: nullable(Timestamp),
  clickedAt: nullable(Timestamp),
  unsubscribedAt: nullable(Timestamp),
  bouncedAt: nullable(Timestamp),
  complainedAt: nullable(Timestamp),
})
export type Recipient = Static<typeof Recipient>

export const Recipients = answer('BroadcastRecipientList', {
  items: Type.Array(Recipient),
  nextCursor: Type.Optional(
    Type.String({
      description: 'Absent on the last page. A page of a rare kind may have fewer items, or none, before it.',
    }),
  ),
})

export const ResolveBody = closed(
  'BroadcastResolveBody',
  {
    as: oneOf(['sent', 'retry'], {
      description: '`sent`: take them for accepted. `retry`: send them again; some may arrive twice.',
    }),
  },
  { examples: [{ as: 'sent' }] },
)
