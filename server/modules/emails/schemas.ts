import { type Static, type TSchema, Type } from 'typebox'
import { PROVIDERS } from '../../catalogue/providers.ts'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { RULES } from '../sending/ledger/refusal.ts'
import { SURFACES } from '../sending/ledger/surface.ts'
import { PURPOSES } from '../sending/message-source.ts'
import { MESSAGE_STATES } from '../sending/message-states.ts'
import { FINDING_SUBJECTS } from './explanation.ts'

/** Of destination, cc and bcc together. */
export const RECIPIENTS_MAX = 50
const REPLY_TO_MAX = 10
const HEADERS_MAX = 30
const ATTACHMENTS_MAX = 20
const EMAILS_PER_BATCH_MAX = 100

const optional = <S extends TSchema & { type?: unknown; enum?: unknown[] }>(schema: S) =>
  Type.Optional(nullable(schema))
const text = (maxLength: number, description: string, ...examples: string[]) =>
  Type.String({ maxLength, description, ...(examples.length > 0 ? { examples } : {}) })
const mailboxes = (maxItems: number, description: string) =>
  optional(Type.Array(Type.String({ maxLength: 600 }), { maxItems, description }))

const AttachmentBody = closed('AttachmentBody', {
  fileName: text(255, 'The name of the file.', 'invoice.pdf'),
  contentType: text(200, 'Its media type.', 'application/pdf'),
  content: Type.String({ description: 'Its bytes in base64.', examples: ['JVBERi0xLjcK'] }),
  contentId: optional(text(200, 'Makes it part of the HTML, which refers to it as `cid:` and this.', 'logo')),
})

/** Names that other services have for these fields, for who comes from there. */
const OTHER_NAMES = {
  subject: ['subjectLine', 'title'],
  destination: ['to', 'recipient', 'recipients', 'email', 'toEmail', 'personalizations'],
  destinationName: ['name', 'toName'],
  fromEmail: ['from', 'sender', 'source'],
  html: ['body', 'htmlBody', 'htmlContent', 'htmlPart', 'content', 'message'],
  text: ['textBody', 'textContent', 'textPart', 'plain', 'plainText'],
  templateId: ['template'],
  templateKey: ['templateAlias', 'templateName'],
  variables: ['data', 'templateData', 'dynamicTemplateData', 'templateModel', 'params', 'substitutions', 'context'],
  metadata: ['tags', 'customArgs', 'customArguments', 'meta', 'customVariables'],
  scheduledAt: ['sendAt', 'deliverAt', 'deliveryTime', 'sendAfter'],
  replyTo: ['replyToList', 'replyToEmail'],
}

/** A message to one person. */
export const EmailBody = closed(
  'EmailBody',
  {
    destination: Type.Union(
      [
        text(320, 'The recipient: one address.', 'ada@example.com'),
        Type.Array(Type.String({ maxLength: 600 }), {
          minItems: 1,
          maxItems: RECIPIENTS_MAX,
          description:
            'Several in `To`, `ada@example.com` or `Ada <ada@example.com>`, of one message. It is that of the first one: ' +
            'whose suppression stops it, and whom its status and events are about.',
        }),
      ],
      { examples: ['ada@example.com'] },
    ),
    destinationName: optional(text(200, 'Their name, as it stands in `To`.', 'Ada Lovelace')),
    templateId: optional(
      Type.String({
        pattern: '^[0-9]{1,19}$',
        description: 'The template it is made from, unless it has content of its own.',
      }),
    ),
    templateKey: optional(text(100, 'The same by the key of the template.', 'receipt')),
    subject: optional(text(998, 'Content of its own: needs `html` or `text` as well.', 'Your receipt')),
    html: optional(text(1_000_000, 'HTML or MJML.', '<p>Thank you, {{ first_name }}.</p>')),
    text: optional(text(1_000_000, 'The same without markup; made from the HTML when absent.')),
    variables: Type.Optional(
      Type.Union([FreeForm, Type.Null()], {
        description:
          'Values for Liquid, before those of the contact. With them, `{}` as well, Liquid is applied to content of its ' +
          'own; without them content that has `{{` or `{%` in it is refused, unless `liquid` says what is meant.',
        examples: [{ first_name: 'Ada', total: '12.00' }],
      }),
    ),
    liquid: optional(
      Type.Boolean({
        description:
          'Of content of its own. true: Liquid is applied to it. false: it goes out as it is, character for character.',
      }),
    ),
    metadata: Type.Optional(
      Type.Union([FreeForm, Type.Null()], {
        description:
          'Anything that helps to know the message again, at most 4 KiB: read with it, and in the data of its `email.*` ' +
          'events.',
        examples: [{ orderId: '4711' }],
      }),
    ),
    fromEmail: optional(text(320, 'The sender: an address of one of your sending domains.')),
    fromName: optional(text(200, 'The name beside it.')),
    cc: mailboxes(RECIPIENTS_MAX, 'Further recipients: `ada@example.com` or `Ada <ada@example.com>`.'),
    bcc: mailboxes(RECIPIENTS_MAX, 'Recipients that the others do not see.'),
    replyTo: mailboxes(REPLY_TO_MAX, 'Where answers go.'),
    headers: optional(
      Type.Array(closed({ name: text(76, 'Its name.', 'X-Order'), value: text(900, 'Its value.', '4711') }), {
        maxItems: HEADERS_MAX,
        description: 'Further header fields. Those that other fields of this body say are refused.',
      }),
    ),
    attachments: optional(Type.Array(AttachmentBody, { maxItems: ATTACHMENTS_MAX })),
    trackOpens: optional(Type.Boolean({ description: 'Adds a pixel that tells of opens. false when absent.' })),
    trackClicks: optional(
      Type.Boolean({ description: 'Leads links through us, which tells of clicks. false when absent.' }),
    ),
    scheduledAt: optional({ ...Timestamp, description: 'When it goes out, within a year; now when absent.' }),
  },
  {
    examples: [{ destination: 'ada@example.com', subject: 'Your receipt', text: 'Thank you for your order.' }],
    otherNames: OTHER_NAMES,
  },
)
export type EmailBody = Static<typeof EmailBody>

