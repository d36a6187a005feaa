import { type Static, Type } from 'typebox'
import { PROOFS } from '../../catalogue/proofs.ts'
import { answer, closed, FreeForm, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'

export const EVENTS_PER_BATCH_MAX = 100
const EVENT_ID_CHARS_MAX = 64

/** Long enough for random ids, and too long for the words that scripts write where there is none: null, undefined. */
export const VISITOR_ID_PATTERN = '^[A-Za-z0-9_-]{16,64}$'
export const VisitorId = Type.String({
  pattern: VISITOR_ID_PATTERN,
  description: 'A random id that the browser keeps: 16 to 64 letters, digits, - and _.',
  examples: ['0f8b2c6de1a94f0bb1f0c3d2e4a59687'],
})
const CollectKey = Type.Optional(
  Type.String({ maxLength: 100, description: 'Of the tracker, unless the header `x-collect-key` has it.' }),
)

/** Said by the person; or, where nothing was said yet, the mode under which it was not asked. */
export const CONSENT_STATES = ['granted', 'denied', 'required', 'implied', 'cookieless'] as const
export type ConsentState = (typeof CONSENT_STATES)[number]

export const BrowserEventItem = closed('BrowserEvent', {
  id: Type.String({
    minLength: 1,
    maxLength: EVENT_ID_CHARS_MAX,
    description: 'Random: a repeat of it by the same visitor records nothing.',
    examples: ['5c1d0f'],
  }),
  action: Type.String({ minLength: 1, maxLength: 200, examples: ['page.view'] }),
  properties: Type.Optional(Type.Union([FreeForm, Type.Null()])),
  occurredAt: Type.Optional(nullable(Timestamp)),
  visitorId: Type.Optional(nullable(VisitorId)),
  context: Type.Optional(
    Type.Union([FreeForm, Type.Null()], { description: 'Where it was; kept among the properties as `context`.' }),
  ),
})

/** Each item is held to `BrowserEventItem` by itself, so the request is valid with items that are not. */
export const CollectEventsBody = closed(
  'CollectEventsBody',
  {
    key: CollectKey,
    sentAt: Type.String({ ...Timestamp, description: 'Now, by the clock that `occurredAt` is of.' }),
    visitorId: Type.Optional(nullable(VisitorId)),
    consent: oneOf(CONSENT_STATES, {
      description: 'granted, denied: by the person. Else the mode under which nothing was said.',
    }),
    events: Type.Array(
      Type.Union([BrowserEventItem, Type.Unknown({ description: 'Anything else is answered as rejected.' })]),
      { minItems: 1, maxItems: EVENTS_PER_BATCH_MAX },
    ),
  },
  {
    examples: [
      {
        sentAt: '2026-11-21T03:10:40.500Z',
        consent: 'granted',
        visitorId: '0f8b2c6de1a94f0bb1f0c3d2e4a59687',
        events: [{ id: '5c1d0f', action: 'page.view', properties: { url: 'https://shop.example/' } }],
      },
    ],
  },
)
export type CollectEventsBody = Static<typeof CollectEventsBody>

export const REJECTION_CODES = [
  'invalid-event',
  'reserved-action',
  'action-not-allowed',
  'too-large',
  'too-old',
] as const
export type RejectionCode = (typeof REJECTION_CODES)[number]

export const CollectRejections = answer('CollectRejections', {
  visitorId: Type.Optional(
    Type.String({ description: 'The one to go on with, where the one that asked was of somebody who is erased.' }),
  ),
  rejected: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Position in the request, from 0.' }),
      code: oneOf(REJECTION_CODES),
      detail: Type.String(),
    }),
    { description: 'Events that were not taken; the others are durable.' },
  ),
})
export type Rejection = Static<typeof CollectRejections>['rejected'][number]

export const CollectConsentBody = closed(
  'CollectConsentBody',
  {
    key: CollectKey,
    visitorId: Type.Optional(nullable(VisitorId)),
    state: oneOf(['granted', 'denied']),
    wording: Type.Optional(nullable(Type.String({ maxLength: 1_000, description: 'As the person was asked.' }))),
  },
  { examples: [{ visitorId: '0f8b2c6de1a94f0bb1f0c3d2e4a59687', state: 'granted' }] },
)
export type CollectConsentBody = Static<typeof CollectConsentBody>

export const CollectForgetBody = closed(
  'CollectForgetBody',
  { key: CollectKey, visitorId: VisitorId },
  { examples: [{ visitorId: '0f8b2c6de1a94f0bb1f0c3d2e4a59687' }] },
)

const Day = Type.String({ format: 'date', examples: ['2026-11-23'] })

/** A browser that a contact was recognised in. */
export const ContactVisitor = answer('ContactVisitor', {
  visitorId: Type.String({ examples: ['0f8b2c6de1a94f0bb1f0c3d2e4a59687'] }),
  proof: oneOf(PROOFS, {
    description:
      'claimed: a page has said so. link: a link of a mail of ours was followed in it. confirmed: the person has by mail. signed: your server has.',
  }),
  firstSeen: Day,
  lastSeen: Type.String({ ...Day, description: 'The day on which it was last said.' }),
})
export type ContactVisitor = Static<typeof ContactVisitor>

export const VisitorList = answer('ContactVisitorList', { items: Type.Array(ContactVisitor) })
