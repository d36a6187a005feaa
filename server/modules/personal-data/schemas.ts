import { Type } from 'typebox'
import { PROOFS } from '../../catalogue/proofs.ts'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { PersonRun } from '../automations/seeing/schemas.ts'
import { ConsentEntry } from '../consents/schemas.ts'
import { Contact } from '../contacts/schemas.ts'
import { TimelineEvent } from '../events/schemas.ts'
import { PersonSubmission } from '../forms/schemas.ts'

export const MergeBody = closed(
  'ContactMergeBody',
  {
    contactId: Type.String({
      pattern: '^[0-9]{1,19}$',
      description: 'The contact that is merged into the one of the path, and is no more afterwards.',
      examples: ['43'],
    }),
  },
  { examples: [{ contactId: '43' }] },
)

/** One contact that became part of another. */
export const Merge = answer('ContactMerge', {
  contactId: Id,
  mergedIntoId: Type.String({
    description: 'The contact it was merged into: this one, or one that became part of this one later.',
    examples: ['42'],
  }),
  mergedAt: Timestamp,
})

const Hit = answer('MessageHit', {
  at: Timestamp,
  kind: oneOf(['open', 'click']),
  link: nullable(Type.Integer({ description: 'Of clicks: its place among the links of the template.' })),
  url: nullable(Type.String()),
  ip: nullable(Type.String({ description: 'Where it came from.', examples: ['203.0.113.9'] })),
  userAgent: nullable(Type.String()),
  verdict: nullable(
    oneOf(['human', 'machine'], { description: 'The author it was judged to have, ten seconds later.' }),
  ),
})

/** Everything known of one person. Kinds of records that nothing makes yet are empty. */
export const PersonalData = answer('PersonalData', {
  contact: Contact,
  tags: Type.Array(Type.Object({ id: Id, name: Type.String(), createdAt: Timestamp, appliedAt: Timestamp })),
  topics: Type.Array(
    Type.Object({
      topicId: Id,
      name: Type.String(),
      byWhom: oneOf(['person', 'workspace']),
      subscribedAt: Timestamp,
    }),
    { description: 'Kinds of mail that the person has said yes to.' },
  ),
  visitors: Type.Array(
    Type.Object({
      visitorId: Type.String(),
      proof: oneOf(PROOFS),
      firstSeenOn: Type.String(),
      lastSeenOn: Type.String(),
    }),
    { description: 'Browsers the person was recognised in.' },
  ),
  unsubscribes: Type.Array(
    Type.Object({ id: Id, destination: Type.String(), sendingSource: Type.String(), createdAt: Timestamp }),
    { description: 'Sources the address wants no more of. They outlive an erasure.' },
  ),
  suppressions: Type.Array(
    Type.Object({ id: Id, destination: Type.String(), reason: Type.String(), createdAt: Timestamp }),
    { description: 'Opt-outs, bounces and complaints of the address. They outlive an erasure.' },
  ),
  confirmations: Type.Array(
    Type.Object({
      provenance: oneOf(['double_opt_in', 'grandfathered', 'imported'], { description: 'How it is known.' }),
      optedInAt: nullable(Timestamp),
      optInIp: nullable(Type.String()),
      confirmedAt: nullable(Timestamp),
      confirmIp: nullable(Type.String()),
      createdAt: Timestamp,
    }),
    { description: 'Consents, with how they were given.' },
  ),
  consentChanges: Type.Array(ConsentEntry, {
    description: 'How consents came, went and came again, newest first, at most 1,000.',
  }),
  events: Type.Array(TimelineEvent, { description: 'Newest first, at most 1,000 a document.' }),
  outboundMessages: Type.Array(
    Type.Object({
      id: Id,
      kind: Type.String({ description: 'broadcast, automation, transactional, confirmation or test.' }),
      purpose: Type.String({ description: 'marketing, service, transactional or system.' }),
      destination: Type.String(),
      broadcastId: nullable(Id),
      automationId: nullable(Id),
      templateId: nullable(Id),
      subject: nullable(Type.String({ description: 'Of a single message with content of its own.' })),
      status: Type.String({ description: 'queued, sent, failed, suppressed, skipped or uncertain.' }),
      reason: nullable(Type.String()),
      sendingDomain: nullable(Type.String()),
      provider: nullable(Type.String()),
      providerMessageId: nullable(Type.String()),
      createdAt: Timestamp,
      settledAt: nullable(Timestamp),
      openedAt: nullable(Timestamp),
      clickedAt: nullable(Timestamp),
      unsubscribedAt: nullable(Timestamp),
      bouncedAt: nullable(Timestamp),
      complainedAt: nullable(Timestamp),
      hits: Type.Array(Hit, {
        description:
          'Each time it was opened or clicked, by whomever; 10,000 of all messages, the newest messages first.',
      }),
    }),
    { description: 'Messages to the person, newest first, at most 5,000.' },
  ),
  broadcastRecipients: Type.Array(
    Type.Object({
      broadcastId: Id,
      messageId: Id,
      status: Type.String(),
      reason: nullable(Type.String()),
      createdAt: Timestamp,
    }),
    { description: 'Broadcasts the person was among the recipients of.' },
  ),
  automationRuns: Type.Array(PersonRun, {
    description: 'Ways of the person through automations, newest first, at most 1,000.',
  }),
  formSubmissions: Type.Array(PersonSubmission, {
    description:
      'Forms that the person signed up by, or that were filled in with the address, newest first, at most 1,000.',
  }),
  nextCursor: Type.Optional(
    Type.String({ description: 'There are more events: `?cursor=` gives the document with the next ones.' }),
  ),
})