/** The answer to the request; the message's own fate is read under its id. */
export const QueuedEmail = answer('QueuedEmail', {
  id: Id,
  status: oneOf(['queued', 'sent', 'suppressed'], { description: 'suppressed: the address must not be mailed.' }),
  destination: Type.String({ description: 'Normalised.', examples: ['ada@example.com'] }),
})

/** Each item is held to `EmailBody` by itself, so the request is valid with items that are not. */
export const EmailBatchBody = closed(
  'EmailBatchBody',
  {
    emails: Type.Array(
      Type.Union([EmailBody, Type.Unknown({ description: 'Anything else is answered as a failed item.' })]),
      { minItems: 1, maxItems: EMAILS_PER_BATCH_MAX },
    ),
  },
  {
    examples: [
      { emails: [{ destination: 'ada@example.com', subject: 'Your receipt', text: 'Thank you for your order.' }] },
    ],
  },
)

export const EmailBatchResults = answer('EmailBatchResults', {
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Position in the request, from 0.', examples: [0] }),
      status: oneOf(['queued', 'sent', 'suppressed', 'failed'], { description: 'failed: nothing was done.' }),
      id: Type.Optional(Id),
      destination: Type.Optional(Type.String()),
      error: Type.Optional(Type.String({ description: 'The fault of a failed item.' })),
    }),
  ),
})

export const EMAIL_STATUSES = ['queued', 'sent', 'failed', 'suppressed', 'skipped', 'uncertain'] as const
export type EmailStatus = (typeof EMAIL_STATUSES)[number]

const FreeFormOrNull = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
} as TSchema)

const mailbox = answer('Mailbox', { address: Type.String(), name: nullable(Type.String()) })

/** A message as the list has it. */
export const Email = answer('Email', {
  id: Id,
  purpose: oneOf(PURPOSES, { description: 'Its purpose: together with the surface it decides to whom it may go.' }),
  surface: oneOf(SURFACES, { description: 'The way by which it was sent.' }),
  status: oneOf(EMAIL_STATUSES, {
    description:
      'sent: the mail server took it. skipped: it was not to be sent, `reason` tells why. uncertain: it was handed over ' +
      'and no answer came; it may have arrived.',
  }),
  reason: nullable(Type.String({ description: 'Why, for every status but queued and sent.', examples: ['canceled'] })),
  destination: Type.String({ description: 'Empty after an erasure.', examples: ['ada@example.com'] }),
  contactId: nullable(Id),
  broadcastId: nullable(Id),
  automationId: nullable(Id),
  templateId: nullable(Id),
  subject: nullable(Type.String({ description: 'Before Liquid; null with a template.' })),
  attempts: Type.Integer({ description: 'Attempts that counted; being slowed down by a server counts none.' }),
  scheduledAt: nullable(Timestamp),
  createdAt: Timestamp,
  settledAt: nullable(Timestamp),
  openedAt: nullable({ ...Timestamp, description: 'First opened by a person.' }),
  clickedAt: nullable(Timestamp),
  unsubscribedAt: nullable(Timestamp),
  bouncedAt: nullable(Timestamp),
  complainedAt: nullable(Timestamp),
})

