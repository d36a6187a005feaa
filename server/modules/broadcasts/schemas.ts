import { type Static, Type } from 'typebox'
import { answer, closed, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { BODY_CHARS_MAX, SUBJECT_CHARS_MAX, TEXT_CHARS_MAX } from '../templates/template-limits.ts'

export const BROADCAST_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'canceled', 'failed'] as const
export type BroadcastStatus = (typeof BROADCAST_STATUSES)[number]

/** Orders of the list: the oldest or the newest first. */
export const BROADCAST_SORTS = ['id', '-id'] as const
export type BroadcastSort = (typeof BROADCAST_SORTS)[number]

const NAME_CHARS_MAX = 200
/** Each becomes a sub-query of one statement. */
const SEGMENTS_MAX = 20

const name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Your name for it; recipients do not see it. Trimmed.',
  examples: ['November news'],
})
const subject = Type.String({
  maxLength: SUBJECT_CHARS_MAX,
  description: 'With Liquid.',
  examples: ['News for {{ first_name | default: "you" }}'],
})
const BODY_EXAMPLE = '<p>Hello {{ first_name | default: "there" }}. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
const body = Type.String({
  maxLength: BODY_CHARS_MAX,
  description: 'MJML or HTML, with Liquid.',
  examples: [
    '<mjml><mj-body><mj-section><mj-column><mj-text>Hello {{ first_name }}, <a href="https://example.com/">read on</a>. ' +
      '<a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text></mj-column></mj-section></mj-body></mjml>',
  ],
})
const content = {
  subject,
  fromName: nullable(
    Type.String({ maxLength: 200, description: 'Null: that of the integration.', examples: ['Example News'] }),
  ),
  fromEmail: nullable(
    Type.String({
      maxLength: 320,
      description: 'An address at a verified sending domain. Null: that of the integration.',
      examples: [null],
    }),
  ),
  body,
  text: nullable(
    Type.String({
      maxLength: TEXT_CHARS_MAX,
      description: 'The plain text part, with Liquid. Null: made of the body.',
    }),
  ),
  integrationId: nullable(
    Type.String({ ...Id, description: 'The integration it is sent through. Null: the default.', examples: [null] }),
  ),
  topicId: nullable(
    Type.String({
      ...Id,
      description:
        'The topic it is of: it goes to those of the audience who want that, and its one-click unsubscribe ends that. ' +
        'Null: of none.',
      examples: [null],
    }),
  ),
}

const oneSegment = nullable(
  Type.String({
    ...Id,
    description: 'The only segment it goes to. Null: every contact with an address, or several segments.',
    examples: [null],
  }),
)
const someSegments = (description: string) =>
  Type.Array(Id, { maxItems: SEGMENTS_MAX, uniqueItems: true, description, examples: [[]] })
const audience = {
  segmentIds: someSegments('Contacts of any of these; of none: every contact with an address.'),
  excludedSegmentIds: someSegments('Contacts in one of these are left out.'),
}

/** The audience beside the content, in one request: a draft is never for others than was said while a second one is on its way. */
const givenAudience = {
  segmentId: Type.Optional(oneSegment),
  segmentIds: Type.Optional(audience.segmentIds),
  excludedSegmentIds: Type.Optional(audience.excludedSegmentIds),
}

const summary = {
  id: Id,
  name,
  subject,
  fromName: content.fromName,
  fromEmail: content.fromEmail,
  integrationId: content.integrationId,
  topicId: content.topicId,
  segmentId: oneSegment,
  ...audience,
  status: oneOf(BROADCAST_STATUSES),
  scheduledAt: nullable(Type.String({ ...Timestamp, description: 'When it starts by itself.' })),
  localTime: nullable(
    Type.String({
      description: 'The time of day, in each contact’s own zone, at which it is due there.',
      examples: ['2026-12-01T09:00:00'],
    }),
  ),
  localTimeZone: nullable(
    Type.String({ description: 'The zone of contacts that have none.', examples: ['Europe/Berlin'] }),
  ),
  startedAt: nullable(Timestamp),
  sentAt: nullable(Type.String({ ...Timestamp, description: 'When the last of its messages was settled.' })),
  failure: nullable(Type.String({ description: 'Why a failed one was not sent to anybody.' })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const BroadcastSummary = answer('BroadcastSummary', summary)
export type BroadcastSummary = Static<typeof BroadcastSummary>

const count = (description: string) => Type.Integer({ description, examples: [0] })

/** Fates of its recipients at one moment, as its report has them. */
export const BroadcastCounts = answer('BroadcastCounts', {
  recipientsTotal: count('The audience, frozen when it started; 0 until then. Always the sum of the next six.'),
  pendingCount: count('Still to be sent.'),
  acceptedCount: count('Accepted by the mail server or provider.'),
  failedCount: count('Failed for good.'),
  suppressedCount: count('On the list of addresses that must not be mailed.'),
  skippedCount: count('Not mailed although nothing failed: unsubscribed, without address, canceled.'),
  uncertainCount: count('Handed over without an answer: nobody can know.'),
  openedCount: count('Messages opened by people.'),
  clickedCount: count('Messages with a link clicked by people.'),
  unsubscribedCount: count('Messages whose reader has unsubscribed through them.'),
  bouncedCount: count('Messages that came back.'),
  complainedCount: count('Messages that were reported as spam.'),
})
export type BroadcastCounts = Static<typeof BroadcastCounts>

export const BroadcastListItem = answer('BroadcastListItem', { ...summary, counts: BroadcastCounts })
export type BroadcastListItem = Static<typeof BroadcastListItem>

export const Broadcast = answer('Broadcast', { ...summary, body: content.body, text: content.text })
export type Broadcast = Static<typeof Broadcast>

const optional = Type.Partial(Type.Object(content)).properties

/** Names that other services have for these fields. */
const OTHER_NAMES = {
  subject: ['subjectLine', 'title'],
  body: ['html', 'htmlBody', 'htmlContent', 'content', 'mjml'],
  text: ['textBody', 'textContent', 'plain', 'plainText', 'altbody'],
  fromEmail: ['from', 'sender'],
  segmentId: ['list', 'lists', 'listIds', 'audienceId', 'audience'],
  topicId: ['topic'],
}

export const BroadcastBody = closed(
  'BroadcastBody',
  {
    name,
    ...optional,
    ...givenAudience,
  },
  { examples: [{ name: 'November news', subject: 'News for you', body: BODY_EXAMPLE }], otherNames: OTHER_NAMES },
)
export type BroadcastBody = Static<typeof BroadcastBody>

export const BroadcastChange = closed(
  'BroadcastChange',
  {
    name: Type.Optional(name),
    ...optional,
    ...givenAudience,
  },
  { examples: [{ subject: 'November news' }], otherNames: OTHER_NAMES },
)
export type BroadcastChange = Static<typeof BroadcastChange>

export const AudienceBody = closed(
  'BroadcastAudienceBody',
  {
    segmentId: Type.Optional(
      nullable(Type.String({ ...Id, description: 'The one segment it goes to; null: every contact with an address.' })),
    ),
    segmentIds: Type.Optional(audience.segmentIds),
    excludedSegmentIds: Type.Optional(audience.excludedSegmentIds),
  },
  {
    description: '`segmentId` for one, `segmentIds` for several; what is left out is as if it were empty.',
    examples: [{ segmentId: null }, { segmentIds: [], excludedSegmentIds: [] }],
  },
)
export type AudienceBody = Static<typeof AudienceBody>

export const UnopenedBody = closed(
  'BroadcastUnopenedBody',
  {
    machineOpensCount: Type.Optional(
      Type.Boolean({
        description:
          'Whether mail that a machine alone has opened, as privacy proxies do, counts as opened too. Absent: no, as nobody ' +
          'may have read it.',
      }),
    ),
  },
  { examples: [{}] },
)
export type UnopenedBody = Static<typeof UnopenedBody>

const expectedCount = Type.Optional(
  Type.Integer({
    minimum: 0,
    description:
      '`recipientsCount` as somebody was told: when the audience is larger or smaller by more than 1 % or 10 by now, ' +
      'nothing happens and the answer is 409 `audience-changed` with `count`, the number it is.',
    examples: [1200],
  }),
)

const expectedUpdatedAt = Type.Optional(
  Type.String({
    ...Timestamp,
    description:
      '`updatedAt` of the broadcast that somebody has looked at: when it was changed since, nothing happens and the answer is 409.',
  }),
)

export const SendBody = closed('BroadcastSendBody', { expectedCount, expectedUpdatedAt }, { examples: [{}] })
export type SendBody = Static<typeof SendBody>

export const ScheduleBody = closed(
  'BroadcastScheduleBody',
  {
    expectedCount,
    expectedUpdatedAt,
    scheduledAt: Type.Optional(Type.String({ ...Timestamp, description: 'When it starts: a time to come.' })),
    localTime: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$',
        description: 'Instead: a date and time without zone, at which it is due to each contact in its own zone.',
        examples: ['2036-12-01T09:00:00'],
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'With `localTime`: the IANA zone of contacts that have none. UTC when absent.',
        examples: ['Europe/Berlin'],
      }),
    ),
  },
  { examples: [{ scheduledAt: '2036-12-01T08:00:00Z' }, { localTime: '2036-12-01T09:00', timeZone: 'Europe/Berlin' }] },
)
export type ScheduleBody = Static<typeof ScheduleBody>