export const TIMELINE_TYPES = [
  'created',
  'attempt',
  'sent',
  'failed',
  'suppressed',
  'skipped',
  'uncertain',
  'opened',
  'clicked',
  'unsubscribed',
  'bounced',
  'complained',
] as const

/** One thing that happened to a message. Fields that a type has no use for are null. */
export const TimelineEntry = answer('TimelineEntry', {
  at: Timestamp,
  type: oneOf(TIMELINE_TYPES, { description: 'attempt: one that did not end with the message accepted.' }),
  reason: nullable(
    Type.String({ description: 'Why: of an attempt what the reply means, else the reason of the status.' }),
  ),
  reply: nullable(Type.String({ description: "The mail server's reply.", examples: ['250 2.0.0 OK'] })),
  url: nullable(Type.String({ description: 'The link, of a click.' })),
  byMachine: nullable(
    Type.Boolean({ description: 'Of an open or a click: a scanner or a proxy did it, as far as we see.' }),
  ),
})

/** A message with what it says and all that happened to it. */
export const EmailDetail = answer('EmailDetail', {
  ...Email.properties,
  templateVersion: nullable(Type.Integer()),
  destinationName: nullable(Type.String()),
  furtherTo: Type.Array(mailbox, { description: 'Beside the destination, in `To`.' }),
  metadata: FreeFormOrNull,
  fromEmail: nullable(Type.String({ description: "null: the integration's." })),
  fromName: nullable(Type.String()),
  cc: Type.Array(mailbox),
  bcc: Type.Array(Type.String()),
  replyTo: Type.Array(mailbox),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  attachments: Type.Array(
    Type.Object({
      fileName: Type.String(),
      contentType: Type.String(),
      contentId: nullable(Type.String()),
      sizeBytes: Type.Integer(),
    }),
  ),
  nextAttemptAt: nullable({ ...Timestamp, description: 'When it is tried next, while it is queued.' }),
  integrationId: nullable(Id),
  provider: nullable(oneOf(PROVIDERS)),
  providerMessageId: nullable(Type.String({ description: "The provider's id for it." })),
  reply: nullable(Type.String({ description: 'The last reply of the mail server.', examples: ['250 2.0.0 OK'] })),
  timeline: Type.Array(TimelineEntry, { description: 'Oldest first, at most 500.' }),
})

export const EmailList = answer('EmailList', {
  items: Type.Array(Email),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})

/** A message as its receiver reads it. */
export const MessageContent = answer('MessageContent', {
  from: mailbox,
  to: Type.Array(mailbox),
  cc: Type.Array(mailbox),
  replyTo: Type.Array(mailbox),
  subject: Type.String({ examples: ['News for Ada'] }),
  html: nullable(Type.String({ description: 'Its links count nothing, and those to unsubscribe stop nothing.' })),
  text: nullable(Type.String()),
  asSent: Type.Boolean({
    description:
      'Whether nothing that it is made of has changed since it was sent. Otherwise values of the contact, or the postal ' +
      'address, may have read otherwise.',
  }),
})

/** Why somebody did or did not get a message. */
export const MessageExplanation = answer('MessageExplanation', {
  id: Id,
  purpose: Email.properties.purpose,
  surface: Email.properties.surface,
  destination: Email.properties.destination,
  contactId: nullable(Id),
  broadcastId: nullable(Id),
  automationId: nullable(Id),
  state: oneOf(MESSAGE_STATES, {
    description: 'Where it stands: `pending` is the status `queued`, `accepted` is `sent`; the others are alike.',
  }),
  reason: nullable(Type.String({ examples: ['unsubscribed_source'] })),
  rule: nullable(oneOf(RULES, { description: 'The rule that has refused it, or will.' })),
  summary: Type.String({
    description: 'In one sentence.',
    examples: ['Not sent: the person has unsubscribed from broadcasts.'],
  }),
  findings: Type.Array(
    Type.Object({
      subject: oneOf(FINDING_SUBJECTS, { description: 'The thing that was looked at.' }),
      verdict: oneOf(['passes', 'stops', 'delays', 'tells'], {
        description: 'tells: it neither lets through nor stops, it says how the message fared.',
      }),
      detail: Type.String({ examples: ['the address is not suppressed'] }),
      at: nullable(Timestamp),
    }),
    { description: 'As things stand now, in the order in which they count.' },
  ),
})

export const ResolveEmailBody = closed(
  'ResolveEmailBody',
  {
    as: oneOf(['sent', 'retry'], {
      description: '`sent`: take it for sent. `retry`: send it again; it may arrive twice.',
    }),
  },
  { examples: [{ as: 'sent' }] },
)
